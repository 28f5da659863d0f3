"""What all devices of the reference protocol have in common, at the host's end.

The protocol is this project's own, for whoever builds an adapter in front of a machine whose maker
publishes nothing; ``REFERENCE-PROTOCOL.md`` is its description.

A device is online only once it has said who it is, and is what the settings ask for.  Until then
its events are kept back, and dropped if it turns out to be another.
"""

from abc import abstractmethod
from typing import Annotated

from msgspec import Meta

from drivers.codec import Codec, Counters
from drivers.errors import RemoteProtocolError
from drivers.events import DeviceEvent, Fault, Restarted
from drivers.options import SerialOptions
from drivers.reference_errands import Errands
from drivers.reference_wire import PROTOCOL, Frame, Kind, Scanner, Type
from drivers.reference_words import Hello

ASK_AGAIN = 1.0
"""Seconds between questions to a device that has not said who it is, or is the wrong one."""

GREETED_WITHIN = 5.0
"""Seconds in which a device that sends anything must have said who it is."""

DUPLICATE_WITHIN = 0.5
"""Seconds in which the very same frame is the same message; a turn of sequences takes longer."""

MOST_EARLY = 32
"""Messages kept back while the device has not said who it is."""


class ReferenceOptions(SerialOptions, frozen=True):
    """Options of all drivers of the reference protocol."""

    baud: Annotated[int, Meta(ge=300, le=921600)] = 19200
    serial: str | None = None
    """Serial number of the one device that will do; None: any of the right kind."""
    silent_ms: Annotated[int, Meta(ge=500, le=60_000)] = 3500
    """Milliseconds without a good frame after which the link is lost; a heartbeat comes each
    second."""


