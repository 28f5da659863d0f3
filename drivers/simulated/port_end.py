"""A device's end of a serial line that is there already: a null-modem cable to the host, say."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import serial

from drivers.simulated.refused import Refused

_READ_AT_ONCE = 4096


class PortEnd:
    """One port; open while the device is plugged in."""

    def __init__(self, port: Path, baud: int, received: Callable[[bytes], None]) -> None:
        """Take the port's node, its speed, and who gets what the host sends."""
        self._path = port
        self._baud = baud
        self._received = received
        self._port: serial.Serial | None = None

    @property
    def plugged(self) -> bool:
        """Whether the port is open."""
        return self._port is not None

    @property
    def has_host(self) -> bool:
        """Whether the port is open: who is at its other end cannot be known."""
        return self._port is not None

    def plug(self) -> None:
        """Open the port.

        Raises:
            Refused: it cannot be opened.

        """
        if self._port is not None:
            return
        try:
            self._port = serial.Serial(
                str(self._path), self._baud, timeout=0, write_timeout=1.0, exclusive=True
            )
        except (OSError, ValueError) as error:
            raise Refused(f"{self._path} cannot be opened: {error}") from error
        asyncio.get_running_loop().add_reader(self._port.fileno(), self._readable)

    def unplug(self) -> None:
        """Close the port."""
        port, self._port = self._port, None
        if port is None:
            return
        asyncio.get_running_loop().remove_reader(port.fileno())
        with suppress(OSError):
            port.close()

    def send(self, pieces: list[bytes]) -> bool:
        """Send *pieces*; return whether the port is open and took them."""
        if self._port is None:
            return False
        try:
            for piece in pieces:
                self._port.write(piece)
        except OSError:  # of which pyserial's own are some
            self.unplug()
            return False
        return True

    def _readable(self) -> None:
        assert self._port is not None
        try:
            data = self._port.read(_READ_AT_ONCE)
        except OSError:
            self.unplug()
            return
        self._received(data)
