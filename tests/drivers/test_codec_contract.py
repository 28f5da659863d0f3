"""What every codec promises, whatever its device."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.alpha_wire import FROM_SIGN, packet
from drivers.angel_eye_wire import report
from drivers.codec import Codec
from drivers.errors import RemoteProtocolError
from drivers.events import CardMismatch, CardOut, DeviceEvent, Press
from drivers.reference_wire import Kind, Type, frame
from drivers.reference_words import (
    ButtonMove,
    ButtonState,
    CardBeat,
    CardOutput,
    CardState,
    Hello,
    masks_of,
)
from drivers.registry import BUILT_IN

FRAMES = [
    report("0", "S"),
    report("1", "P"),
    report("2", "D", b"\x81\xb8"),
    report("3", "d", b"\x91\xc1"),
    report("4", "D", b"\x81\x80"),
    report("5", "R", b"\x81\x80"),
    report("6", "C"),
    report("7", "E", b"\xc1"),
    report("8", "e", b"\x81"),
    report("9", "L", b"\x81"),
    report("A", "G", b"\x91"),
    report("B", "M", b"\x80\x81\x82\x83\x84\x85"),
]
REPORTS = [bytes(8), *[bytes([0, 0, usage, 0, 0, 0, 0, 0]) for usage in (0x4B, 0, 0x1E, 0x51, 0)]]


def greeting(kind: Kind) -> bytes:
    return frame(0, Type.HELLO, Hello(kind, 1, started=False, firmware="1", serial="X-1").payload())


CARD_FRAMES = [
    frame(1, Type.ACK, b"\0"),
    frame(2, Type.STATE, CardState("ready", colour="blue", cards_inside=416).payload()),
    frame(3, Type.CARD_OUT, CardOutput(1, "8S").payload()),
    frame(4, Type.CARD_OUT, CardOutput(2, None).payload()),
    frame(5, Type.HEARTBEAT, CardBeat("ready", 2).payload()),
    frame(6, Type.STATE, CardState("jam", cards_out=2, retry=1).payload()),
    frame(7, Type.NAK, b"\1\3"),
    frame(8, Type.CARD_OUT, CardOutput(4, "TD").payload()),
    frame(9, 0xEE, b"for later"),
    frame(10, Type.HELLO, Hello(Kind.SHUFFLER, 1, True, "1", "X-1").payload()),
]
NOTHING_DOWN = frame(1, Type.STATE, ButtonState(frozenset(), frozenset(), None).payload())
BUTTON_FRAMES = [
    frame(2, Type.BUTTON, ButtonMove("surrender-3", down=True).payload()),
    frame(3, Type.BUTTON, ButtonMove("surrender-3", down=False).payload()),
    frame(4, Type.HEARTBEAT, masks_of(frozenset({"jackpot-2"}))),
    frame(5, Type.ACK, b"\0"),
]
WORDS = [
    b"[Game]<Card:4S> ",
    b"[Manual Burn Cards]<Card:10H> ",
    b"[Game]<Game> ",
    b"[Game]<Alarm:E3 Card Not Read> ",
    b"<W0x01> ",
    b"[Game]<Card:KC> ",
]
PACKETS = [packet(body, FROM_SIGN) for body in (b"E$AAL0040FFFF1BL00200000", b"G15000", b"AAx")]


@dataclass(frozen=True)
class Wire:
    """What one driver's device sends."""

    driver: str
    sent: list[bytes]
    """Good frames or reports, in an order that makes sense."""
    stuff: bytes
    """The bytes that frames are made of, for noise that looks like frames."""
    stream: bool
    """Whether the wire may cut what is sent anywhere."""
    options: dict[str, object] = field(default_factory=dict)
    opening: bytes = b""
    """What the device has said before."""

    def codec(self) -> Codec:
        codec = BUILT_IN[self.driver].codec(self.options)
        self.greet(codec, 0.0)
        return codec

    def greet(self, codec: Codec, now: float) -> None:
        codec.greet(now)
        codec.pending(now)
        if self.opening:
            assert codec.introduction() is None
            codec.feed(self.opening, now)
        assert codec.introduction() is not None


