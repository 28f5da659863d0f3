"""What is inside the frames of the reference protocol: payloads as values, and back."""

import re
import struct
from typing import NamedTuple, Self

from drivers.errors import RemoteProtocolError
from drivers.reference_wire import CARDS, COLOURS, STATES, UNKNOWN_COUNT, Kind, byte_of

_WORD = re.compile(r"[!-~]+")
LONGEST_FIRMWARE = 16
LONGEST_SERIAL = 24
MOST_BOXES = 15

_CARD_STATE = struct.Struct(">BBBHIBHHB")
_CARD_BEAT = struct.Struct(">BI")
_BUTTON_STATE = struct.Struct(">HHHHB")
_TWO_MASKS = struct.Struct(">HH")


class Hello(NamedTuple):
    """Who a device is."""

    kind: Kind
    protocol: int
    started: bool
    """Whether the device says this because it has just been switched on."""
    firmware: str
    serial: str

    @property
    def identity(self) -> str:
        """Kind, serial and firmware, one word each."""
        return f"{self.kind.name.lower()} {self.serial} {self.firmware}"

    def payload(self) -> bytes:
        """Return the payload of a HELLO."""
        words = self.firmware.encode("ascii") + b"\0" + self.serial.encode("ascii")
        return bytes([self.kind, self.protocol, self.started]) + words

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Read the payload of a HELLO.

        Raises:
            RemoteProtocolError: there is no such kind, or a word is empty, too long or unprintable.

        """
        kind, protocol, started = payload[:3]
        words = payload[3:].decode("latin-1").split("\0")
        if kind not in list(Kind) or started > 1 or len(words) != 2:
            raise RemoteProtocolError(f"HELLO {payload.hex()} has an impossible value")
        for word, longest in zip(words, (LONGEST_FIRMWARE, LONGEST_SERIAL), strict=True):
            if len(word) > longest or not _WORD.fullmatch(word):
                raise RemoteProtocolError(f"HELLO {payload.hex()} has an impossible word")
        return cls(Kind(kind), protocol, bool(started), *words)


class CardState(NamedTuple):
    """How a card-handling device is."""

    state: str
    locked: bool = False
    colour: str = ""
    cards_inside: int | None = None
    cards_out: int = 0
    retry: int = 0
    expected: int = 0
    got: int = 0
    card: str | None = None

    def payload(self) -> bytes:
        """Return the payload of a STATE."""
        inside = UNKNOWN_COUNT if self.cards_inside is None else self.cards_inside
        return _CARD_STATE.pack(
            STATES.index(self.state),
            self.locked,
            COLOURS.index(self.colour),
            inside,
            self.cards_out,
            self.retry,
            self.expected,
            self.got,
            byte_of(self.card),
        )

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Read the payload of a STATE.

        Raises:
            RemoteProtocolError: a wrong length, or a state, colour, flag or card that cannot be.

        """
        if len(payload) != _CARD_STATE.size:
            raise RemoteProtocolError(f"STATE with {len(payload)} bytes, not {_CARD_STATE.size}")
        state, flags, colour, inside, out, retry, expected, got, card = _CARD_STATE.unpack(payload)
        if state >= len(STATES) or flags > 1 or colour >= len(COLOURS) or card not in CARDS:
            raise RemoteProtocolError(f"STATE {payload.hex()} has an impossible value")
        return cls(
            STATES[state],
            bool(flags),
            COLOURS[colour],
            None if inside == UNKNOWN_COUNT else inside,
            out,
            retry,
            expected,
            got,
            CARDS[card],
        )


