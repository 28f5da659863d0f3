"""A device's end of a serial line: a pty behind a name that stays when the node changes."""

import asyncio
import fcntl
import os
import struct
import termios
import tty
from collections.abc import Callable
from pathlib import Path

MOST_UNREAD = 3000
"""Bytes a host may leave unread; then they are lost, as with a real line that nobody listens to."""

_READ_AT_ONCE = 4096

_NO_HOST_SPEED = termios.B50
"""A speed that no host asks for."""

_OUTPUT_SPEED = 5
"""Its place in the settings of a terminal; that of the input is before it."""


class PtyEnd:
    """One line; plugged in or not."""

    def __init__(self, path: Path, received: Callable[[bytes], None]) -> None:
        """Take the name of the line, and who gets what the host sends."""
        self._path = path
        self._received = received
        self._ends: tuple[int, int] | None = None

    @property
    def plugged(self) -> bool:
        """Whether there is a node."""
        return self._ends is not None

    @property
    def has_host(self) -> bool:
        """Whether a host has opened the line: it has given it a speed of its own."""
        return self._ends is not None and _speed(self._ends[1]) != _NO_HOST_SPEED

    def plug(self) -> None:
        """Make a new node, and let the name lead to it."""
        if self._ends is not None:
            return
        master, slave = os.openpty()
        tty.setraw(slave)
        _set_speed(slave, _NO_HOST_SPEED)
        os.set_blocking(master, False)
        # This slave stays open: without one, a master can neither be written nor waited for.
        self._ends = master, slave
        asyncio.get_running_loop().add_reader(master, self._readable, master)
        fresh = self._path.with_name(self._path.name + ".new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(os.ttyname(slave))
        fresh.replace(self._path)

    def unplug(self) -> None:
        """Take the name away and the node with it."""
        if self._ends is None:
            return
        (master, slave), self._ends = self._ends, None
        self._path.unlink(missing_ok=True)
        asyncio.get_running_loop().remove_reader(master)
        os.close(master)
        os.close(slave)

    def send(self, pieces: list[bytes]) -> bool:
        """Send *pieces*, each with one write; return whether there is a node to send them to."""
        if self._ends is None:
            return False
        master, slave = self._ends
        for piece in pieces:
            if _unread(slave) + len(piece) > MOST_UNREAD:
                termios.tcflush(slave, termios.TCIFLUSH)
            try:
                os.write(master, piece)
            except BlockingIOError:
                termios.tcflush(slave, termios.TCIFLUSH)
        return True

    def _readable(self, master: int) -> None:
        try:
            data = os.read(master, _READ_AT_ONCE)
        except BlockingIOError:
            return
        self._received(data)


def _speed(slave: int) -> int:
    return int(termios.tcgetattr(slave)[_OUTPUT_SPEED])


def _set_speed(slave: int, speed: int) -> None:
    settings = termios.tcgetattr(slave)
    settings[_OUTPUT_SPEED - 1] = settings[_OUTPUT_SPEED] = speed
    termios.tcsetattr(slave, termios.TCSANOW, settings)


def _unread(slave: int) -> int:
    (count,) = struct.unpack("i", fcntl.ioctl(slave, termios.FIONREAD, bytes(4)))
    return int(count)
