"""Bee-Tek: a card-reading shoe that talks in words, on a serial line at 9600 8N1.

::

    [Game]<Card:4S> [Manual Burn Cards]<Card:10H> [Game]<Game> <W0x01>
    [Game]<Alarm:E3 Card Not Read>

There is no check, no number and no word for the cutting card, so the driver is strict: what is not
wholly one of these words is no card.  Whatever else comes may have been a card, of which nothing
need be left that looks like one, and is told as a gap.  One thing no driver can see: a rank or suit
that was changed into another on the way.  Word forms from public code for this shoe.
"""

import re

from drivers.codec import Codec, Counters
from drivers.commands import DeviceCommand
from drivers.driver import Driver
from drivers.errors import LocalProtocolError
from drivers.events import CardOut, DeviceEvent, Fault, Gap
from drivers.options import SerialOptions
from drivers.spoiled import FEWEST, Losses, Spoiled

LONGEST_WORD = 80
"""Bytes; beyond this a word is not going to end."""

WORD_WITHIN = 0.2
"""Seconds without a byte after which the rest of a word does not come."""

TOLD_WITHIN = 0.5
"""Seconds after which broken words are told, also while there is no end to them."""

_CARD = re.compile(rb"\[(?:Game|Manual Burn Cards)\]<Card:([2-9TJQKA]|10)([CDHS])>")
_UNREAD = re.compile(rb"\[Game\]<Game>")
_ALARM = re.compile(rb"\[(?:Game|GameAlarm)\]<Alarm:(E\d{1,3}) ([ -;=?-Z^-~]{1,60})>")
_WARNING = re.compile(rb"<W(0x[0-9A-Fa-f]{2})>")
_SEPARATORS = frozenset(b" \r\n")
_BRACKETS = b"[]<>"


class BeeTekOptions(SerialOptions, frozen=True):
    """Options of driver ``bee-tek``."""


class BeeTekCodec(Codec):
    """The host's end of the line; it only listens."""

    def __init__(self, options: BeeTekOptions) -> None:
        """Start as if the link had never been up."""
        self.counters = Counters()
        self._broken = Spoiled()
        self._losses = Losses(self.counters)
        self.greet(0.0)

    def greet(self, now: float, identity: str = "") -> None:
        """Forget everything but the counters."""
        self._word = b""
        self._broken.forget()
        self._losses.forget()
        self._byte_at = now

    def wake_at(self) -> float | None:
        """Tell when an unfinished word will be given up, or a broken one told."""
        due = []
        if self._word or self._broken.length:
            due.append(self._byte_at + WORD_WITHIN)
        if self._broken.length:
            due.append(self._broken.since + TOLD_WITHIN)
        return min(due, default=None)

    def tick(self, now: float) -> list[DeviceEvent]:
        """Give up a word whose rest did not come."""
        due = self.wake_at()
        if due is None or now < due:
            return []
        if self._word and now >= self._byte_at + WORD_WITHIN:
            self.counters.gap_resets += 1
            self._break(b"", self._byte_at)
        return self._tell_broken()

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Take what arrived and tell what it means."""
        events = self.tick(now)
        self._byte_at = now
        for byte in data:
            events += self._take(byte, now)
        return events

    def _take(self, byte: int, now: float) -> list[DeviceEvent]:
        """Take one byte; a word ends at its ``>``, for nothing need come behind it."""
        if byte in _SEPARATORS and not self._is_inside():
            self._break(b"", now)
            return []
        if not 0x20 <= byte <= 0x7E or len(self._word) == LONGEST_WORD:
            if len(self._word) == LONGEST_WORD:
                self.counters.overflow += 1
            self._break(bytes([byte]), now)
            return []
        if self._word and _starts_anew(self._word, byte):
            self._break(b"", now)
        if not self._word and byte not in b"[<":
            self._break(bytes([byte]), now)
            return []
        self._word += bytes([byte])
        if byte != ord(">"):
            return []
        meaning = _meaning(self._word)
        if meaning is None:
            self._break(b"", now)
            return []
        raw, self._word = self._word.hex(), b""
        return [*self._understood(raw), meaning]

    def _understood(self, raw: str) -> list[DeviceEvent]:
        """Tell what was lost before a good word, and that the line is well if it was not."""
        self.counters.frames += 1
        lost = self._tell_broken()
        if self._losses.untold:
            lost = [Gap(None, raw)]
        return [*lost, *self._losses.understood(raw)]

    def _is_inside(self) -> bool:
        """Tell whether a space belongs to the word: it does between brackets."""
        opened = self._word.count(b"[") + self._word.count(b"<")
        return opened > self._word.count(b"]") + self._word.count(b">")

    def _break(self, more: bytes, now: float) -> None:
        """Learn that what has come of the word, and *more*, is none."""
        self.counters.bytes_skipped += len(self._word + more)
        self._broken.take(self._word + more, now)
        self._word = b""

    def _tell_broken(self) -> list[DeviceEvent]:
        """Tell what was broken: a card may have been lost."""
        if not self._broken.length:
            return []
        raw, length = self._broken.raw, self._broken.length
        is_stray = length < FEWEST and not self._broken.holds(*_BRACKETS)
        self._broken.forget()
        if is_stray:
            return self._losses.stray(length, raw)
        self.counters.bad_frame += 1
        return self._losses.tell(raw)

    def encode(self, command: DeviceCommand, command_id: int | None = None) -> bytes:
        """Refuse: the shoe has no commands.

        Raises:
            LocalProtocolError: always.

        """
        raise LocalProtocolError(f"a bee-tek shoe has no command {type(command).__name__}")


def _starts_anew(word: bytes, byte: int) -> bool:
    """Tell whether *byte* can only be the start of another word, the one before having broken."""
    if byte == ord("["):
        return True
    return byte == ord("<") and not (word.startswith(b"[") and word.endswith(b"]"))


def _meaning(word: bytes) -> DeviceEvent | None:
    """Say what a whole word means; None if it is none that this shoe is known to say."""
    raw = word.hex()
    if found := _CARD.fullmatch(word):
        rank, suit = (part.decode("ascii") for part in found.groups())
        return CardOut(("T" if rank == "10" else rank) + suit, raw)
    if _UNREAD.fullmatch(word):
        return CardOut(None, raw)
    if found := _ALARM.fullmatch(word):
        code, text = (part.decode("ascii") for part in found.groups())
        return Fault(f"alarm-{code.lower()}", text, raw)
    if found := _WARNING.fullmatch(word):
        number = found[1].decode("ascii").lower()
        return Fault(f"warning-{number}", f"The shoe gives warning {number}.", raw)
    return None


DRIVER = Driver(
    name="bee-tek",
    role="shoe",
    options=BeeTekOptions,
    make=BeeTekCodec,
    ports=frozenset({"serial"}),
    quiet_after=300.0,
)
