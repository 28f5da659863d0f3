"""Standard output and standard error of this process, as a table can trust them.

Python's own say that they could not be written in ways that cannot be told from a file of the log,
or only when the process has ended.  Here what cannot be printed is an error of its own, and whoever
does not read what is said on standard error keeps nobody from working.
"""

import atexit
import contextlib
import errno
import io
import os
import select
import sys
import threading
from collections import deque
from typing import Final, TextIO

from controller.errors import OutputLost

OUTPUT: Final = 1
ERROR: Final = 2

AT_ONCE: Final = 64 * 1024
"""Bytes that are collected before they are written."""

MOST_WAITING: Final = 1024 * 1024
"""Bytes that wait for somebody who reads standard error; beyond that lines are left out."""

LAST_WORDS_WITHIN: Final = 2.0
"""Seconds that a process which ends gives them."""


def take_over() -> None:
    """Make this process's standard streams its own; for a program, before anything else.

    A stream that was closed before is nowhere from now on: the number of its descriptor must not
    become that of the next file that is opened, which may be the log.
    """
    closed = [fd for fd in (0, OUTPUT, ERROR) if _is_closed(fd)]
    for fd in closed:
        _lead_nowhere(fd)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False, encoding="utf-8")  # noqa: SIM115 - a descriptor
    sys.stdout = _text(_Output(closed=OUTPUT in closed), sys.stdout)
    sys.stderr = _text(_Error(), sys.stderr)


def wait_for_nobody() -> None:
    """From now on nobody who does not read standard error can make this process wait.

    For a table: a pipe that is full, or a terminal that was stopped, must not stop a card.  Lines
    are written by a thread; those that find no room are left out, and how many is said.
    """
    raw = _raw_of(sys.stderr)
    if isinstance(raw, _Error):  # not that of somebody who calls us, as a test does
        sys.stderr = _text(_Unhindered(), sys.stderr)


def _raw_of(stream: TextIO) -> object:
    return getattr(getattr(stream, "buffer", None), "raw", None)


def _is_closed(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return True
    return False


def _lead_nowhere(fd: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != fd:
        os.dup2(nowhere, fd)
        os.close(nowhere)


def _text(raw: "_Standard", before: TextIO | None) -> TextIO:
    error = raw.fd == ERROR
    return io.TextIOWrapper(
        io.BufferedWriter(raw, AT_ONCE),
        encoding=before.encoding if before else "utf-8",
        errors="backslashreplace" if error else before.errors if before else None,
        line_buffering=error or raw.isatty(),
    )


class _Standard(io.RawIOBase):
    """One of the two, byte by byte."""

    fd: int

    def fileno(self) -> int:
        return self.fd

    def isatty(self) -> bool:
        return os.isatty(self.fd)

    def writable(self) -> bool:
        return True


class _Output(_Standard):
    """Standard output: what can't be written is said once, and then nothing is tried any more."""

    fd = OUTPUT

    def __init__(self, *, closed: bool) -> None:
        self._closed = closed
        self._lost = False
        self._is_terminal = self.isatty()

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        """Write some of it.

        Raises:
            OutputLost: it can't be written.
        """
        if self._lost:
            return len(data)  # left in a buffer: it has nowhere to go
        self._lost = True
        if self._closed:
            raise OutputLost("it is closed")
        try:
            written = _write(self.fd, data)
        except OSError as fault:
            left = isinstance(fault, BrokenPipeError) or self._terminal_is_gone(fault)
            raise OutputLost(fault.strerror or str(fault), reader_left=left) from None
        self._lost = False
        return written

    def _terminal_is_gone(self, fault: OSError) -> bool:
        return fault.errno == errno.EIO and self._is_terminal


class _Error(_Standard):
    """Standard error: what can't be written there has nowhere to be told."""

    fd = ERROR

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        """Write some of it, if it can be."""
        try:
            return _write(self.fd, data)
        except OSError:
            return len(data)


class _Unhindered(_Standard):
    """Standard error of a table: written by a thread, so that only the thread ever waits."""

    fd = ERROR

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._left_out = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._pass_on, name="stderr", daemon=True).start()
        # Not by whoever ends the program: a traceback comes after that.
        atexit.register(self._finish)

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        """Have it written when there is room for it."""
        with self._changed:
            if self._size + len(data) > MOST_WAITING:
                self._left_out += bytes(data).count(b"\n")
            else:
                self._waiting.append(bytes(data))
                self._size += len(data)
                self._changed.notify_all()
        return len(data)

    def _pass_on(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                data = self._waiting[0]
                if self._left_out:
                    data += b"%d lines were left out here: nobody read them\n" % self._left_out
                    self._left_out = 0
            rest = memoryview(data)
            with contextlib.suppress(OSError):  # whoever read it is gone
                while rest:
                    rest = rest[_write(self.fd, rest) :]
            with self._changed:
                self._size -= len(self._waiting.popleft())
                self._changed.notify_all()

    def _finish(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting, LAST_WORDS_WITHIN)


def _write(fd: int, data: "bytes | bytearray | memoryview") -> int:
    """Write some of it; wait where others have set that a descriptor does not wait."""
    while True:
        try:
            return os.write(fd, data)
        except BlockingIOError:
            select.select([], [fd], [])
