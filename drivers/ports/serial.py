"""Serial lines; with `usb` the only code that knows a library for ports.

pyserial fails in three unrelated ways (its own exception, plain `OSError`, `termios.error`), and
after any of them the object is of no more use; ``is_open`` stays true after an unplug and is never
asked.  Nothing here flushes or drains: both can wait for ever for a device that is gone.
"""

import errno
import fcntl
import os
import select
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import serial

from drivers.errors import LinkLost
from drivers.ports.holders import PTY_MAJORS, who_holds
from drivers.ports.refused import why_refused
from drivers.profiles import LineProfile

WRITE_WITHIN = 1.0
MOST_AT_ONCE = 4096

_FAILURES = (serial.SerialException, OSError, termios.error)


class SerialPort:
    """One serial line, from opening to unplug."""

    def __init__(self, path: Path, line: LineProfile) -> None:
        """Take the node and the line settings; touches nothing yet."""
        self._path = path
        self._line = line
        self._serial: serial.Serial | None = None
        self._poll = select.poll()
        self._settings: list[object] = []
        self.identity = ""

    def open(self) -> None:
        """Open the line for this programme alone.

        Raises:
            LinkLost: no such node, no right to it, in use, not a serial line, or a setting refused.

        """
        port = serial.Serial(
            baudrate=self._line.baud,
            bytesize=int(self._line.framing[0]),
            parity=self._line.framing[1],
            stopbits=int(self._line.framing[2]),
            timeout=0,
            write_timeout=WRITE_WITHIN,
            exclusive=True,
        )
        # Modem lines are set before the port is opened: a change afterwards resets some devices.
        if self._line.dtr is not None:
            port.dtr = self._line.dtr
        if self._line.rts is not None:
            port.rts = self._line.rts
        port.port = str(self._path)
        try:
            port.open()
        except _FAILURES as error:
            raise LinkLost(self._why_not_open(error)) from error
        self._serial = port
        with self._lost_if_it_fails():
            descriptor = port.fileno()
            self._poll.register(descriptor, select.POLLIN)
            self._settings = termios.tcgetattr(descriptor)
            if not _is_pty(descriptor):
                claim_exclusively(descriptor)
        if self._line.low_latency:
            self._ask_for_low_latency(port)

    def _ask_for_low_latency(self, port: serial.Serial) -> None:
        try:
            port.set_low_latency_mode(True)
        except (ValueError, *_FAILURES):
            # The line works without it, a little later; say so where the technician looks.
            self.identity = "low latency refused"

    def read(self, timeout: float) -> bytes:
        """Return what has arrived within *timeout* seconds, b"" if nothing.

        Raises:
            LinkLost: the line is gone, or another program changed its settings.

        """
        with self._lost_if_it_fails():
            port = self._opened()
            if self._poll.poll(max(0.0, timeout) * 1000):
                return port.read(MOST_AT_ONCE)
            if termios.tcgetattr(port.fileno()) != self._settings:
                raise LinkLost(f"{self._path}: another program changed the settings of the line")
            return b""

    def write(self, data: bytes) -> None:
        """Send all of *data*.

        Raises:
            LinkLost: the line is gone, or took longer than a second.

        """
        with self._lost_if_it_fails():
            self._opened().write(data)

    def initial(self) -> bytes | None:
        """Return None: a line has no state to ask for."""
        return None

    def close(self) -> None:
        """Close the line once; closing again does nothing."""
        port, self._serial = self._serial, None
        if port is not None:
            with suppress(*_FAILURES):
                port.close()

    def _opened(self) -> serial.Serial:
        if self._serial is None:
            raise LinkLost(f"{self._path} is closed")
        return self._serial

    @contextmanager
    def _lost_if_it_fails(self) -> Iterator[None]:
        try:
            yield
        except _FAILURES as error:
            gone = "" if self._path.exists() else ", and its node is gone"
            raise LinkLost(f"{self._path}: {error}{gone}") from error

    def _why_not_open(self, error: Exception) -> str:
        line = f"{self._line.baud} {self._line.framing}"
        match _number(error):
            case errno.ENOENT | errno.ENXIO | errno.ENODEV:
                return f"{self._path} is not there; is the device plugged in?"
            case (errno.EACCES | errno.EPERM) as number:
                return f"{self._path}: {why_refused(number)}"
            case errno.EBUSY | errno.EAGAIN:
                return f"{self._path} is in use by {who_holds(self._path)}"
            case errno.ENOTTY:
                return f"{self._path} is not a serial line"
            case errno.EINVAL:
                return f"{self._path} does not take the line settings {line}"
            case _:
                return f"{self._path}: {error}"


def _number(error: BaseException | None) -> int | None:
    """Find the errno: pyserial puts it into text, but the first cause has it as an argument."""
    while error is not None:
        for value in error.args:
            if isinstance(value, int):
                return value
        error = error.__context__
    return None


def claim_exclusively(descriptor: int) -> None:
    """Let nobody else open this line, not even a program that knows nothing of locks."""
    fcntl.ioctl(descriptor, termios.TIOCEXCL)


def _is_pty(descriptor: int) -> bool:
    # A pty keeps the mark while its other end lives, which would lock out our own next start after
    # a kill; pyserial's file lock is enough among programs that use ptys.
    return os.major(os.fstat(descriptor).st_rdev) in PTY_MAJORS
