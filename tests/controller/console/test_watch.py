"""``tablekeeper watch``: a running table in a terminal or a pipe, and the dealer's keys."""

import select
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.processes import PATIENCE, PROGRAM, started, tablekeeper
from tests.system.table import Running
from tests.system.terminal import Terminal


@pytest.fixture
def terminal(table: Running) -> Iterator[Terminal]:
    """A terminal in which the table is shown."""
    with Terminal([*PROGRAM, "watch", "--socket", table.socket]) as it:
        it.until("Test 1", "round 1")
        yield it


def test_it_shows_the_table_as_it_stands(table: Running, terminal: Terminal) -> None:
    table.deal()
    text = terminal.until("Box 2 has 15")

    for word in ("pontoon-nsw", "ann", "$10", "K♠", "5♦", "9♥", "Box 2 stands", "shoe", "pedal"):
        assert word in text


def test_it_shows_what_is_paid(table: Running, terminal: Terminal) -> None:
    table.deal()
    table.go_on()
    table.draw("6C", "9C")

    terminal.until("final settlement", "win", "$10", "18.12.1", "paid and cleared")


def test_keys_are_the_dealers(table: Running, terminal: Terminal) -> None:
    for key, control in (("3", "3"), ("5", "5"), ("5", "5"), (" ", "enter")):
        terminal.type(key)
        (pressed, *_) = table.watch.event("pressed")
        assert (pressed["body"]["device"], pressed["body"]["control"]) == ("keys", control)
    assert [box["box"] for box in table.watch.view["boxes"]] == [3]
    assert table.watch.view["state"] == "initial deal"
    table.draw("6S", "9H", "5D")

    terminal.type("d")
    rows = table.watch.event("pressed")
    assert [row["body"]["what"]["do"] for row in rows if row["kind"] == "accepted"] == ["double"]
    terminal.until("doubled")


def test_a_key_that_is_not_allowed_changes_nothing(table: Running, terminal: Terminal) -> None:
    terminal.type("p")
    rows = table.watch.event("pressed")

    assert [row["kind"] for row in rows] == ["pressed", "refused"]


def test_a_key_that_is_none_is_not_sent(table: Running, terminal: Terminal) -> None:
    terminal.type("zä\x1b[A?")
    terminal.type("3")
    (pressed, *_) = table.watch.event("pressed")

    assert pressed["body"]["control"] == "3"


@pytest.mark.parametrize("key", ["q", "\x03", "\x04"])
def test_it_is_left_by_a_key_and_the_terminal_is_as_before(
    table: Running, terminal: Terminal, key: str
) -> None:
    assert terminal.now != terminal.before
    terminal.type(key)

    assert terminal.ended() == 0
    assert terminal.is_restored()
    assert "Traceback" not in terminal.text
    table.deal()


def test_it_waits_for_a_table_that_went_away(table: Running, terminal: Terminal) -> None:
    table.deal()
    table.kill()
    terminal.until("The table is gone")
    terminal.forget()
    table.start()

    terminal.until("layout as shown", "K♠")
    terminal.type("q")
    assert terminal.ended() == 0
    assert terminal.is_restored()


def test_it_can_be_left_while_the_table_is_away(table: Running, terminal: Terminal) -> None:
    table.stop()
    terminal.until("The table is gone")
    terminal.type("q")

    assert terminal.ended() == 0
    assert terminal.is_restored()


@pytest.fixture
def pipe(table: Running) -> Iterator["subprocess.Popen[bytes]"]:
    """Somebody who watches the table through a pipe and has heard something."""
    command = [*PROGRAM, "watch", "--socket", table.socket]
    with started(command, errors=table.folder / "watch.err") as process:
        # Pressed without a meaning until it is told: from then on it watches.
        while table.press("keys", "E") and not has_said(process):
            assert process.poll() is None
        yield process


def has_said(process: "subprocess.Popen[bytes]") -> bool:
    assert process.stdout is not None
    return bool(select.select([process.stdout], [], [], 0.05)[0])


def test_in_a_pipe_it_tells_lines_until_the_table_ends(
    table: Running, pipe: "subprocess.Popen[bytes]"
) -> None:
    table.deal()
    table.finish()
    table.stop()
    assert pipe.stdout is not None
    said = pipe.stdout.read().decode()

    assert pipe.wait(PATIENCE) == 0
    assert (table.folder / "watch.err").read_text() == ""
    for words in ("box 2 ann wagers $10", "KS to box 2: 10", "box 2 stand", "ann main: lose"):
        assert words in said


def test_a_pipe_is_left_by_ctrl_c(table: Running, pipe: "subprocess.Popen[bytes]") -> None:
    pipe.send_signal(signal.SIGINT)

    assert pipe.wait(PATIENCE) in {0, 130}
    assert "Traceback" not in (table.folder / "watch.err").read_text()


def test_where_no_table_is_it_says_so(tmp_path: Path) -> None:
    done = tablekeeper("watch", "--socket", tmp_path / "none.sock")

    assert done.returncode not in {0, 1}
    assert len(done.stderr.splitlines()) == 1
    assert str(tmp_path / "none.sock") in done.stderr


def test_without_a_socket_it_looks_where_the_demo_has_its_own(tmp_path: Path) -> None:
    done = tablekeeper("watch", environment={"XDG_STATE_HOME": str(tmp_path)})

    assert str(tmp_path / "tablekeeper" / "demo" / "control.sock") in done.stderr


NOTE = "THE TABLE HAS STOPPED\nCall the supervisor.\n"


def test_a_table_that_has_given_up_is_shown_so_until_it_is_back(
    table: Running, terminal: Terminal
) -> None:
    table.stop()
    (table.folder / "gave-up").write_text(NOTE)
    terminal.until("THE TABLE HAS STOPPED", "Call the supervisor.")
    terminal.forget()
    table.start()

    terminal.until("Test 1", "round 1")
    assert not (table.folder / "gave-up").exists()
    assert "open again after the service had given up" in table.errors.read_text()


def test_it_can_be_asked_of_a_table_that_has_given_up(table: Running) -> None:
    table.stop()
    (table.folder / "gave-up").write_text(NOTE)
    command = [*PROGRAM, "watch", "--socket", table.socket]
    told = tablekeeper(*command[len(PROGRAM) :])
    assert told.returncode == 2
    assert "THE TABLE HAS STOPPED" in told.stderr

    with Terminal(command) as shown:
        shown.until("Call the supervisor.")
        table.start()
        shown.until("Test 1", "round 1")
        shown.type("q")
        assert shown.ended() == 0
