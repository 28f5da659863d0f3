"""The frames of the reference protocol, both ways; ``REFERENCE-PROTOCOL.md`` is its description.

::

    start  version  sequence  length  type  payload...   CRC
    A5     01       1 byte    1 byte  1     0..64 bytes  2 bytes, high byte first

The CRC is CRC-16/CCITT-FALSE from version to the end of the payload.  Numbers of more than one byte
have their high byte first.
"""

import binascii
import enum
from dataclasses import dataclass
from typing import ClassVar

from drivers.codec import Counters

START = 0xA5
VERSION = 0x01
PROTOCOL = 1
MOST_PAYLOAD = 64
_HEADER = 5
_CHECK = 2


class Type(enum.IntEnum):
    """What a frame is; those of a device have their top bit set, so an echo is never taken for one.

    The lengths of payloads are in `LENGTHS`.
    """

    ASK_HELLO = 0x01
    ASK_STATE = 0x02
    CLEAR_FAULT = 0x10
    EJECT = 0x11
    LOCK_DOOR = 0x12
    UNLOCK_DOOR = 0x13
    LAMPS = 0x20
    ARM = 0x21
    HELLO = 0x81
    STATE = 0x82
    HEARTBEAT = 0x83
    CARD_OUT = 0x84
    BUTTON = 0x85
    ACK = 0xF0
    NAK = 0xF1


LENGTHS: dict[int, range] = {
    Type.ASK_HELLO: range(1),
    Type.ASK_STATE: range(1),
    Type.CLEAR_FAULT: range(1, 2),
    Type.EJECT: range(1),
    Type.LOCK_DOOR: range(1),
    Type.UNLOCK_DOOR: range(1),
    Type.LAMPS: range(4, 5),
    Type.ARM: range(1, 2),
    Type.HELLO: range(6, 47),
    Type.STATE: range(9, 17),
    Type.HEARTBEAT: range(4, 6),
    Type.CARD_OUT: range(5, 6),
    Type.BUTTON: range(3, 4),
    Type.ACK: range(1, 2),
    Type.NAK: range(2, 3),
}
"""Payload bytes of each type; a type not listed may have any number up to `MOST_PAYLOAD`."""


class Kind(enum.IntEnum):
    """What a device is."""

    SHUFFLER = 1
    MULTISHUFFLER = 2
    BUTTONS = 3


class Reason(enum.IntEnum):
    """Why a device refused a command."""

    UNKNOWN = 1
    WRONG_VALUE = 2
    NOT_NOW = 3
    BUSY = 4
    FAILED = 5


REASONS = {
    Reason.UNKNOWN: "it does not know this command",
    Reason.WRONG_VALUE: "a value in it cannot be",
    Reason.NOT_NOW: "not in its present state",
    Reason.BUSY: "it is busy",
    Reason.FAILED: "it tried and could not",
}

STATES = (
    "offline",
    "idle",
    "loading",
    "shuffling",
    "ready",
    "delivering",
    "door-open",
    "jam",
    "count-mismatch",
    "duplicate-card",
    "unreadable-card",
    "damaged-card",
    "service",
)
"""The states of a card-handling device; on the wire each is its place in this list."""

FAULTS = frozenset(STATES[STATES.index("jam") : STATES.index("service")])
"""Those that end by a command to clear the fault."""

COLOURS = ("", "blue", "red", "green", "black", "brown", "purple", "grey")
"""Back colours of a deck set; on the wire each is its place in this list, 0 is not known."""

RANKS = "A23456789TJQK"
SUITS = "SHDC"
UNKNOWN_COUNT = 0xFFFF


@dataclass(frozen=True, slots=True)
class Frame:
    """One good frame."""

    sequence: int
    type: int
    payload: bytes
    raw: bytes

    SEQUENCES: ClassVar[int] = 256


class Flaw(enum.Enum):
    """Why something that began like a frame is none."""

    FRAME = enum.auto()
    CHECK = enum.auto()


def crc(covered: bytes) -> int:
    """Return the check over *covered*.

    >>> hex(crc(b"123456789"))
    '0x29b1'
    """
    return binascii.crc_hqx(covered, 0xFFFF)


def frame(sequence: int, kind: int, payload: bytes = b"") -> bytes:
    """Return a frame as it goes over the line.

    >>> frame(0, Type.ASK_HELLO).hex(" ")
    'a5 01 00 00 01 e2 55'
    """
    covered = bytes([VERSION, sequence % Frame.SEQUENCES, len(payload), kind]) + payload
    return bytes([START]) + covered + crc(covered).to_bytes(2, "big")


def byte_of(card: str | None) -> int:
    """Return the byte that stands for *card*, or for a card that could not be read.

    >>> hex(byte_of("8S")), byte_of(None)
    ('0x18', 0)
    """
    if card is None:
        return 0
    return SUITS.index(card[1]) + 1 << 4 | RANKS.index(card[0]) + 1


CARDS: dict[int, str | None] = {
    0: None,
    **{byte_of(rank + suit): rank + suit for suit in SUITS for rank in RANKS},
}
"""All bytes that stand for a card, and 0 for one that could not be read."""


class Scanner:
    """Finds the good frames in whatever comes over the line.

    After a flaw one byte is dropped and the search goes on behind it, so a false start never costs
    the frame that follows.  Holds no more than one unfinished frame.
    """

    def __init__(self, counters: Counters) -> None:
        """Count what is dropped in *counters*."""
        self._counters = counters
        self._held = b""

    @property
    def holds_part(self) -> bool:
        """Whether a frame has begun and not ended."""
        return bool(self._held)

    def forget(self) -> None:
        """Drop an unfinished frame."""
        self._held = b""

    def give_up(self) -> list[Frame]:
        """Learn that the rest of the unfinished frame does not come; return what hid behind it."""
        found: list[Frame] = []
        while self._held:
            self._counters.bytes_skipped += 1
            held, self._held = self._held[1:], b""
            found += self.feed(held)
        return found

    def feed(self, data: bytes) -> list[Frame]:
        """Take *data* and return the frames that are whole by now."""
        line, at, found = self._held + data, 0, list[Frame]()
        while at < len(line):
            if line[at] != START:
                self._counters.bytes_skipped += 1
                at += 1
                continue
            part = _judge(line, at)
            if part is None:
                break
            if isinstance(part, Frame):
                found.append(part)
                at += len(part.raw)
                continue
            if part is Flaw.CHECK:
                self._counters.bad_check += 1
            else:
                self._counters.bad_frame += 1
            self._counters.bytes_skipped += 1
            at += 1
        self._held = line[at:]
        return found


def _judge(line: bytes, at: int) -> Frame | Flaw | None:
    """Judge what starts at *at*: a frame, the flaw in it, or None while all is well so far."""
    header = line[at + 1 : at + _HEADER]
    if header and header[0] != VERSION:
        return Flaw.FRAME
    if len(header) > 2 and header[2] > MOST_PAYLOAD:
        return Flaw.FRAME
    if len(header) < _HEADER - 1:
        return None
    _, sequence, length, kind = header
    if kind in LENGTHS and length not in LENGTHS[kind]:
        return Flaw.FRAME
    end = at + _HEADER + length + _CHECK
    if len(line) < end:
        return None
    raw = line[at:end]
    if crc(raw[1:-_CHECK]) != int.from_bytes(raw[-_CHECK:], "big"):
        return Flaw.CHECK
    return Frame(sequence, kind, raw[_HEADER:-_CHECK], raw)