SHOE = Wire("angel-eye", FRAMES, b"\x02\x03\x05\x06\x15\x31\x44\x81\xb8\x34\x46", stream=True)
REFERENCE_STUFF = b"\xa5\x01\x00\x02\x05\x09\x81\x82\x84\xf0\xff"
SHUFFLER = Wire(
    "reference-shuffler",
    CARD_FRAMES,
    REFERENCE_STUFF,
    stream=True,
    opening=greeting(Kind.SHUFFLER),
)
BUTTONS = Wire(
    "reference-buttons",
    BUTTON_FRAMES,
    REFERENCE_STUFF,
    stream=True,
    opening=greeting(Kind.BUTTONS) + NOTHING_DOWN,
)
CHECKED = [SHOE, SHUFFLER, BUTTONS]
WIRES = [
    *CHECKED,
    Wire(
        "reference-multishuffler",
        CARD_FRAMES[:-1],
        REFERENCE_STUFF,
        stream=True,
        opening=greeting(Kind.MULTISHUFFLER),
    ),
    Wire("bee-tek", WORDS, b"[]<> :Game0AS\x00\xff", stream=True),
    Wire("alpha", PACKETS, b"\x00\x01\x02\x03\x040GA1$", stream=True),
    Wire("pcsensor", REPORTS, b"\x00\x01\x02\x4b\x51\x4e", stream=False),
    Wire("boot-keyboard", REPORTS, b"\x00\x01\x02\x1e\x04", stream=False),
]
every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.driver)


def hear(codec: Codec, pieces: list[bytes], now: float = 100.0) -> list[DeviceEvent]:
    return [event for piece in pieces for event in codec.feed(piece, now)]


def noise(wire: Wire, draw: st.DataObject) -> list[bytes]:
    """Pieces that are as like frames as can be: their bytes, their beginnings, their middles."""
    part = st.one_of(
        st.binary(max_size=12),
        st.lists(st.sampled_from(sorted(wire.stuff)), max_size=12).map(bytes),
        st.tuples(st.sampled_from(wire.sent), st.integers(0, 12)).map(lambda cut: cut[0][: cut[1]]),
    )
    return draw.draw(st.lists(part, max_size=12))


def changed(frame: bytes) -> Iterator[bytes]:
    """Every way to have one byte of *frame* wrong, missing or doubled."""
    for at in range(len(frame)):
        before, byte, after = frame[:at], frame[at], frame[at + 1 :]
        yield from (before + bytes([other]) + after for other in range(256) if other != byte)
        yield before + after
        yield before + bytes([byte, byte]) + after


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire.stream], ids=lambda w: w.driver)
@given(cuts=st.lists(st.integers(0, 200), max_size=40))
def test_how_the_bytes_are_cut_up_changes_nothing(wire, cuts) -> None:
    whole = b"".join(wire.sent)
    marks = sorted({0, len(whole), *[cut % len(whole) for cut in cuts]})
    pieces = [whole[a:b] for a, b in pairwise(marks)]

    assert hear(wire.codec(), pieces) == hear(wire.codec(), [whole])
    assert hear(wire.codec(), [bytes([byte]) for byte in whole]) == hear(wire.codec(), [whole])


@pytest.mark.parametrize(
    ("wire", "number"),
    [(wire, number) for wire in CHECKED for number in range(len(wire.sent))],
    ids=lambda value: value.driver if isinstance(value, Wire) else str(value),
)
def test_no_single_wrong_byte_tells_anything_the_frame_did_not_say(wire, number) -> None:
    before, right = wire.sent[:number], wire.sent[number]
    unspoiled = wire.codec()
    hear(unspoiled, before)
    means = hear(unspoiled, [right])
    for wrong in changed(right):
        codec = wire.codec()
        hear(codec, before)
        told = hear(codec, [wrong])
        # A doubled start byte leaves the frame itself whole.
        assert told == [] or (right in wrong and told == means), wrong.hex()


def test_no_single_wrong_byte_costs_the_next_copy() -> None:
    frame = report("2", "D", b"\x81\xb8")
    for wrong in changed(frame):
        told = hear(SHOE.codec(), [wrong, frame, frame])
        assert told == [CardOut("8S", frame.hex())], wrong.hex()


