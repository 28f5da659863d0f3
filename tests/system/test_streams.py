"""Standard output and standard error: full, closed, left by who read them, read by nobody."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.system import forged
from tests.system.folder import short_folder
from tests.system.processes import PATIENCE, PROGRAM, eventually, tablekeeper
from tests.system.table import Running, config, rows_of, running
from tests.system.talk import Talk

NOT_WRITTEN = 74
SCRIPT = next((Path(__file__).parents[1] / "rounds" / "pontoon-nsw").rglob("*.yaml"))


@pytest.fixture(scope="module")
def closed_table() -> Iterator[Running]:
    """A table that played a round and was closed."""
    with short_folder() as folder, running(folder) as table:
        table.deal()
        table.finish()
        table.stop()
        yield table


def through_shell(command: Sequence[object], redirected: str) -> "subprocess.CompletedProcess[str]":
    """Run a command with its streams led somewhere else, as a shell writes it."""
    words = shlex.join(map(str, command))
    return subprocess.run(
        ["/bin/bash", "-c", f"{words} {redirected}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


PRINTS = {
    "log rounds": ("log", "rounds", "STATE"),
    "log rounds as JSON": ("log", "rounds", "--json", "STATE"),
    "log show": ("log", "show", "STATE"),
    "log show of a round": ("log", "show", "1", "STATE"),
    "log export": ("log", "export", "STATE"),
    "log export as CSV": ("log", "export", "--format", "csv", "STATE"),
    "log export into a file": ("log", "export", "--force", "--output", "FOLDER/out", "STATE"),
    "log verify": ("log", "verify", "STATE"),
    "log verify as JSON": ("log", "verify", "--json", "STATE"),
    "log keys": ("log", "keys", "STATE"),
    "doctor": ("doctor", "--config", "CONFIG"),
    "doctor as JSON": ("doctor", "--json", "--config", "CONFIG"),
    "devices": ("devices", "--config", "CONFIG"),
    "rules": ("rules",),
    "rules of a clause": ("rules", "18.9.5"),
    "the diagram": ("rules", "--diagram", "round"),
    "signs": ("signs", "--config", "CONFIG"),
    "operators": ("operators", "list", "--state", "STATE"),
    "recover": ("recover", "--rehearsal", "--by", "casino-supervisor", "--config", "CONFIG"),
    "play": ("play", "--over", "direct", str(SCRIPT)),
    "play as JSON": ("play", "--over", "direct", "--json", str(SCRIPT)),
    "demo": ("demo", "--fast", "--rounds", "1", "--seed", "1", "--state", "FOLDER/demo"),
    "demo as JSON": ("demo", "--fast", "--json", "--rounds", "1", "--state", "FOLDER/demo"),
    "setup": ("setup", "--config", "FOLDER/new.toml"),
    "simulate-device": ("simulate-device", "shoe"),
    "help": ("log", "--help"),
    "the version": ("--version",),
}


def written(words: Sequence[str], table: Running, folder: Path) -> list[str]:
    """Return a command with the places of the table in it."""
    places = {"STATE": table.state, "CONFIG": table.config, "FOLDER": folder}
    text = [*PROGRAM]
    for word in words:
        for name, place in places.items():
            word = word.replace(name, str(place))
        text.append(word)
    return text


@pytest.mark.parametrize("name", PRINTS)
def test_output_that_no_disk_takes_is_said_in_a_line_and_by_the_status(
    closed_table: Running, folder: Path, name: str
) -> None:
    command = written(PRINTS[name], closed_table, folder)
    done = through_shell(command, "</dev/null >/dev/full")

    assert done.returncode == NOT_WRITTEN, done.stderr
    said = [line for line in done.stderr.splitlines() if "standard output" in line]
    assert len(said) == 1, done.stderr
    assert "cannot be written: No space left on device" in said[0]
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "MISSING" not in done.stderr


@pytest.mark.parametrize("name", ["log rounds", "log export", "log verify", "doctor", "rules"])
def test_output_that_was_closed_is_said_and_not_taken_for_another_file(
    closed_table: Running, folder: Path, name: str
) -> None:
    command = written(PRINTS[name], closed_table, folder)
    done = through_shell(command, ">&-")

    assert done.returncode == NOT_WRITTEN, done.stderr
    assert "standard output cannot be written: it is closed" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "status"),
    [("log rounds", 0), ("log export", 0), ("rules", 0), ("doctor", NOT_WRITTEN)],
)
def test_a_reader_that_had_enough_is_told_nothing_but_a_verdict_is_not_that_all_is_well(
    closed_table: Running, folder: Path, name: str, status: int
) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    command = written(PRINTS[name], closed_table, folder)
    done = subprocess.run(
        command, stdout=theirs, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False
    )
    os.close(theirs)

    assert done.returncode == status
    assert "standard output" not in done.stderr
    assert "Traceback" not in done.stderr


def test_an_altered_log_is_altered_also_where_nobody_reads_that(folder: Path) -> None:
    with running(folder) as table:
        table.deal()
        table.stop()
    forged.change_body(table.state, table.rows("dealt")[-1]["seq"], "5D", "6D")
    verify = [*PROGRAM, "log", "verify", table.state]

    assert through_shell(verify, "| true; exit ${PIPESTATUS[0]}").returncode == 1


@pytest.mark.parametrize("error", ["2>/dev/full", "2>&-", "2> >(exit)"])
def test_a_fault_that_cannot_be_said_is_still_in_the_status(folder: Path, error: str) -> None:
    command = [*PROGRAM, "run", "--config", folder / "none.toml"]

    assert through_shell(command, error).returncode == 78


@pytest.mark.parametrize("closed", ["0", "1", "2", "0, 1, 2"])
def test_a_table_whose_streams_are_closed_runs_and_keeps_them_apart_from_its_log(
    folder: Path, closed: str
) -> None:
    ports = {"shoe": str(folder / "shoe")}
    (folder / "table.toml").write_text(config(folder, ports))
    # As somebody starts it who has closed them: the next file that is opened gets their number.
    closing = (
        f"import os, sys; [os.close(fd) for fd in ({closed},)]; os.execv(sys.argv[1], sys.argv[1:])"
    )
    command = [sys.executable, "-c", closing, *PROGRAM, "run", "--rehearsal"]
    process = subprocess.Popen([*command, "--config", str(folder / "table.toml")])
    try:
        eventually(lambda: (folder / "control.sock").exists() or process.poll() is not None, "open")
        with Talk(folder / "control.sock") as talk:
            assert talk.look()["table"] == "Test 1"
        for fd in closed.split(", "):
            opened = Path(f"/proc/{process.pid}/fd/{fd}").readlink()
            assert opened == Path("/dev/null"), f"{fd} is {opened}"
        process.terminate()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
    assert rows_of(folder / "state")[-1]["kind"] == "stopped"
    assert tablekeeper("log", "verify", folder / "state").returncode == 0


class Journal:
    """A pipe at a table's standard error: read by nobody, until somebody does."""

    def __init__(self) -> None:
        self.ours, self.theirs = os.pipe()

    def fill(self) -> None:
        """Leave no room in it."""
        os.set_blocking(self.theirs, False)
        try:
            while True:
                os.write(self.theirs, b"-" * 4096)
        except BlockingIOError:
            os.set_blocking(self.theirs, True)

    def leave(self) -> None:
        os.close(self.ours)
        self.ours = -1

    def close(self) -> None:
        for fd in (self.ours, self.theirs):
            if fd >= 0:
                os.close(fd)


