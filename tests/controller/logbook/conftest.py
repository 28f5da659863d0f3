"""A log of four rounds that nobody may change, and the command to ask it."""

import shutil
from pathlib import Path

import pytest

from tests.controller.logbook.logs import TEXTS, Ask, play_texts


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    return Ask(capsys)


@pytest.fixture(scope="session")
def four_rounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the state of a table with a won, a corrected, a void and an open round."""
    state = tmp_path_factory.mktemp("four-rounds") / "state"
    play_texts(TEXTS, state)
    return state


@pytest.fixture
def own(four_rounds: Path, tmp_path: Path) -> Path:
    """Return a copy of that state, to spoil."""
    return shutil.copytree(four_rounds, tmp_path / "state")
