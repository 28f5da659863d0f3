"""What the shoe's messages mean, and what they must never come to mean."""

import pytest

from drivers.angel_eye import DRIVER, AngelEyeCodec, AngelEyeOptions
from drivers.angel_eye_wire import SEQUENCE, report
from drivers.commands import CancelError, ConfirmProcess, LockShoe, UnlockShoe
from drivers.errors import LocalProtocolError, OptionError
from drivers.events import (
    CardMismatch,
    CardOut,
    CuttingCard,
    Fault,
    FaultCleared,
    Gap,
    LockState,
    Restarted,
    StandBy,
)


def codec(**options: object) -> AngelEyeCodec:
    return AngelEyeCodec(AngelEyeOptions(**options))


def cards(events: list) -> list:
    return [event.card for event in events if isinstance(event, CardOut)]


def card(sequence: str, byte: int, code: str = "D") -> bytes:
    return report(sequence, code, bytes([0x81, byte]))


@pytest.mark.parametrize(
    ("wire", "event"),
    [
        ("05 31 44 81 B8 03 34 46", CardOut("8S", "05314481b8033446")),
        ("05 37 44 91 A5 03 34 34", CardOut("5C", "05374491a5033434")),
        ("05 33 43 03 37 33", CuttingCard("053343033733")),
        (
            "05 34 45 C1 03 42 33",
            Fault("cannot-read", "The shoe could not read a card.", "053445c1034233"),
        ),
        ("05 35 4C 81 03 46 42", LockState(locked=True, raw="05354c81034642")),
        ("05 43 53 03 31 33", Restarted()),
        ("05 44 50 03 31 37", StandBy()),
    ],
)
def test_the_makers_examples_mean_what_they_say(wire, event) -> None:
    assert codec().feed(bytes.fromhex(wire), 0.0) == [event]


def test_a_game_result_means_nothing_here() -> None:
    shoe = codec()

    assert shoe.feed(bytes.fromhex("05 32 47 91 03 45 37"), 0.0) == []
    assert shoe.feed(report("3", "M", b"\x80\x81\x82\x83\x84\x85"), 0.0) == []
    assert shoe.feed(report("4", "X"), 0.0) == []
    assert (shoe.counters.ignored, shoe.counters.frames) == (3, 3)


@pytest.mark.parametrize("first", [0x81, 0x91, 0xA0, 0xC1, 0xD2, 0xFF])
@pytest.mark.parametrize("code", ["D", "d"])
def test_a_card_is_a_card_wherever_baccarat_would_put_it(code, first) -> None:
    events = codec().feed(report("0", code, bytes([first, 0xC1])), 0.0)

    assert cards(events) == ["AH"]


@pytest.mark.parametrize("byte", [0x80, 0x85, 0xB0])
def test_a_card_without_suit_or_rank_left_unread(byte) -> None:
    assert cards(codec().feed(card("0", byte), 0.0)) == [None]


@pytest.mark.parametrize(
    "frame",
    [
        card("1", 0x9E),  # rank 14
        card("1", 0x9F),  # rank 15
        card("1", 0xD1),  # suit 5
        card("1", 0xF1),  # suit 7
        report("1", "D", b"\x81"),
        report("1", "D", b"\x81\xb8\xb8"),
        report("1", "R", b"\xb8"),
        report("1", "E"),
        report("1", "C", b"\x80"),
    ],
)
def test_what_cannot_be_is_counted_and_shows_as_a_gap(frame) -> None:
    shoe = codec()
    shoe.feed(card("0", 0xB8), 0.0)

    assert shoe.feed(frame * 3, 0.1) == []
    assert shoe.counters.bad_frame == 3
    after = card("2", 0xB9)
    assert shoe.feed(after, 0.2) == [Gap(1, after.hex()), CardOut("9S", after.hex())]


def test_three_copies_are_one_card() -> None:
    shoe = codec()

    assert cards(shoe.feed(card("1", 0xB8) * 3, 0.0)) == ["8S"]
    assert (shoe.counters.frames, shoe.counters.duplicates) == (3, 2)


