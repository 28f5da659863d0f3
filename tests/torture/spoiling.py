"""Cards on a line of which a stretch is spoiled: what is told of them, and whether that is right.

A stretch of time is spoiled: the bytes that were on the way in it arrive changed or not at all,
what was on the way before and after arrives as it was sent.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from drivers.codec import Codec
from drivers.events import CardMismatch, CardOut, DeviceEvent, Fault, Gap, Restarted

PAUSES: Final = (
    *(0.0, 0.002, 0.02, 0.049, 0.051, 0.1, 0.2, 0.35, 0.499, 0.501, 0.7, 1.0, 1.9, 2.1, 3.0),
    *(5.0, 10.0, 30.0, 60.0, 300.0, 600.0),
)
"""Seconds from one card to the next: a backlog, a quick hand, and a dispute at the table."""

BURSTS: Final = range(1, 31)
"""Bytes that are spoiled in a row."""

QUESTIONS: Final = (Gap, CardMismatch, Fault, Restarted)
"""What puts the cards in doubt, or says that the device is not well."""

LONGEST_CHUNK: Final = 12
"""Bytes that a host reads at once, at most, while they come."""

PART_OF_A_CARD: Final = 0.02
"""Seconds between two bytes above which they are not read at once."""


class Byte(NamedTuple):
    """One byte on the wire: when it is all there, and which."""

    at: float
    value: int


class Told(NamedTuple):
    """An event, and when it was told."""

    at: float
    event: DeviceEvent


class Lying(NamedTuple):
    """A card that lies on the table, and when all of it had been sent."""

    at: float
    card: str


Spoil = Callable[[random.Random, int], bytes]
"""What arrives in the place of a byte."""


def _other(luck: random.Random, byte: int) -> bytes:
    return bytes([byte ^ luck.randint(1, 255)])


def _flipped(luck: random.Random, byte: int) -> bytes:
    return bytes([byte ^ 1 << luck.randrange(8)])


SPOILT: Final[dict[str, Spoil]] = {
    "other bytes": _other,
    "a bit flipped in each": _flipped,
    "nothing but zeros": lambda _luck, byte: b"\0" if byte else b"\xff",
    "bytes lost": lambda _luck, _byte: b"",
}
"""Ways to spoil a byte; the rest of a frame of which bytes are lost is shorter."""


@dataclass(frozen=True)
class Case:
    """One way to spoil a card."""

    pause: float
    """Seconds between the cards."""
    begin: int
    """Index of the first byte that is spoiled, in what is sent of the card."""
    length: int
    """Bytes' times that are spoiled."""
    how: str
    """A name in `SPOILT`."""
    seed: str = ""

    def spoils(self, sent: Sequence[Byte], first: float, character_s: float) -> list[Byte]:
        """Return what arrives of *sent*, of which the card to be spoiled begins at *first*."""
        luck, spoil = random.Random(self.seed), SPOILT[self.how]
        begin = first + (self.begin + 0.5) * character_s
        end = begin + self.length * character_s
        return [
            Byte(at, value)
            for at, byte in sent
            for value in (spoil(luck, byte) if begin < at < end else bytes([byte]))
        ]


class Wire:
    """Cards sent one after the other, as the wire carries them."""

    def __init__(self, character_s: float, begin: float = 1000.0) -> None:
        self.character_s = character_s
        self.sent: list[Byte] = []
        self.now = begin

    def send(self, data: bytes) -> float:
        """Send *data* now; return when it had all left."""
        for byte in data:
            self.now += self.character_s
            self.sent.append(Byte(self.now, byte))
        return self.now


def chunks(arrived: Sequence[Byte], luck: random.Random) -> Iterator[tuple[float, bytes]]:
    """Yield what arrived as a host reads it: pieces of any size, each when its last byte came."""
    piece: list[Byte] = []
    most = luck.randint(1, LONGEST_CHUNK)
    for byte in arrived:
        if piece and (len(piece) == most or byte.at - piece[-1].at > PART_OF_A_CARD):
            yield piece[-1].at, bytes(one.value for one in piece)
            piece, most = [], luck.randint(1, LONGEST_CHUNK)
        piece.append(byte)
    if piece:
        yield piece[-1].at, bytes(one.value for one in piece)


def hear(codec: Codec, pieces: Iterator[tuple[float, bytes]], until: float) -> list[Told]:
    """Let the codec hear the pieces, and know the time, as a session does."""
    told: list[Told] = []
    for at, data in [*pieces, (until, b"")]:
        while (due := codec.wake_at()) is not None and due < at:
            told += [Told(due, event) for event in codec.tick(due)]
            codec.pending(due)
        if data:
            told += [Told(at, event) for event in codec.feed(data, at)]
    return told


def wrong_at(told: Sequence[Told], lying: Sequence[Lying], moment: float) -> str:
    """Say what is wrong at a moment: other cards are shown than lie there, and nothing is asked."""
    if any(isinstance(one.event, QUESTIONS) for one in told if one.at <= moment):
        return ""
    shown = [one.event.card for one in told if isinstance(one.event, CardOut) and one.at <= moment]
    there = [one.card for one in lying if one.at <= moment]
    return "" if shown == there else f"{shown} is shown, {there} lies there, and nothing is asked"


def asked(told: Sequence[Told]) -> bool:
    """Tell whether anything was asked."""
    return any(isinstance(one.event, QUESTIONS) for one in told)


def moment_after(wire: Wire, end: float, within: float) -> float:
    """Return when it must be known what became of what ended at *end*: no card is on its way."""
    moment = end + within
    for byte in wire.sent:
        if moment < byte.at <= moment + PART_OF_A_CARD:
            moment = byte.at
    return moment


def seeded(case: Case, seed: object) -> Case:
    """Return the case with its luck."""
    return replace(case, seed=f"{seed} {case}")
