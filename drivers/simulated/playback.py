"""A device that says what a device once said: a capture, played back with its own timing.

What the host was sent then is sent again; where the host spoke then, it is waited until it has said
as much now.  A line that was lost is pulled again, and put back after the same time.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from drivers.capture import Captured, read_capture
from drivers.simulated import requests as ask
from drivers.simulated.benched import Answer, BenchedSerial
from drivers.simulated.cable import Cable
from drivers.simulated.line import Place
from drivers.simulated.refused import Refused

HOST_WITHIN = 5.0
"""Seconds that are waited for what the host said then, before going on without."""

READ_WITHIN = 0.5
"""Seconds before a line is pulled: what stands in the capture was read, so it has to be now."""

LOOK_EVERY = 0.02


def load_capture(file: Path) -> list[Captured]:
    """Return the lines of *file*.

    Raises:
        Refused: it cannot be read, or is no capture.

    """
    try:
        return read_capture(file)
    except (OSError, ValueError) as error:
        raise Refused(str(error)) from error


class BenchedPlayback(BenchedSerial):
    """A capture, on a pty."""

    def __init__(self, place: Place, lines: Sequence[Captured]) -> None:
        """Take where it is to be found, and what happened then."""
        super().__init__(place, Cable(copies=1, wrong_check=None))
        self._lines = lines
        self._at = 0
        self._heard = 0
        self._playing: asyncio.Task[None] | None = None

    async def plug(self) -> None:
        """Make the node; it begins when a host has opened it."""
        self._line.plug()
        if self._playing is None:
            self._begin(wait_for_host=True)

    def unplug(self) -> None:
        """Take the node away, and stop."""
        self._line.unplug()
        if self._playing is not None:
            self._playing.cancel()
            self._playing = None

    def _begin(self, *, wait_for_host: bool) -> None:
        self._at = self._heard = 0
        self._playing = asyncio.create_task(self._play(wait_for_host=wait_for_host))

    async def _play(self, *, wait_for_host: bool) -> None:
        expected, then = 0, 0.0
        if wait_for_host:
            await self._until_opened()
        for line in self._lines:
            if line.direction == "out":
                expected += len(line.data)
                await self._until_heard(expected)
            elif self._at:
                await asyncio.sleep(max(0.0, line.t - then))
            self._at, then = self._at + 1, line.t
            match line.direction:
                case "in":
                    self._line.send_raw(line.data)
                case "lost":
                    await asyncio.sleep(READ_WITHIN)
                    self._line.unplug()
                case "open" if not self._line.plugged:
                    self._line.plug()
                    await self._until_opened()
                case _:
                    pass

    async def _until_opened(self) -> None:
        # A pty tells nobody that it was opened, so it has to be looked at.
        while not self._line.has_host:  # noqa: ASYNC110
            await asyncio.sleep(LOOK_EVERY)
        # Whoever opens a serial line drops what was there before, at the very end of opening.
        await asyncio.sleep(5 * LOOK_EVERY)

    async def _until_heard(self, expected: int) -> None:
        waited = 0.0
        while self._heard < expected and waited < HOST_WITHIN:
            await asyncio.sleep(LOOK_EVERY)
            waited += LOOK_EVERY

    def _status(self) -> Answer:
        return {"at": self._at, "of": len(self._lines)}

    async def _answer(self, request: ask.Request) -> Answer:
        if not isinstance(request, ask.Restart):
            raise Refused("a playback cannot do that; restart lets it begin again")
        if self._playing is not None:
            self._playing.cancel()
        self._line.plug()
        self._begin(wait_for_host=False)
        return {}

    def _received(self, data: bytes) -> None:
        self._heard += len(data)
