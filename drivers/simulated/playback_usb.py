"""A pedal or keypad that presses what was once pressed: a capture of a USB device, played back.

Each report comes after the same time as then.  A unit that was lost is pulled again, and put back
after the same time.
"""

import asyncio
from collections.abc import Sequence

from drivers.capture import Captured
from drivers.hid import REPORT_LENGTH
from drivers.ports.simulated_wire import Description
from drivers.simulated import requests as ask
from drivers.simulated.benched import Answer, Benched
from drivers.simulated.line import Place
from drivers.simulated.refused import Refused
from drivers.simulated.usb_end import UsbEnd

LOOK_EVERY = 0.02


class BenchedReports(Benched):
    """A capture of reports, on a USB socket."""

    def __init__(self, place: Place, unit: Description, lines: Sequence[Captured]) -> None:
        """Take where it is to be found, what enumeration shows, and what happened then."""
        path = place.path.with_name(place.path.name + ".usb")
        self.port = f"simulated:{path}"
        self._lines = lines
        self._at = 0
        self._last = bytes(REPORT_LENGTH)
        self._end = UsbEnd(path, unit, lambda: self._last, {})
        self._playing: asyncio.Task[None] | None = None

    async def plug(self) -> None:
        """Make the node; it begins when a host has the interface."""
        await self._end.plug()
        if self._playing is None:
            self._begin()

    def unplug(self) -> None:
        """Take the node away, and stop."""
        self._end.unplug()
        self._stop()

    def status(self) -> Answer:
        """Return how far it is."""
        return {"plugged": self._end.plugged, "at": self._at, "of": len(self._lines)}

    async def answer(self, request: ask.Request) -> Answer:
        """Begin again.

        Raises:
            Refused: anything else is asked.

        """
        if not isinstance(request, ask.Restart):
            raise Refused("a playback cannot do that; restart lets it begin again")
        self._stop()
        await self._end.plug()
        self._begin()
        return {}

    def _begin(self) -> None:
        self._at, self._last = 0, bytes(REPORT_LENGTH)
        self._playing = asyncio.create_task(self._play())

    def _stop(self) -> None:
        if self._playing is not None:
            self._playing.cancel()
            self._playing = None

    async def _play(self) -> None:
        then = 0.0
        await self._until_claimed()
        for line in self._lines:
            await asyncio.sleep(max(0.0, line.t - then))
            self._at, then = self._at + 1, line.t
            match line.direction:
                case "in":
                    self._last = line.data
                    await self._end.send(line.data)
                case "lost":
                    self._end.unplug()
                case "open" if not self._end.plugged:
                    await self._end.plug()
                    await self._until_claimed()
                case _:
                    pass

    async def _until_claimed(self) -> None:
        while not self._end.has_host:  # noqa: ASYNC110
            await asyncio.sleep(LOOK_EVERY)
