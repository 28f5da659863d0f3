"""Angel Eye II-EX: the card-reading shoe, on a serial line at 4800 8N1.

The shoe is made for baccarat and sorts its cards into Player, Banker and burned; none of that means
anything at this table, so every card it reads is a card drawn.  It sends each message three times
with the same sequence character, and may tell its last card again (code ``R``): that never counts
as another card.  Frame facts from public code that talks to these shoes
(github.com/keepcodings/AngelEye, github.com/niomartinez/playroom-web).

No card is lost without a word.  Whatever comes over the line and is no good message may have been a
card, and is told as a gap as soon as no copy can make up for it:

- the next number in the sequence makes up for it, and so does another copy of the last message;
- it may be the rest of the last message's copies, if that many were still to come: as many as the
  last message of its kind had;
- where the sequence shows nothing, a copy that follows and begins or ends alike shows it.

Copies that pass their check, a mere XOR, and tell different cards put the card in doubt.
"""

from typing import Annotated

from msgspec import Meta

from drivers import angel_eye_wire as wire
from drivers.angel_eye_copies import CARDS, Copies
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
from drivers.spoiled import FEWEST, Losses, Spoiled

LENGTHS = {"S": 0, "P": 0, "C": 0, "D": 2, "d": 2, "R": 2, "G": 1, "E": 1, "e": 1, "L": 1, "M": 6}
"""Data bytes of each message the shoe is known to send; others are let go, unless they may have
been a card."""

SHORTEST = 6
"""Bytes of the shortest message; fewer cannot be all that is left of one that was only changed."""

DUPLICATE_WITHIN = 2.0
"""Seconds: after a longer silence, the same bytes are a new message."""

COPIES_WITHIN = 0.5
"""Seconds within which all copies of a message come; on a slow line the time of more of them."""

COPIES_CHARACTERS = 64
"""Characters that all copies of a message have at most, with room."""

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
    sequence_quiet_ms: Annotated[int, Meta(ge=0, le=86_400_000)] = 0
    """After a silence this long any sequence character is taken as it is; 0: only after a start.
    Between two cards of a round there may be minutes: what was lost in them must show."""