@pytest.fixture
def journal() -> Iterator[Journal]:
    it = Journal()
    try:
        yield it
    finally:
        it.close()


@pytest.fixture
def heard(folder: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A table, not started yet, whose standard error is the pipe."""
    table = Running(folder)
    real = subprocess.Popen

    def start(command: Sequence[str], **how: object) -> "subprocess.Popen[bytes]":
        if "run" in command:
            how["stderr"] = journal.theirs
        return real(command, **how)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr("tests.system.table.subprocess.Popen", start)
    try:
        yield table
    finally:
        table.close()


def test_a_table_opens_and_plays_where_nobody_reads_its_journal_from_the_start(
    heard: Running, journal: Journal
) -> None:
    journal.leave()
    with heard as table:
        table.deal()
        table.finish()

        assert table.stop() == 0
        assert table.rows()[-1]["kind"] == "stopped"


def test_a_table_goes_on_when_the_reader_of_its_journal_goes_away(
    heard: Running, journal: Journal
) -> None:
    with heard as table:
        table.stop()
        table.hands.ask("unplug", device="keys")
        table.start(online=False)
        journal.leave()
        table.watch.event("self-tested")  # and the journal is told which devices are there
        table.watch.must("confirm-layout")
        table.deal()
        table.finish()

        assert table.stop() == 0
        assert table.rows()[-1]["kind"] == "stopped"


def test_a_journal_that_is_full_stops_neither_the_start_nor_the_play_nor_the_end(
    heard: Running, journal: Journal
) -> None:
    journal.fill()
    with heard as table:
        table.deal()
        for _ in range(3):
            table.hands.ask("unplug", device="keys")
            table.watch.event("device-lost")
            table.hands.ask("plug", device="keys")
            table.until_online("keys")
        table.finish()

        assert table.stop() == 0
        assert table.rows()[-1]["kind"] == "stopped"


def test_what_waited_is_in_the_journal_when_somebody_reads_it_again(
    heard: Running, journal: Journal
) -> None:
    journal.fill()
    with heard as table:
        table.deal()
        said = b""
        while b"table open" not in said:
            said += os.read(journal.ours, 1 << 16)
        table.stop()
        os.close(journal.theirs)
        journal.theirs = -1
        while more := os.read(journal.ours, 1 << 16):
            said += more

    lines = [json.loads(line) for line in said.lstrip(b"-").splitlines()]
    assert [line["event"] for line in lines][-1] == "table closed"