def test_no_two_flipped_bits_in_one_byte_make_another_card() -> None:
    frame = report("2", "D", b"\x81\xb8")
    for at in range(len(frame)):
        for first in range(8):
            for second in range(first):
                mask = 1 << first | 1 << second
                wrong = frame[:at] + bytes([frame[at] ^ mask]) + frame[at + 1 :]
                assert hear(SHOE.codec(), [wrong]) == [], wrong.hex()


@given(draw=st.data())
def test_behind_any_noise_one_of_two_copies_is_heard(draw) -> None:
    codec = SHOE.codec()
    frame = report("2", "D", b"\x81\xc1")
    hear(codec, noise(SHOE, draw))

    told = hear(codec, [frame, frame])

    # Unless the noise held this very frame, or another card under its number.
    if any(isinstance(event, CardMismatch) for event in told):
        return
    cards = [event for event in told if isinstance(event, CardOut)]
    assert cards in ([CardOut("AH", frame.hex())], [])
    if not cards:
        assert codec.counters.duplicates


@every_wire
@settings(deadline=None)  # a thousand calls an example
@given(draw=st.data())
def test_noise_raises_nothing_and_asks_to_be_woken_only_for_something(wire, draw) -> None:
    codec, now = wire.codec(), 0.0
    for piece in noise(wire, draw):
        now += draw.draw(st.sampled_from([0.0, 0.01, 0.06, 3.0]))
        codec.feed(piece, now)
        codec.pending(now)
        woken = 0
        while (due := codec.wake_at()) is not None and due <= now + 20 and woken < 200:
            woken += 1
            due = max(due, now)
            try:
                codec.tick(due)
            except RemoteProtocolError:
                wire.greet(codec, due)
            codec.pending(due)
            after = codec.wake_at()
            assert after is None or after > due
            now = due


@every_wire
@given(draw=st.data())
def test_a_greeting_forgets_all(wire, draw) -> None:
    used, fresh = wire.codec(), wire.codec()
    hear(used, noise(wire, draw))
    hear(used, wire.sent[: draw.draw(st.integers(0, len(wire.sent)))])
    used.pending(100.0)
    wire.greet(used, 200.0)
    wire.greet(fresh, 200.0)

    assert used.wake_at() == fresh.wake_at()
    for at, piece in enumerate([*noise(wire, draw), *wire.sent]):
        now = 200.0 + at / 10
        assert used.feed(piece, now) == fresh.feed(piece, now)
        assert used.pending(now) == fresh.pending(now)
        assert used.wake_at() == fresh.wake_at()


@every_wire
def test_greeting_keeps_the_counters(wire) -> None:
    codec = wire.codec()
    hear(codec, wire.sent)
    frames = codec.counters.frames
    codec.greet(200.0)

    assert codec.counters.frames == frames > 0


FLOODS = {
    "angel-eye": [b"\x05", b"\x0511", b"\x0511\x81\x81", b"\x15"],
    "reference-shuffler": [b"\xa5", b"\xa5\x01", b"\xa5\x01\x00\x40", b"\xa5\x01\x00\x40\xee"],
    "reference-buttons": [b"\xa5\x01\x00\x00", b"\xa5\x01\x00\x03\x85"],
    "bee-tek": [b"[", b"[Game]<Card:4S", b"[Game]<", b"x"],
    "alpha": [b"\x01", b"\x01000\x02", b"\x04", b"\x01x\x04"],
}


@pytest.mark.parametrize(
    ("driver", "stuff"),
    [(driver, stuff) for driver, floods in FLOODS.items() for stuff in [*floods, b"\0", b"\xff"]],
    ids=lambda value: value.hex() if isinstance(value, bytes) else value,
)
def test_a_flood_takes_bounded_time_and_room(driver, stuff) -> None:
    codec = next(wire for wire in WIRES if wire.driver == driver).codec()
    flood = (stuff * 4096)[:4096]
    begun = time.process_time()
    for _ in range(20):
        told = codec.feed(flood, 1.0)
        assert not any(isinstance(event, CardOut | Press) for event in told)

    assert time.process_time() - begun < 2.0
    # What is held at the end is given up by one tick, and is less than one frame.
    skipped = codec.counters.bytes_skipped
    codec.tick(2.5)
    assert codec.counters.bytes_skipped - skipped <= 1024