class AngelEyeCodec(Codec):
    """The host's end of the line."""

    def __init__(self, options: AngelEyeOptions) -> None:
        """Start as if the link had never been up."""
        self.counters = Counters()
        self._options = options
        character_s = options.line().character_s
        self._gap = max(0.050, 10 * character_s)
        self._copies_s = max(COPIES_WITHIN, COPIES_CHARACTERS * character_s)
        self._scanner = Scanner(self.counters, answers=options.commands)
        self._copies = Copies()
        self._spoiled = Spoiled()
        self._losses = Losses(self.counters)
        self.greet(0.0)

    def greet(self, now: float, identity: str = "") -> None:
        """Forget everything but the counters."""
        self._scanner.forget()
        self._scanner.take_stray()
        self._losses.forget()
        self._byte_at = now
        self._heard_at = now
        self._copies.forget()
        self._forget_messages()

    def _forget_messages(self) -> None:
        self._copies.begin_anew()
        self._spoiled.forget()
        self._last_card: str | object | None = NOTHING_TOLD
        self._told_lost = 0
        """Losses told since the last message, each of one message at least."""
        self._older = 0
        """How much of what is spoiled came before the last message, where the sequence shows
        nothing."""

    def wake_at(self) -> float | None:
        """Tell when an unfinished frame is given up, or no copy can come any more."""
        due = []
        if self._scanner.holds_part:
            due.append(self._byte_at + self._gap)
        if self._spoiled.length:
            due.append(self._spoiled.since + self._copies_s)
        return min(due, default=None)

    def tick(self, now: float) -> list[DeviceEvent]:
        """Give up an unfinished frame whose rest did not come, and what no copy has mended."""
        if self._scanner.holds_part and now >= self._byte_at + self._gap:
            self.counters.gap_resets += 1
            self._scanner.forget()
            self._spoiled.take(self._scanner.take_stray(), self._byte_at)
        if self._spoiled.length and now >= self._spoiled.since + self._copies_s:
            return self._give_up()
        return []

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Take what arrived and tell what it means."""
        events = self.tick(now)
        self._byte_at = now
        for message in self._scanner.feed(data):
            self._spoiled.take(message.stray, now)
            events += self._hear(message, now)
        self._spoiled.take(self._scanner.take_stray(), now)
        return events

    def _give_up(self) -> list[DeviceEvent]:
        """Tell what is spoiled, unless it may be the rest of the last message's copies."""
        raw, length = self._spoiled.raw, self._spoiled.length
        are_copies = self._are_copies()
        is_stray = length < FEWEST and not self._spoiled.holds(wire.ENQ)
        self._spoiled.forget()
        self._older = 0
        if are_copies:
            return []
        if is_stray:
            return self._losses.stray(length, raw)
        told = self._losses.tell(raw)
        if told and length >= SHORTEST:
            self._told_lost += 1
        return told

    def _are_copies(self) -> bool:
        in_time = self._spoiled.until <= self._heard_at + self._copies_s
        return in_time and self._spoiled.length <= self._copies.bytes_to_come()

    def _hear(self, message: Message, now: float) -> list[DeviceEvent]:
        silence = now - self._heard_at
        if silence > DUPLICATE_WITHIN:
            self._copies.are_all_there()
        if silence * 1000 > self._options.sequence_quiet_ms > 0:
            self._copies.number = None
        if self._copies.holds(message):
            return self._hear_again(message, now)
        try:
            meaning = self._meaning(message)
        except RemoteProtocolError:
            # Its number is not taken note of: the next message then shows that one was lost.
            self.counters.bad_frame += 1
            self._spoiled.take(message.raw, now)
            return []
        untold = self._losses.untold
        well = self._note(message, now)
        if message.code == "S":
            self._forget_messages()
        lost = self._lost_before(message, untold=untold)
        self._copies.keep(message)
        return well + lost + meaning

    def _hear_again(self, message: Message, now: float) -> list[DeviceEvent]:
        """Take a copy: what was spoiled between two copies was one as well."""
        self.counters.duplicates += 1
        between = self._copies.add(message)
        is_copy = self._older <= self._copies.bytes_before(message)
        if self._older < SHORTEST or (is_copy and self._spoiled.is_like(message.raw)):
            self._spoiled.forget()
            self._older = 0
        doubt: list[DeviceEvent] = [Gap(None, between.hex())] if between else []
        return doubt + self._note(message, now)

    def _note(self, message: Message, now: float) -> list[DeviceEvent]:
        self._heard_at = now
        self.counters.frames += 1
        return self._losses.understood(message.raw.hex())

    def _lost_before(self, message: Message, *, untold: bool) -> list[DeviceEvent]:
        """Tell what the sequence shows to be missing between the last message and this one.

        *untold*: more was lost than could be told.
        """
        if message.code in CARDS | {"R"} and self._is_copy(message):
            return []  # what it means has been compared with what was told
        # No copy of the last message has shown that what came before that one was a copy.
        late = self._give_up() if self._older else []
        told, self._told_lost = self._told_lost, 0
        steps = self._copies.steps_to(message) if self._options.sequence_gaps else None
        if steps is None:
            self._older = self._spoiled.length
            return [*late, Gap(None, message.raw.hex())] if untold else late
        self._spoiled.forget()
        if steps and steps - 1 <= told:
            return late
        self.counters.missed += 1
        # Not moved on, with other contents: a whole turn is missing, or a start went unseen.
        return [*late, Gap(steps - 1 if steps else None, message.raw.hex())]

    def _is_copy(self, message: Message) -> bool:
        """Tell whether it has the number of a card that was told just now."""
        return self._copies.told_card and self._copies.has_number_of(message)

    def _meaning(self, message: Message) -> list[DeviceEvent]:
        """Say what *message* means at this table.

        Raises:
            RemoteProtocolError: its length or a value in it cannot be.

        """
        raw, data = message.raw.hex(), message.data
        if len(data) != LENGTHS.get(message.code, len(data)):
            raise RemoteProtocolError(f"{message.code} with {len(data)} data bytes")
        if message.code not in LENGTHS and len(data) == LENGTHS["D"]:
            # A card whose code was changed looks like this, and no message that is on record.
            raise RemoteProtocolError(f"{message.code} may have been a card")
        match message.code:
            case "D" | "d" if self._is_copy(message):
                return self._compared(wire.card_of(data[1]), raw)
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
        return self._compared(card, raw)

    def _compared(self, card: str | None, raw: str) -> list[DeviceEvent]:
        if card == self._last_card:
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