class CardBeat(NamedTuple):
    """The heartbeat of a card-handling device."""

    state: str
    cards_out: int

    def payload(self) -> bytes:
        """Return the payload of a HEARTBEAT."""
        return _CARD_BEAT.pack(STATES.index(self.state), self.cards_out)

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Read the payload of a HEARTBEAT.

        Raises:
            RemoteProtocolError: a wrong length, or no such state.

        """
        if len(payload) != _CARD_BEAT.size or payload[0] >= len(STATES):
            raise RemoteProtocolError(f"HEARTBEAT {payload.hex()} is none of a card device")
        state, out = _CARD_BEAT.unpack(payload)
        return cls(STATES[state], out)


class CardOutput(NamedTuple):
    """A card that left a device."""

    number: int
    card: str | None

    def payload(self) -> bytes:
        """Return the payload of a CARD-OUT."""
        return self.number.to_bytes(4, "big") + bytes([byte_of(self.card)])

    @classmethod
    def read(cls, payload: bytes) -> Self:
        """Read the payload of a CARD-OUT.

        Raises:
            RemoteProtocolError: there is no such card, or the number is 0.

        """
        number = int.from_bytes(payload[:4], "big")
        if payload[4] not in CARDS or not number:
            raise RemoteProtocolError(f"CARD-OUT {payload.hex()} has an impossible value")
        return cls(number, CARDS[payload[4]])


Buttons = frozenset[str]
"""Names of buttons: ``surrender-3``, ``jackpot-3``, and ``jackpot`` for one shared by all boxes."""


def masks_of(buttons: Buttons) -> bytes:
    """Return two masks, surrender and jackpot; bit n is box n, bit 0 the shared jackpot button.

    >>> masks_of(frozenset({"surrender-3", "jackpot"})).hex(" ")
    '00 08 00 01'
    """
    masks = {"surrender": 0, "jackpot": 0}
    for button in buttons:
        name, _, box = button.partition("-")
        masks[name] |= 1 << int(box or 0)
    return _TWO_MASKS.pack(masks["surrender"], masks["jackpot"])


def buttons_in(masks: bytes, boxes: int) -> Buttons:
    """Return the names in two masks.

    Raises:
        RemoteProtocolError: a wrong length, or a box beyond *boxes*.

    """
    if len(masks) != _TWO_MASKS.size:
        raise RemoteProtocolError(f"{masks.hex()} are no two masks")
    surrender, jackpot = _TWO_MASKS.unpack(masks)
    if (surrender | jackpot) >> (boxes + 1) or surrender & 1:
        raise RemoteProtocolError(f"{masks.hex()} has a button that this box has not")
    named = {f"surrender-{box}" for box in range(1, boxes + 1) if surrender >> box & 1}
    named |= {f"jackpot-{box}" for box in range(1, boxes + 1) if jackpot >> box & 1}
    return frozenset(named | ({"jackpot"} if jackpot & 1 else set()))


class ButtonState(NamedTuple):
    """How a button box is."""

    down: Buttons
    lit: Buttons
    armed: int | None

    def payload(self) -> bytes:
        """Return the payload of a STATE."""
        return masks_of(self.down) + masks_of(self.lit) + bytes([self.armed or 0])

    @classmethod
    def read(cls, payload: bytes, boxes: int) -> Self:
        """Read the payload of a STATE.

        Raises:
            RemoteProtocolError: a wrong length, or a box beyond *boxes*.

        """
        if len(payload) != _BUTTON_STATE.size or payload[8] > boxes:
            raise RemoteProtocolError(f"STATE {payload.hex()} is none of {boxes} boxes")
        down, lit = buttons_in(payload[:4], boxes), buttons_in(payload[4:8], boxes)
        return cls(down, lit, payload[8] or None)


class ButtonMove(NamedTuple):
    """A button that went down or up."""

    button: str
    down: bool

    def payload(self) -> bytes:
        """Return the payload of a BUTTON."""
        name, _, box = self.button.partition("-")
        return bytes([int(box or 0), 1 if name == "surrender" else 2, self.down])

    @classmethod
    def read(cls, payload: bytes, boxes: int) -> Self:
        """Read the payload of a BUTTON.

        Raises:
            RemoteProtocolError: there is no such button.

        """
        box, name, down = payload
        if box > boxes or name not in {1, 2} or down > 1 or (box == 0 and name == 1):
            raise RemoteProtocolError(f"BUTTON {payload.hex()} is none of {boxes} boxes")
        word = "surrender" if name == 1 else "jackpot"
        return cls(f"{word}-{box}" if box else word, bool(down))
