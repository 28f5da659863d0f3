"""Whether the right device is at a port: its driver listens until it says something."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final, NamedTuple

from controller.setup.answers import Person
from drivers.attend import Attended
from drivers.driver import Driver
from drivers.events import DeviceEvent, MeterSilent

LISTEN_FOR: Final = 30.0
"""Seconds that a device has to say something."""
CLOSED_AFTER: Final = 2.0
"""Seconds after which a port that does not open is given up."""
LOOK_EVERY: Final = 0.2


class Heard(NamedTuple):
    """What came of listening."""

    said: str
    """What the device said, in a word; "" if nothing."""
    event: DeviceEvent | None
    """The event of it, None if it has only answered."""
    line: str | None
    """What the person typed instead."""
    why: str
    """Why nothing came, "" if that is not known."""


class Ear:
    """A device that is attended, and what it says."""

    def __init__(self, device: Attended, events: "asyncio.Queue[DeviceEvent]") -> None:
        self._device = device
        self._events = events

    async def hear(
        self,
        wanted: Callable[[DeviceEvent], bool],
        person: Person,
        *,
        an_answer_will_do: bool = False,
    ) -> Heard:
        """Wait for an event that is wanted, or for a line; give up when nothing comes.

        ``an_answer_will_do`` is for a device that is asked, and tells nothing by itself.
        """
        loop = asyncio.get_running_loop()
        begun = loop.time()
        while (waited := loop.time() - begun) < LISTEN_FOR:
            while not self._events.empty():
                event = self._events.get_nowait()
                if wanted(event):
                    return Heard(str(event.__struct_config__.tag), event, None, "")
                if isinstance(event, MeterSilent):
                    return Heard("", None, None, event.why)
            if an_answer_will_do and self._device.health().counters["frames"]:
                return Heard("it answers", None, None, "")
            if waited > CLOSED_AFTER and self._device.health().state in {"waiting", "lost"}:
                break
            line = await person.line_within(LOOK_EVERY)
            if line is not None:
                return Heard("", None, line, "")
        return Heard("", None, None, self._why())

    def _why(self) -> str:
        health = self._device.health()
        if health.state in {"waiting", "lost"}:
            return health.detail
        counters = health.counters
        if counters["ignored"]:
            return "it says things that its driver has no name for: are its options right?"
        if counters["bytes_skipped"] or counters["bad_check"] or counters["bad_frame"]:
            return "what comes is not understood: another make, or other line settings?"
        return health.detail


@contextlib.asynccontextmanager
async def listening(
    name: str, driver: Driver, port: str, options: Mapping[str, Any]
) -> AsyncIterator[Ear]:
    """Attend a device for a while.

    Raises:
        OptionError: the port or an option is wrong.
    """
    events: asyncio.Queue[DeviceEvent] = asyncio.Queue()
    device = Attended(name, driver, port, options)
    attending = asyncio.create_task(device.run(lambda _, event: events.put_nowait(event)))
    try:
        yield Ear(device, events)
    finally:
        attending.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await attending
