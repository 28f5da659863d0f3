"""The terminal of what runs is closed: it comes to an end in order, as if told to stop."""

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.system.processes import PATIENCE, PROGRAM, end, eventually, naming, tablekeeper
from tests.system.table import Running, config, rows_of
from tests.system.talk import Talk

NOHUP = ("/usr/bin/env", "--ignore-signal=HUP")


class Window:
    """A terminal that can be closed while something runs in it."""

    def __init__(self, command: Sequence[object], scratch: Path) -> None:
        self._ours, theirs = os.openpty()
        self.process = subprocess.Popen(
            ["/usr/bin/setsid", "--ctty", *map(str, command)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color", "TMPDIR": str(scratch)},
        )
        os.close(theirs)
        self._closed = threading.Event()
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self) -> None:
        os.set_blocking(self._ours, False)
        while not self._closed.wait(0.01):
            with contextlib.suppress(OSError):
                os.read(self._ours, 1 << 16)

    def close(self) -> None:
        """Close it: the kernel tells what runs in it."""
        if not self._closed.is_set():
            self._closed.set()
            self._reading.join()
            os.close(self._ours)

    def ended(self) -> int:
        return self.process.wait(PATIENCE)


@contextlib.contextmanager
def window(command: Sequence[object], scratch: Path | None = None) -> Iterator[Window]:
    it = Window(command, scratch or Path(tempfile.gettempdir()))
    try:
        yield it
    finally:
        it.close()
        end(it.process)


@pytest.fixture
def run(folder: Path) -> list[object]:
    """The command that runs a table in the folder."""
    file = folder / "table.toml"
    file.write_text(config(folder, {"shoe": str(folder / "shoe")}))
    return [*PROGRAM, "run", "--rehearsal", "--config", file]


def answers(socket: Path) -> bool:
    with contextlib.suppress(OSError), Talk(socket) as talk:
        return talk.look()["table"] == "Test 1"
    return False


def test_a_table_records_that_it_stopped_when_its_terminal_is_closed(
    folder: Path, run: list[object]
) -> None:
    with window(run) as it:
        eventually(lambda: answers(folder / "control.sock"), "the table answers")
        it.close()

        assert it.ended() == 0
    assert rows_of(folder / "state")[-1]["kind"] == "stopped"
    assert not (folder / "control.sock").exists()
    assert tablekeeper("log", "verify", folder / "state").returncode == 0


def test_a_table_that_was_started_to_outlive_its_terminal_does(
    folder: Path, run: list[object]
) -> None:
    with window([*NOHUP, *run]) as it:
        eventually(lambda: answers(folder / "control.sock"), "the table answers")
        it.close()
        os.kill(it.process.pid, signal.SIGHUP)
        for _ in range(3):
            assert answers(folder / "control.sock")
        it.process.terminate()

        assert it.ended() == 0
    assert rows_of(folder / "state")[-1]["kind"] == "stopped"


def test_a_demo_ends_with_all_that_it_has_started(folder: Path) -> None:
    state, scratch = folder / "state", folder / "scratch"
    scratch.mkdir()
    with window([*PROGRAM, "demo", "--fast", "--seed", "1", "--state", state], scratch) as it:
        eventually(lambda: (state / "control.sock").exists(), "the demo plays")
        it.close()

        assert it.ended() == 0
        assert naming(scratch) == {}
        assert list(scratch.rglob("*")) == []
    assert not (state / "control.sock").is_symlink()
    assert rows_of(state)[-1]["kind"] == "stopped"


def test_a_demo_that_is_told_twice_is_not_broken_off(folder: Path) -> None:
    state, scratch = folder / "state", folder / "scratch"
    scratch.mkdir()
    with window([*PROGRAM, "demo", "--fast", "--seed", "1", "--state", state], scratch) as it:
        eventually(lambda: (state / "control.sock").exists(), "the demo plays")
        it.process.send_signal(signal.SIGHUP)
        while it.process.poll() is None:
            it.process.send_signal(signal.SIGHUP)
            with contextlib.suppress(subprocess.TimeoutExpired):
                it.process.wait(0.005)

        assert it.ended() == 0
        assert naming(scratch) == {}
        assert list(scratch.rglob("*")) == []
    assert rows_of(state)[-1]["kind"] == "stopped"


@pytest.mark.parametrize("before", [(), NOHUP], ids=["", "nohup"])
def test_whoever_watches_is_gone_with_the_terminal_and_the_table_is_not(
    table: Running, before: Sequence[str]
) -> None:
    with window([*before, *PROGRAM, "watch", "--socket", table.socket]) as it:
        watching = f"/proc/{it.process.pid}/wchan"
        eventually(Path(watching).exists, "it runs")
        eventually(lambda: connections(table) > 1, "it watches")
        it.close()

        assert it.ended() == 0
    table.deal()
    table.finish()


def connections(table: Running) -> int:
    """Return how many connections the table has at its socket."""
    lines = Path("/proc/net/unix").read_text().splitlines()
    return sum(line.endswith(f" {table.socket}") for line in lines) - 1


@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGTERM])
def test_a_script_that_is_broken_off_leaves_nothing_running(
    folder: Path, how: signal.Signals
) -> None:
    scratch = folder / "scratch"
    scratch.mkdir()
    scripts = Path(__file__).parents[1] / "rounds"
    with window([*PROGRAM, "play", scripts], scratch) as it:
        eventually(lambda: len(naming(scratch)) >= 2, "a script is played")
        it.process.send_signal(how)

        assert it.ended() == 130
        assert naming(scratch) == {}
        assert list(scratch.rglob("*")) == []
