"""Angel Eye II-EX: the card-reading shoe, on a serial line at 4800 8N1.

The shoe is made for baccarat and sorts its cards into Player, Banker and burned; none of that means
anything at this table, so every card it reads is a card drawn.  It sends each message three times
with the same sequence character, and may tell its last card again (code ``R``): that never counts
as another card.  Frame facts from public code that talks to these shoes
(github.com/keepcodings/AngelEye, github.com/niomartinez/playroom-web).
"""

from typing import Annotated

from msgspec import Meta

from drivers import angel_eye_wire as wire
from drivers.angel_eye_wire import CheckSpan, Message, Scanner
from drivers.codec import Codec, Counters
from drivers.commands import CancelError, ConfirmProcess, DeviceCommand, LockShoe, UnlockShoe
from drivers.driver import Driver
from drivers.errors import LocalProtocolError, RemoteProtocolError
from drivers.events import (
    CardMismatch,
    CardOut,
    CuttingCard,
    DeviceEvent,
    Fault,
    FaultCleared,
    Gap,
    LockState,
    Restarted,
    StandBy,
)
from drivers.options import SerialOptions

LENGTHS = {"S": 0, "P": 0, "C": 0, "D": 2, "d": 2, "R": 2, "G": 1, "E": 1, "e": 1, "L": 1, "M": 6}
"""Data bytes of each message the shoe is known to send."""

DUPLICATE_WITHIN = 2.0
"""Seconds: after a longer silence, the same bytes are a new message."""

NOTHING_TOLD = object()
"""No card was told since the link came up, which is not the same as a card that was unread."""


class AngelEyeOptions(SerialOptions, frozen=True):
    """Options of driver ``angel-eye``."""

    baud: Annotated[int, Meta(ge=300, le=921600)] = 4800
    commands: bool = False
    """Whether commands may be sent at all; a lock sent by mistake stops the game."""
    command_bcc: CheckSpan = "with-stx"
    """Whether the check of a command covers its first byte."""
    sequence_gaps: bool = True
    """Whether a jump in the sequence is told as lost messages."""
    sequence_quiet_ms: Annotated[int, Meta(ge=0, le=86_400_000)] = 2000
    """After a silence this long any sequence character is taken as it is; 0: only after a start."""