@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_one_good_copy_of_three_is_enough(damaged) -> None:
    copies = [card("1", 0xB8)] * 3
    for copy in {0, 1, 2} - {damaged}:
        copies[copy] = copies[copy][:-1] + b"?"

    assert cards(codec().feed(b"".join(copies), 0.0)) == ["8S"]


def test_the_same_number_with_another_card_is_another_card() -> None:
    shoe = codec()
    shoe.feed(card("1", 0xB8), 0.0)
    again = card("1", 0xB9)

    assert shoe.feed(again, 0.1) == [Gap(None, again.hex()), CardOut("9S", again.hex())]


def test_a_whole_turn_of_the_sequence_loses_no_card_and_invents_no_gap() -> None:
    shoe = codec()
    turns = SEQUENCE * 3

    events = [event for n, s in enumerate(turns) for event in shoe.feed(card(s, 0xB8) * 3, n * 0.1)]

    assert cards(events) == ["8S"] * len(turns)
    assert len(events) == len(turns)


def test_the_same_bytes_after_a_start_are_a_new_card() -> None:
    shoe = codec()

    first = shoe.feed(card("1", 0xB8), 0.0)
    start = shoe.feed(report("0", "S") * 3, 0.1)
    second = shoe.feed(card("1", 0xB8), 0.2)

    assert (cards(first), start, cards(second)) == (["8S"], [Restarted()], ["8S"])


def test_the_same_bytes_after_a_quiet_time_are_a_new_card() -> None:
    shoe = codec()
    frame = card("1", 0xB8)

    assert cards(shoe.feed(frame, 0.0)) == ["8S"]
    assert shoe.feed(frame, 2.0) == []
    # The repetition has begun the quiet time anew.
    assert shoe.feed(frame, 3.9) == []
    assert shoe.feed(frame, 6.0) == [CardOut("8S", frame.hex())]


@pytest.mark.parametrize(("sequence", "missed"), [("3", 1), ("Z", 33), ("0", 34), ("1", None)])
def test_a_jump_in_the_sequence_is_one_gap_before_the_card(sequence, missed) -> None:
    shoe = codec()
    shoe.feed(card("1", 0xB8), 0.0)
    frame = card(sequence, 0xB9)

    assert shoe.feed(frame * 3, 0.1) == [Gap(missed, frame.hex()), CardOut("9S", frame.hex())]
    assert shoe.counters.missed == 1


def test_a_gap_is_not_told_where_the_sequence_shows_nothing() -> None:
    off = codec(sequence_gaps=False)
    assert len(off.feed(card("1", 0xB8) + card("5", 0xB9), 0.0)) == 2

    quiet = codec()
    quiet.feed(card("1", 0xB8), 0.0)
    assert len(quiet.feed(card("5", 0xB9), 2.1)) == 1

    strange = codec()
    assert len(strange.feed(card("a", 0xB8) + card("7", 0xB9), 0.0)) == 2

    greeted = codec()
    greeted.feed(card("1", 0xB8), 0.0)
    greeted.greet(0.1)
    assert len(greeted.feed(card("5", 0xB9), 0.1)) == 1


def test_with_an_endless_memory_a_gap_is_told_after_any_silence() -> None:
    shoe = codec(sequence_quiet_ms=0)
    shoe.feed(card("1", 0xB8), 0.0)

    assert isinstance(shoe.feed(card("3", 0xB9), 9999.0)[0], Gap)


def test_after_a_start_the_sequence_goes_on_from_the_start() -> None:
    shoe = codec()
    shoe.feed(card("1", 0xB8), 0.0)

    assert shoe.feed(report("9", "S"), 0.1) == [Restarted()]
    assert isinstance(shoe.feed(card("B", 0xB8), 0.2)[0], Gap)


def test_a_card_told_again_is_dropped_and_another_one_is_a_mismatch() -> None:
    shoe = codec()
    shoe.feed(card("1", 0xB8), 0.0)

    assert shoe.feed(card("2", 0xB8, "R"), 0.1) == []
    assert shoe.counters.retransmissions == 1
    other = card("3", 0xB9, "R")
    assert shoe.feed(other * 3, 0.2) == [CardMismatch("9S", "8S", other.hex())]


