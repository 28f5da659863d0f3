"""One device's life, the same for all: open, listen, lose, wait, open again.

Everything that blocks runs in a thread of this device's own, so that a cable kicked out under one
device is noticed by nobody else.
"""

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from drivers.backoff import Backoff
from drivers.capture import Capture
from drivers.commands import DeviceCommand
from drivers.driver import Driver
from drivers.errors import LinkLost, OptionError
from drivers.events import DeviceEvent, Fault, FaultCleared, Lost, Online
from drivers.health import Health, State
from drivers.ports import port_for
from drivers.ports.spec import parse_spec
from drivers.session import Session
from drivers.spoiled import NOT_UNDERSTOOD, NOTHING_YET
from drivers.worker import in_thread

CLOSE_WITHIN = 1.5
"""Seconds a port has to close; after that its thread is left to itself."""

STALLED_AFTER = 5.0
"""Seconds a call of a port may take before health tells of it."""

WRITE_WITHIN = 2.0
"""Seconds a command has to leave."""

Tell = Callable[[str, DeviceEvent], None]


class Attended:
    """A device that is kept alive, and tells what happens to it."""

    def __init__(
        self,
        name: str,
        driver: Driver,
        port_spec: str,
        options: Mapping[str, object],
        *,
        clock: Callable[[], float] = time.monotonic,
        capture: Path | None = None,
    ) -> None:
        """Take the device's name at this table, its driver, its port and its driver's options.

        Into *capture* goes every byte of its line (see `drivers.capture`).

        Raises:
            OptionError: an option or the port is wrong, or of a kind this driver does not use.

        """
        kind = parse_spec(port_spec).kind
        if kind not in driver.ports:
            uses = " or ".join(sorted(driver.ports))
            raise OptionError(f"{name}: {driver.name} uses a {uses} port, not {port_spec!r}")
        self.name = name
        self._driver = driver
        self._port_spec = port_spec
        self._line = driver.line(options)
        self._codec = driver.codec(options)
        self._clock = clock
        self._capture = None if capture is None else Capture(capture, clock)
        self._backoff = Backoff()
        self._session: Session | None = None
        self._writing = asyncio.Lock()
        self._state: State = "waiting"
        self._since = clock()
        self._detail = ""
        self._only_noise = ""
        """Why nothing is understood though the link is up, "" while something is."""
        self._noise_since = 0.0
        self._times_online = 0

    async def run(self, tell: Tell) -> None:
        """Attend the device until cancelled; *tell* is called on the event loop.

        Raises:
            LocalProtocolError: this side broke the device's protocol, which is a mistake of ours.

        """
        while True:
            await self._one_session(tell)
            await asyncio.sleep(self._backoff.pause(self._clock()))

    async def _one_session(self, tell: Tell) -> None:
        port = port_for(self._port_spec, self._line, self._driver.usb)
        session = Session(port, self._codec, self._online, self._clock, self._capture)
        life = in_thread(f"device {self.name}", session.live)
        self._session = session
        try:
            while (event := await session.next_event()) is not None:
                self._note(event)
                tell(self.name, event)
            if self._state in {"waiting", "lost"}:
                heard = NOTHING_YET if self._hears_only_noise(session) else ""
                why = ". ".join(filter(None, [session.why_over, heard]))
                self._detail = self._with_flapping(why)
        finally:
            self._session = None
            session.leave()
            done, _ = await asyncio.wait({life}, timeout=CLOSE_WITHIN)
        if done:
            life.result()
        else:
            self._detail += "; its port has not closed yet"

    def _online(self, identity: str) -> Online:
        return Online(self._port_spec, self._driver.name, identity)

    def _note(self, event: DeviceEvent) -> None:
        if isinstance(event, Online):
            self._times_online += 1
            self._enter("online", event.identity)
        elif isinstance(event, Lost):
            self._backoff.lost(self._clock())
            self._enter("lost", self._with_flapping(event.why))
        elif isinstance(event, Fault) and event.code == NOT_UNDERSTOOD:
            self._only_noise, self._noise_since = event.text, self._clock()
        elif isinstance(event, FaultCleared) and event.code == NOT_UNDERSTOOD:
            self._only_noise = ""
        elif isinstance(event, Fault) and self._state != "online":
            self._detail = event.text

    def _enter(self, state: State, detail: str) -> None:
        self._state, self._since, self._detail = state, self._clock(), detail
        self._only_noise = ""

    def _with_flapping(self, why: str) -> str:
        now = self._clock()
        if losses := self._backoff.flapping(now):
            pause = self._backoff.pause(now)
            return f"{why}; lost {losses} times lately, so {pause:.0f} s between attempts"
        return why

    async def send(self, command: DeviceCommand, command_id: int | None = None) -> None:
        """Send *command*; done when the bytes have left, or wait in the codec for their turn.

        A device that acknowledges answers a *command_id* by one `drivers.events.Acknowledged` or
        `drivers.events.NotAcknowledged`, or else `drivers.events.Lost` ends the matter: whether
        the command was carried out is unknown then.

        Raises:
            LocalProtocolError: the device has no such command, or they are switched off.
            LinkLost: the link is down, or broke in the attempt; whether it arrived is unknown then.

        """
        async with self._writing:
            session = self._session
            if session is None or not session.is_online:
                raise LinkLost(f"{self.name} is not connected, {type(command).__name__} not sent")
            data = session.encode(command, command_id)
            writing = in_thread(f"device {self.name} write", lambda: session.write(data))
            try:
                await asyncio.wait_for(writing, WRITE_WITHIN)
            except TimeoutError:
                why = f"{type(command).__name__} did not leave within {WRITE_WITHIN:.0f} s"
                session.stop(why)
                raise LinkLost(f"{self.name}: {why}") from None

    def _hears_only_noise(self, session: Session) -> bool:
        """Tell whether a line, on which anything may hang, says nothing of this device's."""
        return "serial" in self._driver.ports and session.is_only_noise

    def health(self) -> Health:
        """Return how the device is at this moment."""
        state, since, detail = self._state, self._since, self._detail
        if self._session is not None:
            now = self._clock()
            silent_for = now - self._session.alive_at
            if silent_for > STALLED_AFTER:
                detail = f"its port has not returned for {silent_for:.0f} s"
            quiet_since = self._session.good_at + (self._driver.quiet_after or math.inf)
            if state == "online" and now >= quiet_since:
                state, since = "quiet", quiet_since
            if state in {"online", "quiet"} and self._hears_only_noise(self._session):
                state, detail = "quiet", NOTHING_YET
        if state == "online" and self._only_noise:  # which is no sign of a device
            state, since, detail = "quiet", self._noise_since, self._only_noise
        if self._capture is not None and self._capture.trouble:
            detail = "; ".join(filter(None, [detail, self._capture.trouble]))
        return Health(
            state=state,
            since=since,
            detail=detail,
            counters=msgspec.structs.asdict(self._codec.counters),
            reconnects=max(0, self._times_online - 1),
        )
