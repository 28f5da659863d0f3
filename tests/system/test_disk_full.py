"""A disk that takes nothing more: nothing is done that is not recorded, and later all goes on."""

import contextlib
import json
import resource
import signal
import sqlite3
from collections.abc import Iterator

import pytest

from tests.system.processes import PROGRAM, eventually, started, tablekeeper
from tests.system.table import Running
from tests.system.talk import Talk

STOPS_WITHIN = 15.0


def largest(table: Running) -> int:
    """Return the size of the log's largest file: the one that grows with each commit."""
    return max(file.stat().st_size for file in (table.state / "log").iterdir())


@contextlib.contextmanager
def no_room(table: Running) -> Iterator[None]:
    """Let the controller's files grow no further until the end."""
    pid = table.controller.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE, (largest(table), resource.RLIM_INFINITY))
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def until_trouble(table: Running) -> str:
    """Wait until the table says that nothing can be recorded."""
    view = table.watch.until(lambda view: view["trouble"], "there is trouble")
    trouble: str = view["trouble"]
    return trouble


def test_nothing_is_done_that_is_not_recorded_and_play_goes_on_when_there_is_room(
    table: Running,
) -> None:
    table.deal()
    layout, before = table.layout(), table.rows()
    with no_room(table), Talk(table.socket) as dealer:
        dealer.send(json.dumps({"id": 5, "ask": {"do": "stand"}}).encode() + b"\n")
        trouble = until_trouble(table)
        table.hands.ask("draw", device="shoe", card="8C")

        assert "nothing can be recorded" in trouble
        assert "space" in trouble
        assert table.layout() == layout
        assert table.rows() == before
    view = table.watch.until(lambda view: view["state"] == "final settlement", "the card is taken")

    assert view["trouble"] == ""
    assert view["dealer"]["cards"] == ["9H", "8C"]
    assert [row["kind"] for row in table.rows()[len(before) :]][:2] == ["asked", "accepted"]
    table.go_on()
    assert table.stop() == 0
    assert tablekeeper("log", "verify", table.state).returncode == 0


def test_whoever_asks_is_answered_only_when_it_is_recorded(table: Running) -> None:
    table.deal()
    with Talk(table.socket) as dealer:
        with no_room(table):
            dealer.send(b'{"id": 5, "ask": {"do": "stand"}}\n')
            until_trouble(table)
            dealer.socket.settimeout(0.3)
            with pytest.raises(TimeoutError):
                dealer.socket.recv(1)
            dealer.socket.settimeout(30)
        eventually(lambda: table.watch.look()["trouble"] == "", "the trouble is over")

    assert table.rows("accepted")[-1]["body"]["what"] == {"do": "stand"}


def test_a_disk_that_is_full_again_at_once_is_said_again(table: Running) -> None:
    table.watch.must("wager", box=2, player="ann", main=1000)
    for player in ("bob", "cam", "dee"):
        with no_room(table):
            asked = {"do": "wager", "box": 3, "player": player, "main": 1000}
            with Talk(table.socket) as dealer:
                dealer.send(json.dumps({"id": 5, "ask": asked}).encode() + b"\n")
                until_trouble(table)
        table.watch.until(lambda view: view["trouble"] == "", "the trouble is over")

    wagers = [row["body"]["what"]["player"] for row in table.rows("accepted")]
    assert wagers == ["ann", "bob", "cam", "dee"]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_table_that_cannot_record_can_be_ended_and_the_round_is_still_there(
    table: Running, how: signal.Signals
) -> None:
    table.deal()
    layout = table.layout()
    with no_room(table):
        table.hands.ask("press", device="pedal", control="middle")
        until_trouble(table)
        table.stop(how)
    assert "Traceback" not in table.errors.read_text()
    assert tablekeeper("log", "verify", table.state).returncode == 3

    table.start()
    assert table.layout() == layout
    table.go_on()
    table.finish()


def test_a_table_whose_log_another_program_has_locked_can_be_ended(table: Running) -> None:
    table.deal()
    file = max((table.state / "log").glob("*.db"))
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        table.hands.ask("press", device="pedal", control="middle")
        table.watch.until(lambda view: "locked" in view["trouble"], "it says what it waits for")
        assert table.stop() == 0  # while it tries again, for as long as the lock is waited for
        other.execute("ROLLBACK")

    assert "Traceback" not in table.errors.read_text()


def test_a_table_that_cannot_even_record_its_start_can_be_ended(table: Running) -> None:
    table.deal()
    table.kill()
    limit = ["prlimit", f"--fsize={largest(table)}:"]
    limited = [*limit, *PROGRAM, "run", "--rehearsal", "--config", table.config]
    errors = table.folder / "limited.err"
    with started(limited, errors=errors) as controller:
        eventually(lambda: "not recorded" in errors.read_text(), "the start could not be recorded")
        controller.send_signal(signal.SIGTERM)
        controller.wait(STOPS_WITHIN)
    assert "Traceback" not in errors.read_text()

    table.start()
    table.go_on()
    table.finish()