def test_a_card_told_again_never_counts_as_a_card() -> None:
    shoe = codec()
    frame = card("1", 0xB8, "R")

    assert shoe.feed(frame * 3, 0.0) == [CardMismatch("8S", None, frame.hex())]


def test_an_unread_card_told_again_readably_is_a_mismatch() -> None:
    shoe = codec()
    shoe.feed(card("1", 0x80), 0.0)
    unread, read = card("2", 0x80, "R"), card("3", 0xB8, "R")

    assert shoe.feed(unread, 0.1) == []
    assert shoe.feed(read, 0.2) == [CardMismatch("8S", None, read.hex())]


FAULTS = [
    *("cannot-read", "overdraw", "mishandled-button", "reverse-at-exit", "reverse-midway"),
    *("card-code", "draw-time-out"),
]


def test_a_fault_has_the_same_code_coming_and_going() -> None:
    shoe = codec()

    for number, code in enumerate(FAULTS, 1):
        came = shoe.feed(report("0", "E", bytes([0xC0 | number])), number * 9)
        went = shoe.feed(report("1", "e", bytes([0x80 | number])), number * 9)
        assert isinstance(came[0], Fault)
        assert isinstance(went[0], FaultCleared)
        assert came[0].code == went[0].code == code
    assert shoe.feed(report("0", "E", b"\x8c"), 99.0)[0].code == "error-12"


def test_a_lock_opens() -> None:
    frame = report("1", "L", b"\x80")

    assert codec().feed(frame, 0.0) == [LockState(locked=False, raw=frame.hex())]


def test_the_rest_of_a_frame_that_comes_too_late_is_no_card() -> None:
    shoe = codec()
    frame = card("1", 0xB8)
    shoe.feed(frame[:5], 10.0)

    assert shoe.wake_at() == pytest.approx(10.05)
    assert shoe.tick(10.04) == []
    assert shoe.counters.gap_resets == 0
    shoe.tick(shoe.wake_at())
    assert shoe.wake_at() is None
    assert shoe.feed(frame[5:], 10.06) == []
    assert shoe.counters.gap_resets == 1


def test_a_late_rest_is_no_card_either_when_nobody_looked_in_between() -> None:
    shoe = codec()
    shoe.feed(card("1", 0xB8)[:5], 10.0)

    assert shoe.feed(card("1", 0xB8)[5:], 10.06) == []
    assert shoe.counters.gap_resets == 1


def test_a_slow_line_waits_ten_characters() -> None:
    shoe = codec(baud=300)
    shoe.feed(b"\x05", 0.0)

    assert shoe.wake_at() == pytest.approx(10 * 10 / 300)


@pytest.mark.parametrize(
    ("command", "wire"),
    [
        (UnlockShoe(), "02 4F 50 4C 4B 30 31 03 31 38"),
        (LockShoe(), "02 4F 50 4C 4B 30 32 03 31 42"),
        (CancelError(), "02 4F 50 45 43 30 30 03 31 38"),
        (CancelError("cannot-read"), "02 4F 50 45 43 30 31 03 31 39"),
        (ConfirmProcess(), "02 4F 50 47 50 30 30 03 30 39"),
    ],
)
def test_commands_have_golden_bytes(command, wire) -> None:
    assert codec(commands=True).encode(command) == bytes.fromhex(wire)


def test_the_check_of_a_command_may_leave_out_its_first_byte() -> None:
    shoe = codec(commands=True, command_bcc="without-stx")

    assert shoe.encode(LockShoe()).endswith(b"\x0319")


def test_no_command_leaves_unless_they_are_switched_on() -> None:
    with pytest.raises(LocalProtocolError, match="commands is off"):
        codec().encode(LockShoe())


def test_a_fault_that_is_none_cannot_be_cancelled() -> None:
    with pytest.raises(LocalProtocolError, match=r"no fault 'hiccup'.*cannot-read"):
        codec(commands=True).encode(CancelError("hiccup"))


def test_options_come_from_settings() -> None:
    assert DRIVER.line({}).baud == 4800
    assert DRIVER.line({"baud": 9600, "framing": "7E1"}).framing == "7E1"
    with pytest.raises(OptionError, match=r"command_bcc = 'no'.*with-stx, without-stx"):
        DRIVER.codec({"command_bcc": "no"})
