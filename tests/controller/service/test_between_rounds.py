"""``tablekeeper between-rounds``: an upgrade asks so before it starts the table anew."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.system.processes import PATIENCE, PROGRAM, started, tablekeeper
from tests.system.table import Running


@contextmanager
def waiting(table: Running) -> "Iterator[subprocess.Popen[bytes]]":
    """Wait for the end of the round; afterwards nobody does."""
    command = [*PROGRAM, "between-rounds", "--socket", table.socket]
    with started(command, errors=table.folder / "waiting.err") as process:
        yield process


def line(process: "subprocess.Popen[bytes]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode()


def test_between_rounds_it_does_not_wait(table: Running) -> None:
    done = tablekeeper("between-rounds", "--socket", table.socket)

    assert (done.returncode, done.stdout) == (0, "Test 1 is between two rounds\n")


def test_it_waits_for_the_end_of_the_round_and_says_for_what(table: Running) -> None:
    view = table.deal()
    with waiting(table) as process:
        waits = "waiting for the end of round 1 at Test 1"
        assert line(process) == f"{waits} ({view['state']}): {view['next']}\n"
        table.go_on()
        assert line(process).startswith(f"{waits} (dealer's hand)")
        table.draw("8C")
        assert line(process).startswith(f"{waits} (final settlement)")
        assert process.poll() is None
        table.go_on()
        assert line(process) == "Test 1 is between two rounds\n"
        assert process.wait(PATIENCE) == 0


def test_a_wager_is_a_round_as_well(table: Running) -> None:
    table.watch.must("wager", box=2, player="ann", main=1000)
    done = tablekeeper("between-rounds", "--socket", table.socket, "--within", "0.2")

    assert done.returncode == 1
    assert "waiting for the end of round 1 at Test 1 (wagers)" in done.stdout
    assert "did not end within 0.2 s" in done.stdout


def test_a_table_that_ends_meanwhile_is_waited_for_no_more(table: Running) -> None:
    table.deal()
    with waiting(table) as process:
        assert "waiting" in line(process)
        table.stop()
        assert line(process) == "the table has ended meanwhile\n"
        assert process.wait(PATIENCE) == 0


def test_a_table_that_is_not_there_is_told(table: Running) -> None:
    done = tablekeeper("between-rounds", "--socket", table.folder / "nowhere.sock")

    assert done.returncode == 2
    assert "no table answers" in done.stderr
