"""``tablekeeper demo`` as somebody starts it, and what it leaves behind."""

import contextlib
import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from tests.system.processes import (
    PATIENCE,
    PROGRAM,
    children_of,
    end,
    eventually,
    kill,
    naming,
    stop,
)
from tests.system.table import rows_of
from tests.system.talk import Row

DECIDED = ("accepted", "dealt", "settled")
"""The rows in which the cards, wagers, decisions and payments of a demo stand."""


class Demo:
    """One demo, until its end."""

    def __init__(self, state: Path, *options: object) -> None:
        self.state = state
        # A folder of its own: what names it is of this demo and of no other on the same state.
        self.scratch = Path(tempfile.mkdtemp(prefix="t", dir=state.parent))
        self._read = b""
        self.errors = state.parent / f"{state.name}.err"
        with self.errors.open("ab") as err:
            self.process = subprocess.Popen(
                [*PROGRAM, "demo", "--fast", "--state", str(state), *map(str, options)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=err,
                start_new_session=True,
                env={**os.environ, "TMPDIR": str(self.scratch)},
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_what: object) -> None:
        self.kill_all()
        end(self.process)

    def line(self) -> bytes:
        """Return the next line of output; empty at its end."""
        assert self.process.stdout is not None
        while b"\n" not in self._read:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            assert ready, self._stuck()
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                break
            self._read += data
        line, newline, self._read = self._read.partition(b"\n")
        return line + newline

    def lines(self) -> list[bytes]:
        """Return all lines until the end."""
        return list(iter(self.line, b""))

    def leave(self) -> None:
        """Stop reading."""
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _stuck(self) -> str:
        last = rows_of(self.state)[-8:]
        return f"nothing for {PATIENCE:.0f} s; {self.errors.read_text()!r}; the log ends {last}"

    def ended(self) -> int:
        """Wait for the end; return the exit status."""
        return self.process.wait(PATIENCE)

    def child(self, what: str) -> int:
        """Return the process id of the ``controller run`` or the ``drivers.simulated``."""
        found: list[int] = []

        def look() -> bool:
            assert self.process.poll() is None, self.errors.read_text()
            found[:] = [pid for pid, line in children_of(self.process.pid).items() if what in line]
            return bool(found)

        eventually(look, f"there is {what}")
        return found[-1]

    def interrupt(self) -> int:
        """Press Ctrl-C; return the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.ended()

    def kill_all(self) -> None:
        """End the demo and everything it started, as a power cut does."""
        stop(self.process.pid)  # so that it starts nothing meanwhile
        parts = (self.process.pid, *self.left_running())
        for pid in parts:  # so that none has the time to see that another is gone, and to end well
            stop(pid)
        for pid in parts:
            kill(pid)
        eventually(lambda: not self.left_running(), "all processes of the demo are gone")
        self.process.wait()

    def left_running(self) -> dict[int, str]:
        """Return the processes that the demo has started and that still run."""
        mine = {**naming(self.scratch), **children_of(self.process.pid)}
        return {pid: line for pid, line in mine.items() if line.strip()}

    def left_lying(self) -> list[Path]:
        """Return the nodes and files that are left in the folder for temporary files."""
        return sorted(self.scratch.rglob("*"))


@contextlib.contextmanager
def demo(state: Path, *options: object) -> Iterator[Demo]:
    """Start a demo; afterwards nothing of it runs any more."""
    with Demo(state, *options) as it:
        yield it


def played(state: Path, *options: object) -> list[Row]:
    """Play a demo to its end; return the log's rows."""
    with demo(state, *options) as it:
        it.lines()
        assert it.ended() == 0, it.errors.read_text()
        return rows_of(state)


def decided(rows: list[Row]) -> list[tuple[int, str, Any]]:
    """Return what was dealt, wagered, decided and paid: what the seed of a demo repeats.

    What the dealer confirms or enters after a cut is left out, and the bonus prizes: they are
    drawn by chance, never from a seed.
    """
    mending = {"confirm-layout", "enter-card"}
    return [
        (row["round"], row["kind"], row["body"])
        for row in rows
        if row["kind"] in DECIDED
        and row["body"].get("what", {}).get("do") not in mending
        and row["body"].get("row", {}).get("wager") != "pandemonium"
    ]
