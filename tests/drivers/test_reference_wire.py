"""The bytes of the reference protocol: the document's own examples, and every way to spoil them."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import drivers
from drivers.codec import Counters
from drivers.errors import RemoteProtocolError
from drivers.reference_wire import (
    CARDS,
    COLOURS,
    LENGTHS,
    MOST_PAYLOAD,
    REASONS,
    STATES,
    Kind,
    Reason,
    Scanner,
    Type,
    byte_of,
    crc,
    frame,
)
from drivers.reference_words import (
    ButtonMove,
    ButtonState,
    CardBeat,
    CardOutput,
    CardState,
    Hello,
    buttons_in,
    masks_of,
)

DOCUMENT = (Path(drivers.__file__).parent / "REFERENCE-PROTOCOL.md").read_text()
EXAMPLES = dict(re.findall(r"^\| `(A5 [0-9A-F ]+)` \| ([^|]+?) \|$", DOCUMENT, flags=re.MULTILINE))

S3 = frozenset({"surrender-3"})
SAID = {
    "ASK-HELLO": (0, Type.ASK_HELLO, b""),
    "ACK of 0": (0, Type.ACK, b"\0"),
    "HELLO shuffler, firmware 2.1, serial S-0042": (
        1,
        Type.HELLO,
        Hello(Kind.SHUFFLER, 1, started=False, firmware="2.1", serial="S-0042").payload(),
    ),
    "ASK-STATE": (1, Type.ASK_STATE, b""),
    "ACK of 1": (2, Type.ACK, b"\1"),
    "STATE ready, locked, blue, 416 cards inside": (
        3,
        Type.STATE,
        CardState("ready", locked=True, colour="blue", cards_inside=416).payload(),
    ),
    "CARD-OUT 1, eight of spades": (4, Type.CARD_OUT, CardOutput(1, "8S").payload()),
    "CARD-OUT 2, not read": (5, Type.CARD_OUT, CardOutput(2, None).payload()),
    "HEARTBEAT delivering, 2 cards out": (6, Type.HEARTBEAT, CardBeat("delivering", 2).payload()),
    "STATE jam, attempt 2": (
        7,
        Type.STATE,
        CardState("jam", True, "blue", 414, 2, retry=2).payload(),
    ),
    "STATE count mismatch, 416 expected, 415 got": (
        8,
        Type.STATE,
        CardState("count-mismatch", True, "blue", 415, 2, expected=416, got=415).payload(),
    ),
    "STATE duplicate card, ten of diamonds": (
        9,
        Type.STATE,
        CardState("duplicate-card", True, "blue", 414, 2, card="TD").payload(),
    ),
    "CLEAR-FAULT jam": (2, Type.CLEAR_FAULT, b"\7"),
    "NAK of 2, not in this state": (8, Type.NAK, b"\2\3"),
    "EJECT": (3, Type.EJECT, b""),
    "LOCK-DOOR": (4, Type.LOCK_DOOR, b""),
    "UNLOCK-DOOR": (5, Type.UNLOCK_DOOR, b""),
    "LAMPS surrender 3, jackpot 1, shared jackpot": (
        6,
        Type.LAMPS,
        masks_of(S3 | {"jackpot-1", "jackpot"}),
    ),
    "ARM box 3": (7, Type.ARM, b"\3"),
    "BUTTON surrender 3 down": (10, Type.BUTTON, ButtonMove("surrender-3", down=True).payload()),
    "BUTTON surrender 3 up": (11, Type.BUTTON, ButtonMove("surrender-3", down=False).payload()),
    "BUTTON jackpot 3 down": (12, Type.BUTTON, ButtonMove("jackpot-3", down=True).payload()),
    "STATE surrender 3 down, surrender 3 and shared jackpot lit, box 3 armed": (
        13,
        Type.STATE,
        ButtonState(S3, S3 | {"jackpot"}, 3).payload(),
    ),
    "HEARTBEAT surrender 3 down": (14, Type.HEARTBEAT, masks_of(S3)),
}


def test_every_example_of_the_document_is_checked() -> None:
    assert set(EXAMPLES.values()) == set(SAID)
    assert {kind for _, kind, _ in SAID.values()} == set(Type)


@pytest.mark.parametrize(("bytes_", "said"), EXAMPLES.items(), ids=EXAMPLES.values())
def test_an_example_of_the_document_is_what_goes_over_the_line(bytes_, said) -> None:
    wire = bytes.fromhex(bytes_)
    counters = Counters()

    assert frame(*SAID[said]) == wire
    (read,) = Scanner(counters).feed(wire)
    assert (read.sequence, read.type, read.payload, read.raw) == (*SAID[said], wire)
    assert counters == Counters()


def test_the_document_lists_all_types_states_colours_and_reasons() -> None:
    for kind in Type:
        name = kind.name.replace("_", "-")
        assert f"| {kind:02X} | {name} |" in DOCUMENT, name
    for number, state in enumerate(STATES):
        assert f"| {number} | {state.upper()} |" in DOCUMENT, state
    for number, colour in enumerate(COLOURS[1:], 1):
        assert f"{number} {colour}" in DOCUMENT, colour
    assert set(REASONS) == set(Reason)
    assert set(LENGTHS) == set(Type)


def test_the_check_is_the_one_the_document_names() -> None:
    assert crc(b"123456789") == 0x29B1


@pytest.mark.parametrize("wire", [frame(*said) for said in SAID.values()], ids=SAID)
def test_no_wrong_byte_makes_a_frame(wire) -> None:
    for at in range(len(wire)):
        for other in range(256):
            wrong = wire[:at] + bytes([other]) + wire[at + 1 :]
            if other != wire[at]:
                assert Scanner(Counters()).feed(wrong) == [], wrong.hex()
        assert Scanner(Counters()).feed(wire[:at] + wire[at + 1 :]) == []


def test_no_flaw_costs_the_frame_behind_it() -> None:
    wire, next_ = frame(4, Type.CARD_OUT, b"\0\0\0\1\x18"), frame(5, Type.ACK, b"\0")
    for at in range(len(wire)):
        for other in range(256):
            scanner = Scanner(Counters())
            found = scanner.feed(wire[:at] + bytes([other]) + wire[at + 1 :] + next_)
            found += scanner.give_up()
            assert found[-1].raw == next_, (at, other)


def test_what_hid_behind_a_false_start_is_found_when_the_line_pauses() -> None:
    scanner = Scanner(counters := Counters())
    hidden = [frame(n, Type.ACK, b"\0") for n in range(4)]
    assert scanner.feed(bytes.fromhex("A5 01 07 40 7E") + b"".join(hidden)) == []
    assert scanner.holds_part

    assert [each.raw for each in scanner.give_up()] == hidden
    assert not scanner.holds_part
    assert counters.bytes_skipped == 5


def test_a_false_start_of_a_known_type_holds_nothing_up() -> None:
    scanner = Scanner(Counters())
    hidden = frame(1, Type.ACK, b"\0")
    assert [each.raw for each in scanner.feed(bytes.fromhex("A5 01 07 40 84") + hidden)] == [hidden]


def test_frames_of_an_unknown_type_are_frames_if_they_are_not_too_long() -> None:
    assert len(Scanner(Counters()).feed(frame(0, 0xEE, bytes(MOST_PAYLOAD)))) == 1
    assert Scanner(Counters()).feed(frame(0, 0xEE, bytes(MOST_PAYLOAD + 1))) == []


def test_a_held_line_is_no_frame() -> None:
    counters = Counters()
    assert Scanner(counters).feed(bytes(1000)) == []
    assert counters.bytes_skipped == 1000


@given(st.binary(max_size=300), st.lists(st.integers(1, 40), max_size=30))
def test_any_bytes_in_any_pieces_give_the_same(noise, sizes) -> None:
    whole = noise + frame(1, Type.ACK, b"\0") + noise
    scanner, at, found = Scanner(Counters()), 0, []
    for size in sizes:
        found += scanner.feed(whole[at : at + size])
        at += size
    found += scanner.feed(whole[at:])

    assert found == Scanner(Counters()).feed(whole)


def test_every_card_has_a_byte_and_no_two_the_same() -> None:
    assert len(CARDS) == 53
    assert len(set(CARDS.values())) == 53
    for byte, card in CARDS.items():
        assert byte_of(card) == byte


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("inside", [None, 0, 416])
def test_a_state_is_read_as_it_was_written(state, inside) -> None:
    said = CardState(state, True, "red", inside, 70_000, 3, 416, 415, "TD")

    assert CardState.read(said.payload()) == said


WORD = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=16)


@given(st.sampled_from(Kind), st.booleans(), WORD, WORD)
def test_a_greeting_is_read_as_it_was_written(kind, started, firmware, serial) -> None:
    hello = Hello(kind, 1, started, firmware, serial)

    assert Hello.read(hello.payload()) == hello


@given(st.binary(min_size=6, max_size=46))
def test_a_greeting_is_read_or_refused(payload) -> None:
    try:
        hello = Hello.read(payload)
    except RemoteProtocolError:
        return
    assert hello.payload() == payload


@pytest.mark.parametrize(
    ("read", "payload"),
    [
        (CardState.read, "0d 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
        (CardState.read, "01 02 00 00 00 00 00 00 00 00 00 00 00 00 00"),
        (CardState.read, "01 00 08 00 00 00 00 00 00 00 00 00 00 00 00"),
        (CardState.read, "01 00 00 00 00 00 00 00 00 00 00 00 00 00 1e"),
        (CardState.read, "01 00 00 00 00 00 00 00 00"),
        (CardBeat.read, "0d 00 00 00 00"),
        (CardBeat.read, "01 00 00 00"),
        (CardOutput.read, "00 00 00 00 11"),
        (CardOutput.read, "00 00 00 01 51"),
        (CardOutput.read, "00 00 00 01 10"),
        (Hello.read, "04 01 00 31 00 32"),
        (Hello.read, "01 01 02 31 00 32"),
        (Hello.read, "01 01 00 31 32 32"),
        (Hello.read, "01 01 00 31 00 20"),
        (Hello.read, "01 01 00 00 32 32"),
        (Hello.read, "01 01 00" + "31" * 17 + "00 32"),
        (Hello.read, "01 01 00 31 00" + "32" * 25),
    ],
)
def test_what_cannot_be_is_refused(read, payload) -> None:
    with pytest.raises(RemoteProtocolError, match=r"impossible|none of|bytes, not"):
        read(bytes.fromhex(payload))


@pytest.mark.parametrize(
    ("read", "payload"),
    [
        (ButtonMove.read, "04 01 01"),
        (ButtonMove.read, "00 01 01"),
        (ButtonMove.read, "01 03 01"),
        (ButtonMove.read, "01 00 01"),
        (ButtonMove.read, "01 01 02"),
        (ButtonState.read, "00 00 00 00 00 00 00 00 04"),
        (ButtonState.read, "00 10 00 00 00 00 00 00 00"),
        (ButtonState.read, "00 01 00 00 00 00 00 00 00"),
        (ButtonState.read, "00 00 00 00 00 00 00 10 00"),
        (ButtonState.read, "00 00 00 00 00 00 00 00"),
        (buttons_in, "00 00 00 00 00"),
    ],
)
def test_a_button_that_is_not_there_is_refused(read, payload) -> None:
    with pytest.raises(RemoteProtocolError):
        read(bytes.fromhex(payload), 3)


BUTTONS = [f"{name}-{box}" for name in ("surrender", "jackpot") for box in range(1, 10)]


@given(st.frozensets(st.sampled_from([*BUTTONS, "jackpot"])), st.none() | st.integers(1, 9))
def test_buttons_are_read_as_they_were_written(buttons, armed) -> None:
    assert buttons_in(masks_of(buttons), 9) == buttons
    state = ButtonState(buttons, buttons, armed)
    assert ButtonState.read(state.payload(), 9) == state


@pytest.mark.parametrize("button", [*BUTTONS, "jackpot"])
def test_a_move_is_read_as_it_was_written(button) -> None:
    for down in (True, False):
        assert ButtonMove.read(ButtonMove(button, down).payload(), 9) == ButtonMove(button, down)