class ReferenceCodec(Codec):
    """The host's end of the line; subclasses say what the messages of their kind mean."""

    def __init__(self, kind: Kind, options: ReferenceOptions) -> None:
        """Take the kind of device that is wanted."""
        self.counters = Counters()
        self._kind = kind
        self._wanted_serial = options.serial
        self._silent_after = options.silent_ms / 1000
        self._gap_s = max(0.050, 10 * options.line().character_s)
        self._scanner = Scanner(self.counters)
        self._errands = Errands()
        self.greet(0.0)

    def greet(self, now: float, identity: str = "") -> None:
        """Forget everything but the counters, and ask the device who it is."""
        self._scanner.forget()
        self._errands.forget()
        self._byte_at = self._heard_at = self._greeted_at = now
        self._frame_at = now
        self._last: Frame | None = None
        self._hello: Hello | None = None
        self._wrong = self._replaced_by = ""
        self._early: list[Frame] = []
        self._ask_hello_at = now
        self._begin(now)

    def introduction(self) -> str | None:
        """Tell who the device is; None until it is known to be the right one."""
        return None if self._hello is None else self._hello.identity

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Take what arrived and tell what it means."""
        events = self._give_up_part(now)
        self._byte_at = now
        for frame in self._scanner.feed(data):
            events += self._hear(frame, now)
        return events

    def tick(self, now: float) -> list[DeviceEvent]:
        """Tell what time alone brings.

        Raises:
            RemoteProtocolError: the device is silent, does not say who it is, or is another now.

        """
        if self._replaced_by:
            raise RemoteProtocolError(f"another device is there now: {self._replaced_by}")
        events = self._give_up_part(now) + self._errands.tick(now) + self._kind_tick(now)
        if self._hello is None and not self._wrong and now >= self._greeted_at + GREETED_WITHIN:
            raise RemoteProtocolError("the device does not say who it is; is it this driver's?")
        if now >= self._heard_at + self._silent_after:
            raise RemoteProtocolError(
                f"nothing was heard for {self._silent_after:g} s; is it switched on?"
            )
        if self._hello is None and now >= self._ask_hello_at:
            self._errands.add(Type.ASK_HELLO)
            self._ask_hello_at = now + ASK_AGAIN
        return events

    def pending(self, now: float) -> bytes:
        """Return the command that is due."""
        return self._errands.pending(now)

    def wake_at(self) -> float | None:
        """Tell when the next command, question, press or end of patience is due."""
        if self._replaced_by:
            return self._heard_at
        due = [self._heard_at + self._silent_after, self._errands.wake_at(), self._kind_wake_at()]
        if self._scanner.holds_part:
            due.append(self._byte_at + self._gap_s)
        if self._hello is None:
            due.append(self._ask_hello_at)
            if not self._wrong:
                due.append(self._greeted_at + GREETED_WITHIN)
        return min(each for each in due if each is not None)

    def _give_up_part(self, now: float) -> list[DeviceEvent]:
        if not self._scanner.holds_part or now < self._byte_at + self._gap_s:
            return []
        self.counters.gap_resets += 1
        return [event for each in self._scanner.give_up() for event in self._hear(each, now)]

    def _hear(self, frame: Frame, now: float) -> list[DeviceEvent]:
        if not frame.type & 0x80:
            self.counters.ignored += 1  # our own bytes, come back
            return []
        if self._repeats(frame, now):
            self.counters.frames += 1
            self.counters.duplicates += 1
            self._heard_at = self._frame_at = now
            return []
        before = self._last
        try:
            events = self._understand(frame, now)
        except RemoteProtocolError:
            # Its number is not taken note of: the next message then shows that one was lost.
            self.counters.bad_frame += 1
            return []
        self.counters.frames += 1
        self._heard_at = self._frame_at = now
        self._last = frame
        if before is not None and frame.sequence != (before.sequence + 1) % Frame.SEQUENCES:
            self.counters.missed += 1
            if self._hello is not None:
                events += self._missed(frame, now)
        return events

    def _repeats(self, frame: Frame, now: float) -> bool:
        if self._last is None or frame.raw != self._last.raw:
            return False
        return now < self._frame_at + DUPLICATE_WITHIN

    def _understand(self, frame: Frame, now: float) -> list[DeviceEvent]:
        """Say what *frame* means.

        Raises:
            RemoteProtocolError: a value in it cannot be.

        """
        match frame.type:
            case Type.HELLO:
                return self._greeted(Hello.read(frame.payload), frame, now)
            case Type.ACK:
                return self._answer(self._errands.acknowledged(frame.payload[0]))
            case Type.NAK:
                return self._answer(self._errands.refused(*frame.payload))
            case _ if self._hello is not None:
                return self._mean(frame, now)
            case _:
                self._early = [*self._early, frame][-MOST_EARLY:]
                return []

    def _answer(self, events: list[DeviceEvent] | None) -> list[DeviceEvent]:
        if events is None:
            self.counters.ignored += 1
            return []
        return events

    def _greeted(self, hello: Hello, frame: Frame, now: float) -> list[DeviceEvent]:
        if self._hello is not None and hello.identity != self._hello.identity:
            self._replaced_by = hello.identity
            return []
        if wrong := self._what_is_wrong(hello):
            told_already, self._wrong, self._early = wrong == self._wrong, wrong, []
            return [] if told_already else [Fault("wrong-device", wrong, frame.raw.hex())]
        known, self._hello, self._wrong = self._hello, hello, ""
        if known is not None and not hello.started:
            return []  # asked twice, answered twice
        early, self._early = self._early, []
        self._begin(now)
        self._errands.add(Type.ASK_STATE)
        events: list[DeviceEvent] = [Restarted()] if known is not None else []
        for each in early:
            try:
                events += self._mean(each, now)
            except RemoteProtocolError:
                self.counters.bad_frame += 1
        return events

    def _what_is_wrong(self, hello: Hello) -> str:
        if hello.kind != self._kind:
            wanted = self._kind.name.lower()
            return f"a {wanted} is wanted here, but this is {hello.identity}; look at the plugs"
        if self._wanted_serial not in {None, hello.serial}:
            return (
                f"{hello.kind.name.lower()} {self._wanted_serial} is wanted here, but this is "
                f"{hello.serial}; look at the plugs, or change option serial"
            )
        if hello.protocol != PROTOCOL:
            return (
                f"{hello.identity} speaks protocol {hello.protocol}, this driver speaks {PROTOCOL}"
            )
        return ""

    @abstractmethod
    def _begin(self, now: float) -> None:
        """Forget what this kind of device has told."""

    @abstractmethod
    def _mean(self, frame: Frame, now: float) -> list[DeviceEvent]:
        """Say what a message of this kind of device means.

        Raises:
            RemoteProtocolError: a value in it cannot be.

        """

    def _missed(self, frame: Frame, now: float) -> list[DeviceEvent]:
        """Learn that messages were lost before *frame*; ask how things stand."""
        self._errands.add(Type.ASK_STATE)
        return []

    def _kind_tick(self, now: float) -> list[DeviceEvent]:
        return []

    def _kind_wake_at(self) -> float | None:
        return None
