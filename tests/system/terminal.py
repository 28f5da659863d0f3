"""A terminal with a program in it: typed into, looked at, and checked afterwards."""

import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from tests.system.processes import PATIENCE

SIZE = (60, 140)
"""Lines and columns; wide enough for the whole table."""

LOOK_AGAIN = 0.02
"""Seconds between two looks at what was written."""

_CONTROL = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>]|\r")


def _without_size(environment: Mapping[str, str]) -> dict[str, str]:
    """Leave out the size of the terminal that the tests run in: this one has its own."""
    return {name: value for name, value in environment.items() if name not in {"COLUMNS", "LINES"}}


class Terminal:
    """A pseudo-terminal and the program that has it; a context manager."""

    def __init__(self, command: Sequence[object], environment: dict[str, str] | None = None):
        self._ours, self._theirs = os.openpty()
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        self.before = termios.tcgetattr(self._theirs)
        self.said = b""
        """Everything that was written, with the terminal's commands in it."""
        # setsid --ctty makes the terminal the program's own, so that Ctrl-C reaches it.
        self.process = subprocess.Popen(
            ["/usr/bin/setsid", "--ctty", "--wait", *map(str, command)],
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            env={**_without_size(os.environ), "TERM": "xterm-256color", **(environment or {})},
        )
        # Read at all times, as a screen does: a program that nobody reads stands still.
        self._reading = threading.Lock()
        self._is_over = threading.Event()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._is_over.set()
        self._reader.join()
        os.close(self._ours)
        os.close(self._theirs)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._ours, keys.encode())

    @property
    def text(self) -> str:
        """What was written, without the terminal's commands."""
        return _CONTROL.sub(b"", self.said).decode("utf-8", "replace")

    def forget(self) -> None:
        """Look only at what is written from now on."""
        self._settle()
        self.said = b""

    def until(self, *words: str) -> str:
        """Wait until all words were written; return the text."""
        deadline = time.monotonic() + PATIENCE
        while missing := [word for word in words if word not in self.text]:
            assert time.monotonic() < deadline, f"{missing} never came: {self.text[-3000:]}"
            time.sleep(LOOK_AGAIN)
        return self.text

    def _read(self) -> None:
        while not self._is_over.is_set():
            with self._reading:
                if select.select([self._ours], [], [], 0.0)[0]:
                    self.said += os.read(self._ours, 1 << 16)
                    continue
            self._is_over.wait(LOOK_AGAIN)

    def _settle(self) -> None:
        """Wait until everything that was written so far was read."""
        while True:
            with self._reading:
                if not select.select([self._ours], [], [], 0.0)[0]:
                    return

    def ended(self) -> int:
        """Wait for the program's end; return its exit status."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it does not end: {self.text[-3000:]}"
            time.sleep(LOOK_AGAIN)
        self._settle()
        return self.process.returncode

    @property
    def now(self) -> list[Any]:
        """How the terminal is set."""
        return termios.tcgetattr(self._theirs)

    def is_restored(self) -> bool:
        """Tell whether the terminal is as it was: set as before, cursor shown, own screen left."""
        shown = self.said.rfind(b"\x1b[?25h") >= self.said.rfind(b"\x1b[?25l")
        left = self.said.rfind(b"\x1b[?1049l") >= self.said.rfind(b"\x1b[?1049h")
        return self.now == self.before and shown and left
