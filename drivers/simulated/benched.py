"""What stands on the bench: devices with their cables, and what can be asked of them."""

import asyncio
from abc import ABC, abstractmethod

from drivers.simulated import requests as ask
from drivers.simulated.cable import Cable
from drivers.simulated.line import Line, Place
from drivers.simulated.pack import require_card
from drivers.simulated.refused import Refused

Answer = dict[str, object]

LONGEST_HOLD = 60.0
UNREADABLE = "??"


class Benched(ABC):
    """A device on the bench."""

    port: str
    """How its port is spelled in the settings of a table."""

    @abstractmethod
    async def plug(self) -> None:
        """Put the cable in."""

    @abstractmethod
    def unplug(self) -> None:
        """Pull the cable."""

    @abstractmethod
    def status(self) -> Answer:
        """Return how it is."""

    @abstractmethod
    async def answer(self, request: ask.Request) -> Answer:
        """Do what is asked.

        Raises:
            Refused: it cannot be done, or not with this kind of device.

        """


class BenchedSerial(Benched):
    """A device on a serial line; subclasses say what it is."""

    beats_every: float | None = None
    """Seconds between heartbeats, None if it has none."""

    def __init__(self, place: Place, cable: Cable) -> None:
        """Take where it is to be found, and its cable."""
        self.port = place.spelled
        self._line = Line(place, cable, self._received)
        self._beating: asyncio.TimerHandle | None = None

    async def plug(self) -> None:
        """Make the node."""
        self._line.plug()
        if self.beats_every is not None and self._beating is None:
            self._beat_later()

    def unplug(self) -> None:
        """Take the node away; the device goes on, but nobody is told."""
        self._line.unplug()
        if self._beating is not None:
            self._beating.cancel()
            self._beating = None

    def status(self) -> Answer:
        """Return how it is."""
        return {"plugged": self._line.plugged, **self._status(), "switches": self._switches()}

    async def answer(self, request: ask.Request) -> Answer:
        """Do what is asked.

        Raises:
            Refused: it cannot be done, or not with this kind of device.

        """
        match request:
            case ask.Raw(hex=text):
                return {"sent": self._line.send_raw(bytes_in(text))}
            case ask.Switch(name=name, value=value):
                self._set(name, value)
                return {}
            case _:
                return await self._answer(request)

    def _beat_later(self) -> None:
        assert self.beats_every is not None
        loop = asyncio.get_running_loop()
        self._beating = loop.call_later(self.beats_every, self._beat)

    def _beat(self) -> None:
        self._line.send(self._heartbeat())
        self._beat_later()

    def _heartbeat(self) -> list[bytes]:
        return []

    def _switches(self) -> dict[str, object]:
        return self._line.switches

    def _set(self, name: str, value: float | str | bool | None) -> None:  # noqa: FBT001
        self._line.set(name, value)

    @abstractmethod
    def _received(self, data: bytes) -> None:
        """Take what the host sends."""

    @abstractmethod
    def _status(self) -> Answer:
        """Return how the device is, but for its line."""

    @abstractmethod
    async def _answer(self, request: ask.Request) -> Answer:
        """Do what only this kind of device can.

        Raises:
            Refused: it cannot be done, or not with this kind of device.

        """


def readable(card: str) -> str | None:
    """Return the card that is meant, None for one that cannot be read.

    Raises:
        Refused: it is no card.

    """
    if card == UNREADABLE:
        return None
    require_card(card)
    return card


def bytes_in(text: str) -> bytes:
    """Return the bytes that *text* has in hexadecimal.

    Raises:
        Refused: it is not hexadecimal.

    """
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise Refused(f"hex must be bytes in hexadecimal, not {text[:40]!r}") from None


def require_hold(hold: float) -> None:
    """Check how long a control is to be held.

    Raises:
        Refused: longer than anybody would.

    """
    if not 0 <= hold <= LONGEST_HOLD:
        raise Refused(f"hold is from 0 to {LONGEST_HOLD:.0f} seconds, not {hold}")
