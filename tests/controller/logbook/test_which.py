"""Without a path, the log of the nearest table is meant."""

import shutil
from pathlib import Path

import pytest

from controller.logbook import which
from tests.controller.logbook.logs import Ask

BAD_USAGE = 2

WORDS = [["rounds"], ["show"], ["show", "1"], ["export"]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the demo keeps its state, on a machine without a table."""
    if which.USUAL_SOCKET.exists() or (which.USUAL_STATE / "log").exists():
        pytest.skip("this machine runs a table")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "tablekeeper" / "demo"


@pytest.mark.parametrize("words", WORDS, ids=str)
def test_the_nearest_tables_log_is_read_and_named(
    ask: Ask, four_rounds: Path, home: Path, words: list[str]
) -> None:
    shutil.copytree(four_rounds, home)
    said = ask(*words)

    assert said.status == 0
    assert said.out == ask(*words, four_rounds).out
    assert said.err == f"the log of {home}:\n"


@pytest.mark.parametrize("words", WORDS, ids=str)
def test_without_any_table_a_path_is_asked_for(ask: Ask, home: Path, words: list[str]) -> None:
    said = ask(*words)

    assert (said.status, said.out) == (BAD_USAGE, "")
    assert str(home) in said.err
    assert "name one, a state folder, a log folder or a log file" in said.err


def test_a_state_a_log_folder_and_a_log_file_are_all_the_log(ask: Ask, four_rounds: Path) -> None:
    (file,) = (four_rounds / "log").glob("*.db")
    whole = ask("rounds", four_rounds)

    assert ask("rounds", four_rounds / "log") == ask("rounds", file) == whole
