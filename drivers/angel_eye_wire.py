"""The frames of an Angel Eye II-EX shoe, both ways; what they mean is decided elsewhere.

From the shoe::

    ENQ  sequence  code  data...  ETX  check check
    05   1 char    1     0..n     03   XOR of sequence to ETX, as two upper-case hex digits

Every data byte has its top bit set, so neither a start nor an end can hide among the data, and a
start byte inside a frame always means that the frame broke off.  To the shoe::

    STX  'OP'  kind  number    ETX  check check
    02         2     2 digits  03   XOR of STX to ETX, or without STX

(the maker's text leaves the STX out, the maker's example counts it in, so it is an option),
and the shoe answers a command by ACK, or by NAK and one byte, which may be any byte, even a start.
"""

import enum
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import xor
from typing import Literal

from drivers.codec import Counters
from drivers.errors import RemoteProtocolError

STX, ETX, ENQ, ACK, NAK = 0x02, 0x03, 0x05, 0x06, 0x15

SEQUENCE = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The order in which messages are numbered, over and over."""

MOST_DATA = 16
"""No message has more than 6 data bytes; beyond this a frame is not going to end."""

RANKS = "A23456789TJQK"
SUITS = {1: "D", 2: "C", 3: "S", 4: "H"}

FAULTS = {
    1: ("cannot-read", "The shoe could not read a card."),
    2: ("overdraw", "A card was drawn that the shoe did not expect."),
    3: ("mishandled-button", "A button on the shoe was pressed at the wrong time."),
    4: ("reverse-at-exit", "A card was pushed back at the exit of the shoe."),
    5: ("reverse-midway", "A card was pushed back halfway into the shoe."),
    6: ("card-code", "The code on a card is wrong."),
    7: ("draw-time-out", "A card was not drawn in time."),
}

CheckSpan = Literal["with-stx", "without-stx"]


@dataclass(frozen=True, slots=True)
class Message:
    """One good frame from the shoe."""

    sequence: str
    code: str
    data: bytes
    raw: bytes
    stray: bytes = field(default=b"", compare=False)
    """What came over the line before it, and behind the last good frame, and belongs to none."""


class Flaw(enum.Enum):
    """Why something that began like a frame is none."""

    FRAME = "of a wrong shape"
    CHECK = "its check does not fit"
    OVERFLOW = "it does not end"


def check(covered: bytes) -> bytes:
    """Return the two check characters over *covered*.

    >>> check(bytes.fromhex("31 44 81 B8 03"))
    b'4F'
    """
    return b"%02X" % reduce(xor, covered, 0)


def report(sequence: str, code: str, data: bytes = b"") -> bytes:
    """Return a frame as the shoe sends it."""
    covered = sequence.encode("ascii") + code.encode("ascii") + data + bytes([ETX])
    return bytes([ENQ]) + covered + check(covered)


def command(kind: str, number: int, span: CheckSpan = "with-stx") -> bytes:
    """Return a command to the shoe: *kind* is ``LK``, ``EC`` or ``GP``, *number* from 0 to 99."""
    covered = bytes([STX]) + f"OP{kind}{number:02d}".encode("ascii") + bytes([ETX])
    return covered + check(covered if span == "with-stx" else covered[1:])


def card_of(byte: int) -> str | None:
    """Return the card in a card byte, None if the shoe could not read it.

    Raises:
        RemoteProtocolError: there is no such rank or suit, or the top bit is not set.

    >>> card_of(0xB8), card_of(0x80)
    ('8S', None)
    """
    suit, rank = byte >> 4 & 0b111, byte & 0b1111
    if not byte & 0x80 or rank > len(RANKS) or (suit and suit not in SUITS):
        raise RemoteProtocolError(f"card byte {byte:02x} is no card")
    return RANKS[rank - 1] + SUITS[suit] if suit and rank else None


def byte_of(card: str | None) -> int:
    """Return the card byte of *card*, or of a card that could not be read.

    >>> hex(byte_of("8S"))
    '0xb8'
    """
    if card is None:
        return 0x80
    suit = next(code for code, letter in SUITS.items() if letter == card[1])
    return 0x80 | suit << 4 | (RANKS.index(card[0]) + 1)


class Scanner:
    """Finds the good frames in whatever comes over the line.

    After a flaw one byte is dropped and the search goes on behind it, so a false start never costs
    the frame that follows.  Holds no more than one unfinished frame.
    """

    def __init__(self, counters: Counters, *, answers: bool = True) -> None:
        """Count what is dropped in *counters*.

        Without *answers* nothing was sent that the shoe could answer: an ACK or NAK is as stray as
        any other byte then.
        """
        self._counters = counters
        self._answers = answers
        self._held = b""
        self._stray = bytearray()

    @property
    def holds_part(self) -> bool:
        """Whether a frame has begun and not ended."""
        return bool(self._held)

    def forget(self) -> None:
        """Drop an unfinished frame: all of it is stray."""
        self._drop(self._held)
        self._held = b""

    def take_stray(self) -> bytes:
        """Return what has come since the last good frame and belongs to none, once."""
        stray, self._stray = self._stray, bytearray()
        return bytes(stray)

    def feed(self, data: bytes) -> list[Message]:
        """Take *data* and return the frames that are whole by now."""
        line, at, found = self._held + data, 0, list[Message]()
        while at < len(line):
            width = 1
            if line[at] == ENQ:
                part = _frame(line, at)
                if part is None:
                    break
                if isinstance(part, Message):
                    found.append(replace(part, stray=self.take_stray()))
                    width = len(part.raw)
                else:
                    self._count(part)
                    self._drop(line[at : at + 1])
            elif line[at] == NAK and self._answers:
                if at + 1 == len(line):
                    break
                self._counters.naks += 1
                width = 2
            elif line[at] == ACK and self._answers:
                self._counters.acks += 1
            else:
                self._drop(line[at : at + 1])
            at += width
        self._held = line[at:]
        return found

    def _drop(self, data: bytes) -> None:
        self._counters.bytes_skipped += len(data)
        self._stray += data

    def _count(self, flaw: Flaw) -> None:
        match flaw:
            case Flaw.FRAME:
                self._counters.bad_frame += 1
            case Flaw.CHECK:
                self._counters.bad_check += 1
            case Flaw.OVERFLOW:
                self._counters.overflow += 1


def _frame(line: bytes, at: int) -> Message | Flaw | None:
    """Judge what starts at *at*: a message, the flaw in it, or None while all is well so far."""
    head = line[at + 1 : at + 3]
    if not all(0x21 <= byte <= 0x7E for byte in head):
        return Flaw.FRAME
    end = at + 3
    while end < len(line) and line[end] & 0x80:
        end += 1
        if end - at - 3 > MOST_DATA:
            return Flaw.OVERFLOW
    if end >= len(line):
        return None
    if line[end] != ETX:
        return Flaw.FRAME
    told, right = line[end + 1 : end + 3], check(line[at + 1 : end + 1])
    if told != right[: len(told)]:
        return Flaw.CHECK
    if len(told) < len(right):
        return None
    return Message(chr(head[0]), chr(head[1]), line[at + 3 : end], line[at : end + 3])
