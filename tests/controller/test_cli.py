"""The command ``tablekeeper``: its exit statuses, and the log commands' output."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system import forged
from tests.system.demo import demo
from tests.system.folder import short_folder
from tests.system.processes import PATIENCE, PROGRAM, tablekeeper
from tests.system.table import Running, rows_of, running

INTACT, ALTERED, BAD_USAGE, NOT_CLOSED = 0, 1, 2, 3


@pytest.fixture(scope="module")
def played() -> Iterator[tuple[Path, list[bytes]]]:
    """The state of a demo of one round that nobody may change, and what it printed."""
    with short_folder() as folder, demo(folder / "state", "--rounds", 1, "--json") as it:
        printed = it.lines()
        assert it.ended() == 0
        yield it.state, printed


@pytest.fixture
def table() -> Iterator[Running]:
    with short_folder() as folder, running(folder) as it:
        yield it


def verdict(path: Path, status: int) -> dict[str, Any]:
    """Return what ``log verify --json`` says."""
    done = tablekeeper("log", "verify", "--json", path)
    assert (done.returncode, done.stderr) == (status, "")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert list(found)[:4] == ["ok", "events", "head", "first_bad"]
    return found


def test_an_intact_log_that_was_closed(played: tuple[Path, list[bytes]]) -> None:
    state, printed = played
    last = json.loads(printed[-1])

    found = verdict(state, INTACT)
    assert {key: found[key] for key in ("ok", "events", "head", "first_bad")} == {
        "ok": True,
        "events": last["seq"],
        "head": last["hash"],
        "first_bad": None,
    }
    line = tablekeeper("log", "checkpoint", state).stdout
    assert tablekeeper("log", "verify", state).stdout == (
        f"intact: {last['seq']:,} events, head {last['hash']}\n"
        f"signed up to event {last['seq']:,}, in 1 day\n"
        f"write down: {line}"
    )


@pytest.mark.parametrize("inside", [".", "log", "log/day-*.db"])
def test_a_log_is_found_by_its_state_its_folder_or_its_file(
    played: tuple[Path, list[bytes]], inside: str
) -> None:
    state, printed = played

    (path,) = state.glob(inside) if "*" in inside else [state / inside]
    assert verdict(path, INTACT)["events"] == len(printed)


def test_a_log_that_is_written_or_was_cut_short_has_not_closed(table: Running) -> None:
    table.deal()
    assert verdict(table.state, NOT_CLOSED)["ok"]
    table.kill()

    assert verdict(table.state, NOT_CLOSED)["events"] == len(table.rows())
    assert "did not close" in tablekeeper("log", "verify", table.state).stdout


def test_an_altered_log_is_found_where_it_was_altered(table: Running) -> None:
    table.deal()
    table.stop()
    changed = table.rows("dealt")[0]["seq"]
    forged.change_body(table.state, changed, "KS", "5S")

    found = verdict(table.state, ALTERED)
    assert not found["ok"]
    assert found["events"] == changed - 1
    assert found["first_bad"]["seq"] == changed
    assert found["first_bad"]["what"]
    said = tablekeeper("log", "verify", table.state)
    assert said.returncode == ALTERED
    assert said.stdout.startswith(f"ALTERED at event {changed}: ")


def test_a_log_that_was_cut_off_is_found(table: Running) -> None:
    table.deal()
    table.stop()
    last = table.rows()[-1]["seq"]
    forged.cut_off(table.state, last - 2)

    assert verdict(table.state, ALTERED)["first_bad"]["seq"] == last - 1


@pytest.mark.parametrize("action", ["show", "verify", "export"])
@pytest.mark.parametrize("kind", ["nothing", "an empty folder", "another file"])
def test_a_path_that_is_no_log_is_bad_usage(tmp_path: Path, action: str, kind: str) -> None:
    path = tmp_path / "thing"
    if kind == "an empty folder":
        path.mkdir()
    elif kind == "another file":
        path.write_text("no database" * 100)
    done = tablekeeper("log", action, path)

    assert (done.returncode, done.stdout) == (BAD_USAGE, "")
    assert done.stderr.startswith("tablekeeper: ")
    assert str(path) in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_export_is_what_the_demo_printed(played: tuple[Path, list[bytes]]) -> None:
    state, printed = played
    for options in ([], ["--format", "jsonl"]):
        done = tablekeeper("log", "export", *options, state)
        assert done.returncode == 0
        assert done.stdout.encode() == b"".join(printed)


def test_a_log_is_shown_one_line_an_event(played: tuple[Path, list[bytes]]) -> None:
    state, printed = played
    done = tablekeeper("log", "show", state)

    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == len(printed)
    for line, row in zip(lines, map(json.loads, printed), strict=True):
        assert f" {row['seq']} " in line
        assert row["kind"] in line


def test_one_round_is_shown_alone(played: tuple[Path, list[bytes]]) -> None:
    state, _ = played
    done = tablekeeper("log", "show", "--round", 2, state)

    assert len(done.stdout.splitlines()) == len(
        [row for row in rows_of(state) if row["round"] == 2]
    )


@pytest.mark.parametrize("action", ["show", "verify", "export"])
def test_reading_a_log_leaves_no_trace(table: Running, action: str) -> None:
    table.deal()
    table.stop()
    folder = table.state / "log"

    def traces() -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in folder.iterdir()}

    before = traces()
    assert tablekeeper("log", action, table.state).returncode == 0
    assert traces() == before


@pytest.mark.parametrize("action", ["show", "export"])
def test_whoever_reads_may_have_enough_of_it(played: tuple[Path, list[bytes]], action: str) -> None:
    state, _ = played
    with subprocess.Popen(
        [*PROGRAM, "log", action, state], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        status = process.wait(PATIENCE)

    assert (status, said) == (0, b"")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["COMMAND", "required"]),
        (["fly"], ["fly", "run", "demo"]),
        (["run"], ["--config"]),
        (["run", "--config"], ["--config"]),
        (["play"], ["FILE_OR_DIR"]),
        (["play", "--over", "air", "x"], ["air", "wire", "direct"]),
        (["log"], ["ACTION"]),
        (["log", "burn", "x"], ["burn", "verify"]),
        (["log", "export", "--format", "xml", "x"], ["xml", "jsonl"]),
        (["log", "show", "--round", "two", "x"], ["two"]),
        (["watch", "--colour"], ["--colour"]),
    ],
)
def test_bad_usage_says_what_is_wrong_and_what_is_allowed(
    arguments: list[str], words: list[str]
) -> None:
    done = tablekeeper(*arguments)

    assert (done.returncode, done.stdout) == (BAD_USAGE, "")
    assert [word for word in words if word not in done.stderr] == []
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [[], ["run"], ["play"], ["demo"], ["watch"], ["log"], ["log", "show"], ["log", "verify"]],
)
def test_everything_explains_itself(arguments: list[str]) -> None:
    done = tablekeeper(*arguments, "--help")

    assert done.returncode == 0
    assert done.stdout.startswith("usage: tablekeeper")
    assert "--until-stdin-closes" not in done.stdout


def test_it_is_installed_as_a_command() -> None:
    command = Path(sys.executable).parent / "tablekeeper"
    done = subprocess.run(
        [command, "--version"], capture_output=True, text=True, timeout=PATIENCE, check=True
    )

    assert done.stdout == tablekeeper("--version").stdout
