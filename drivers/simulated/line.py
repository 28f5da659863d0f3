"""A device's side of a serial line: where it ends, the cable on the way, and what takes time.

`drivers.simulated.cable` damages frames; this pulls the cable, is slow, and sends things back.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from drivers.simulated.cable import SWITCHES as CABLE_SWITCHES
from drivers.simulated.cable import Cable
from drivers.simulated.port_end import PortEnd
from drivers.simulated.pty_end import PtyEnd
from drivers.simulated.refused import Refused

SWITCHES: Mapping[str, str] = {
    "delay": "every frame comes so many milliseconds late",
    "slow": "so many milliseconds between any two bytes",
    "half": "half of the next frame, then the cable is pulled, once",
    "unplug-after": "after so many more bytes the cable is pulled, also over a replug, once",
    "echo": "what the host sends comes back to it",
}
"""Name to meaning; None, false and 0 switch off, but for unplug-after."""


class End(Protocol):
    """Where a line ends: a pty of its own, or a port that is there already."""

    @property
    def plugged(self) -> bool:
        """Whether a host can reach the device."""

    @property
    def has_host(self) -> bool:
        """Whether a host has opened the line, as far as can be known."""

    def plug(self) -> None:
        """Let a host reach the device."""

    def unplug(self) -> None:
        """Let no host reach it."""

    def send(self, pieces: list[bytes]) -> bool:
        """Send *pieces*; return whether there was anything to send them to."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a device on the bench is to be found."""

    path: Path
    """The name of its line, or of its socket."""
    state: Path | None = None
    """The file that keeps its cards over a restart."""
    port: Path | None = None
    """A serial port that is there already, to be used instead of a pty at ``path``."""
    baud: int = 9600
    """The speed of that port."""

    @property
    def spelled(self) -> str:
        """How a host's settings spell a serial line here."""
        return str(self.path if self.port is None else self.port)

    def end(self, received: Callable[[bytes], None]) -> End:
        """Return the end of a serial line."""
        if self.port is not None:
            return PortEnd(self.port, self.baud, received)
        return PtyEnd(self.path, received)


class Line:
    """One serial line with its cable."""

    def __init__(self, place: Place, cable: Cable, received: Callable[[bytes], None]) -> None:
        """Take where it ends, the cable, and who gets what the host sends."""
        self._cable = cable
        self._received = received
        self._end = place.end(self._arrived)
        self._own: dict[str, int] = {}
        self._queue: deque[bytes] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def plugged(self) -> bool:
        """Whether a host can reach the device."""
        return self._end.plugged

    @property
    def has_host(self) -> bool:
        """Whether a host has opened the line, as far as can be known."""
        return self._end.has_host

    @property
    def switches(self) -> dict[str, object]:
        """The switches that are on, with their values."""
        return {**self._cable.switches, **self._own}

    def plug(self) -> None:
        """Put the cable in."""
        self._end.plug()
        if self._own.get("unplug-after") == 0:
            self._pull()

    def unplug(self) -> None:
        """Pull the cable; what was still on its way is lost."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._queue.clear()
        self._end.unplug()

    def set(self, name: str, value: float | str | bool | None) -> None:  # noqa: FBT001
        """Set a switch of the line or its cable.

        Raises:
            Refused: there is no such switch, or it does not take this value.

        """
        if name not in SWITCHES:
            if name not in CABLE_SWITCHES:
                there = {**CABLE_SWITCHES, **SWITCHES}
                known = "; ".join(f"{each}: {meaning}" for each, meaning in there.items())
                raise Refused(f"there is no switch {name!r}; there are {known}")
            self._put(self._cable.set(name, value))
            return
        if value is not None and (not isinstance(value, int) or value < 0):
            raise Refused(f"{name} must be true, false or a whole number, not {value!r}")
        self._own.pop(name, None)
        if value or (name == "unplug-after" and value is not None and value is not False):
            self._own[name] = int(value)

    def send(self, frames: list[bytes]) -> bool:
        """Send *frames* through the cable; return whether there is a host to send them to."""
        if not self._end.plugged:
            return False
        if frames and self._own.pop("half", 0):
            self._put([frames[0][: len(frames[0]) // 2]])
            self._pull()
            return False
        return self._put(self._cable.carry(frames))

    def send_raw(self, data: bytes) -> bool:
        """Send *data* as it is, past all switches; return whether there is a host."""
        return self._end.send([data])

    def _arrived(self, data: bytes) -> None:
        if self._own.get("echo"):
            self._put([data])
        self._received(data)

    def _put(self, pieces: list[bytes]) -> bool:
        if "slow" in self._own:
            pieces = [bytes([byte]) for piece in pieces for byte in piece]
        if self._timer is not None or ({"slow", "delay"} & self._own.keys() and pieces):
            self._queue += pieces
            if self._timer is None:
                self._wait(self._own.get("delay", 0))
            return self._end.plugged
        return self._leave(pieces)

    def _wait(self, milliseconds: int) -> None:
        self._timer = asyncio.get_running_loop().call_later(milliseconds / 1000, self._next)

    def _next(self) -> None:
        self._timer = None
        self._leave([self._queue.popleft()])
        if self._queue:
            self._wait(self._own.get("slow", 0))

    def _leave(self, pieces: list[bytes]) -> bool:
        for piece in pieces:
            left = self._own.get("unplug-after")
            if left is None:
                self._end.send([piece])
                continue
            self._end.send([piece[:left]] if left else [])
            self._own["unplug-after"] = max(0, left - len(piece))
            if left <= len(piece):
                self._pull()
                return False
        return self._end.plugged

    def _pull(self) -> None:
        self._own.pop("unplug-after", None)
        self.unplug()