class AngelEyeCodec(Codec):
    """The host's end of the line."""

    def __init__(self, options: AngelEyeOptions) -> None:
        """Start as if the link had never been up."""
        self.counters = Counters()
        self._options = options
        self._gap = max(0.050, 10 * options.line().character_s)
        self._scanner = Scanner(self.counters)
        self.greet(0.0)

    def greet(self, now: float, identity: str = "") -> None:
        """Forget everything but the counters."""
        self._scanner.forget()
        self._byte_at = now
        self._heard_at = now
        self._forget_messages()

    def _forget_messages(self) -> None:
        self._last: Message | None = None
        self._sequence: str | None = None
        self._last_card: str | object | None = NOTHING_TOLD

    def wake_at(self) -> float | None:
        """Tell when an unfinished frame will be given up."""
        return self._byte_at + self._gap if self._scanner.holds_part else None

    def tick(self, now: float) -> list[DeviceEvent]:
        """Give up an unfinished frame whose rest did not come."""
        if self._scanner.holds_part and now >= self._byte_at + self._gap:
            self.counters.gap_resets += 1
            self.counters.bytes_skipped += self._scanner.forget()
        return []

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Take what arrived and tell what it means."""
        self.tick(now)
        self._byte_at = now
        return [event for message in self._scanner.feed(data) for event in self._hear(message, now)]

    def _hear(self, message: Message, now: float) -> list[DeviceEvent]:
        silence = now - self._heard_at
        if silence > DUPLICATE_WITHIN:
            self._last = None
        if silence * 1000 > self._options.sequence_quiet_ms > 0:
            self._sequence = None
        if self._repeats(message):
            self._heard_at = now
            self.counters.frames += 1
            self.counters.duplicates += 1
            return []
        try:
            meaning = self._meaning(message)
        except RemoteProtocolError:
            # Its number is not taken note of: the next message then shows that one was lost.
            self.counters.bad_frame += 1
            return []
        self._heard_at = now
        self.counters.frames += 1
        if message.code == "S":
            self._forget_messages()
        lost = self._lost_before(message)
        self._last, self._sequence = message, message.sequence
        return lost + meaning

    def _repeats(self, message: Message) -> bool:
        # The whole frame: a sequence character alone comes round again, with another card.
        return self._last is not None and message.raw == self._last.raw

    def _lost_before(self, message: Message) -> list[DeviceEvent]:
        """Tell what the sequence shows to be missing between the last message and this one."""
        if self._sequence is None or not self._options.sequence_gaps:
            return []
        if not {self._sequence, message.sequence} <= set(wire.SEQUENCE):
            return []  # numbered in a way nobody has described: it cannot show anything
        before = wire.SEQUENCE.index(self._sequence)
        steps = (wire.SEQUENCE.index(message.sequence) - before) % len(wire.SEQUENCE)
        if steps == 1:
            return []
        self.counters.missed += 1
        # The same number with other contents: a whole turn is missing, or a start went unseen.
        return [Gap(steps - 1 if steps else None, message.raw.hex())]

    def _meaning(self, message: Message) -> list[DeviceEvent]:
        """Say what *message* means at this table.

        Raises:
            RemoteProtocolError: its length or a value in it cannot be.

        """
        raw, data = message.raw.hex(), message.data
        if len(data) != LENGTHS.get(message.code, len(data)):
            raise RemoteProtocolError(f"{message.code} with {len(data)} data bytes")
        match message.code:
            case "D" | "d":
                card = wire.card_of(data[1])
                self._last_card = card
                return [CardOut(card, raw)]
            case "R":
                return self._told_again(wire.card_of(data[1]), raw)
            case "C":
                return [CuttingCard(raw)]
            case "S":
                return [Restarted()]
            case "P":
                return [StandBy()]
            case "E":
                code, text = _fault(data[0] & 0b11_1111)
                return [Fault(code, text, raw)]
            case "e":
                return [FaultCleared(_fault(data[0] & 0b111_1111)[0], raw)]
            case "L":
                return [LockState(bool(data[0] & 1), raw)]
            case _:
                self.counters.ignored += 1
                return []

    def _told_again(self, card: str | None, raw: str) -> list[DeviceEvent]:
        if card == self._last_card:
            self.counters.retransmissions += 1
            return []
        last = self._last_card if isinstance(self._last_card, str) else None
        return [CardMismatch(card, last, raw)]

    def encode(self, command: DeviceCommand, command_id: int | None = None) -> bytes:
        """Return *command* as bytes.

        Raises:
            LocalProtocolError: option ``commands`` is off, or there is no such fault to cancel.

        """
        if not self._options.commands:
            raise LocalProtocolError(
                f"angel-eye: {type(command).__name__} not sent; option commands is off"
            )
        match command:
            case UnlockShoe():
                kind, number = "LK", 1
            case LockShoe():
                kind, number = "LK", 2
            case CancelError(code):
                kind, number = "EC", _fault_number(code)
            case ConfirmProcess():
                kind, number = "GP", 0
            case _:
                raise LocalProtocolError(f"angel-eye has no command {type(command).__name__}")
        return wire.command(kind, number, self._options.command_bcc)


def _fault(number: int) -> tuple[str, str]:
    known = wire.FAULTS.get(number)
    return known or (f"error-{number}", f"The shoe reports error {number}, which no list names.")


def _fault_number(code: str | None) -> int:
    """Return the number of a fault, 0 for all of them."""
    if code is None:
        return 0
    for number, (name, _) in wire.FAULTS.items():
        if name == code:
            return number
    known = ", ".join(name for name, _ in wire.FAULTS.values())
    raise LocalProtocolError(f"angel-eye: there is no fault {code!r} to cancel; known: {known}")


DRIVER = Driver(
    name="angel-eye",
    role="shoe",
    options=AngelEyeOptions,
    make=AngelEyeCodec,
    ports=frozenset({"serial"}),
    quiet_after=300.0,
)
