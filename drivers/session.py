"""One open port, from opening to loss, in a thread of its own.

A session is never used twice: after a loss there is a new one, with a new port.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable

from drivers.capture import Capture, Direction
from drivers.codec import Codec
from drivers.commands import DeviceCommand
from drivers.errors import LinkLost, RemoteProtocolError
from drivers.events import DeviceEvent, Lost, Online
from drivers.ports import Port
from drivers.spoiled import FEWEST
from drivers.worker import on_loop

LONGEST_READ = 0.1
"""Seconds after which a read returns to see whether it is to stop."""

MOST_UNTOLD = 1000
"""Events that may wait for the event loop before reading pauses; the kernel holds the rest."""

FAREWELL_WITHIN = 1.0
"""Seconds that the last words to a device may have to wait for their turn."""


class Session:
    """The thread's side (`live`) and the event loop's side (everything else) of one open port."""

    def __init__(
        self,
        port: Port,
        codec: Codec,
        online: Callable[[str], Online],
        clock: Callable[[], float],
        capture: Capture | None = None,
    ) -> None:
        """Take the port to open, how to make the `Online` event from what the device is, and where
        to keep what goes over the line.

        To be called on the event loop.
        """
        self._port = port
        self._codec = codec
        self._online = online
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._capture = capture
        self._in_codec = threading.Lock()
        self._sending = threading.Lock()
        self._introduced = False
        self._stop = threading.Event()
        self._leaving = False
        self._untold: deque[DeviceEvent | None] = deque()
        self._anything = asyncio.Event()
        self.is_online = False
        """Whether the port is open, by what was told so far."""
        self.why_over = ""
        """Why the port could not be opened, or was lost."""
        self._counted_before: tuple[int, int] | None = None
        """Good frames, and bytes that belong to none, when the port was opened."""
        self.good_at = self.alive_at = clock()
        """When the last good frame came, and when the port last returned from a call."""

    @property
    def is_only_noise(self) -> bool:
        """Whether bytes came since the port was opened, and no message of the device's."""
        if self._counted_before is None:
            return False
        frames, skipped = self._counted_before
        now = self._codec.counters
        return now.frames == frames and now.bytes_skipped >= skipped + FEWEST

    def live(self) -> None:
        """Open the port, pass on what comes, and close it; in a thread.

        Raises whatever is a mistake of ours, and never for the device's sake.
        """
        try:
            self._listen()
        except (LinkLost, RemoteProtocolError) as lost:
            self.why_over = str(lost)
        except BaseException as mistake:
            self.why_over = f"a mistake in the driver: {mistake!r}"
            raise
        finally:
            # Told before closing, which may take long.
            self._tell(None)
            self._keep("lost")
            self._port.close()

    def _listen(self) -> None:
        self._port.open()
        self._keep("open")
        now = self._clock()
        with self._in_codec:
            self._codec.greet(now, self._port.identity)
        initial = self._port.initial()
        self.good_at = self.alive_at = now
        counters = self._codec.counters
        self._counted_before = counters.frames, counters.bytes_skipped
        self._tell_introduced([])
        if initial is not None:
            self._hear(initial, now)
        self._send()
        while not self._stop.is_set():
            self._read_once()
        if self._leaving:
            self._say_farewell()

    def _read_once(self) -> None:
        data = self._port.read(self._patience())
        if self._stop.is_set():
            return  # given up meanwhile: the codec may serve the next session already
        now = self.alive_at = self._clock()
        if data:
            self._hear(data, now)
        with self._in_codec:
            events = self._codec.tick(now)
        self._tell_introduced(events)
        self._send()
        while len(self._untold) > MOST_UNTOLD and not self._stop.wait(0.01):
            pass

    def _hear(self, data: bytes, now: float) -> None:
        self._keep("in", data)
        with self._in_codec:
            frames = self._codec.counters.frames
            events = self._codec.feed(data, now)
            if self._codec.counters.frames != frames:
                self.good_at = now
        self._tell_introduced(events)

    def _tell_introduced(self, events: list[DeviceEvent]) -> None:
        """Tell *events*, and `Online` before them if the device has just said what it is."""
        if not self._introduced:
            said = self._codec.introduction()
            if said is not None:
                self._introduced = True
                self._tell(self._online(" ".join(filter(None, [self._port.identity, said]))))
        self._tell(*events)

    def _send(self, data: bytes = b"") -> bool:
        """Send *data* and what the codec has pending; return False if the session is over."""
        # Under one lock from asking the codec to the wire: no other thread's bytes come between.
        with self._sending:
            if self._stop.is_set():
                return False
            with self._in_codec:
                data += self._codec.pending(self._clock())
            self._put(data)
            return True

    def _put(self, data: bytes) -> None:
        if data:
            self._keep("out", data)
            self._port.write(data)

    def _say_farewell(self) -> None:
        now = self._clock()
        with self._in_codec:
            at, data = self._codec.farewell(now)
        if data and self._introduced and at <= now + FAREWELL_WITHIN:
            threading.Event().wait(max(0.0, at - now))
            self._put(data)

    def _keep(self, direction: Direction, data: bytes = b"") -> None:
        if self._capture is not None:
            self._capture.note(direction, data)

    def _patience(self) -> float:
        with self._in_codec:
            wake_at = self._codec.wake_at()
        if wake_at is None:
            return LONGEST_READ
        return min(max(0.0, wake_at - self._clock()), LONGEST_READ)

    def _tell(self, *events: DeviceEvent | None) -> None:
        if events:
            self._untold.extend(events)
            on_loop(self._loop, self._anything.set)

    async def next_event(self) -> DeviceEvent | None:
        """Return what came next, a `Lost` last if there was an `Online`; then None."""
        while not self._untold:
            self._anything.clear()
            await self._anything.wait()
        event = self._untold.popleft()
        if event is None and self.is_online:
            self.is_online = False
            self._untold.append(None)
            return Lost(self.why_over)
        if isinstance(event, Online):
            self.is_online = True
        return event

    def encode(self, command: DeviceCommand, command_id: int | None) -> bytes:
        """Let the codec take *command*; the bytes it returns belong into `write`.

        Raises:
            LocalProtocolError: the device has no such command, or commands are switched off.

        """
        with self._in_codec:
            return self._codec.encode(command, command_id)

    def write(self, data: bytes) -> None:
        """Send *data* and what the codec has pending; in a thread other than that of `live`.

        Raises:
            LinkLost: it could not be sent; the session is over then.

        """
        try:
            sent = self._send(data)
        except LinkLost as lost:
            self.stop(lost.why)
            raise
        if not sent:
            raise LinkLost(self.why_over)

    def stop(self, why: str) -> None:
        """Ask the thread to end; it does within `LONGEST_READ`, and the port's time to close."""
        if not self._stop.is_set():
            self.why_over = why
        self._stop.set()

    def leave(self) -> None:
        """Ask the thread to say farewell to the device and to end."""
        self._leaving = not self._stop.is_set()
        self.stop("no longer attended")
