"""Frames of the shoe: golden bytes both ways, and what the scanner makes of a bad line."""

import pytest

from drivers.angel_eye_wire import (
    SEQUENCE,
    Message,
    Scanner,
    byte_of,
    card_of,
    command,
    report,
)
from drivers.codec import Counters
from drivers.errors import RemoteProtocolError

REPORTS = [
    ("1", "D", "81 B8", "05 31 44 81 B8 03 34 46"),
    ("7", "D", "91 A5", "05 37 44 91 A5 03 34 34"),
    ("2", "G", "91", "05 32 47 91 03 45 37"),
    ("3", "C", "", "05 33 43 03 37 33"),
    ("4", "E", "C1", "05 34 45 C1 03 42 33"),
    ("5", "L", "81", "05 35 4C 81 03 46 42"),
    ("C", "S", "", "05 43 53 03 31 33"),
    ("D", "P", "", "05 44 50 03 31 37"),
]
COMMANDS = [
    ("LK", 1, "with-stx", "02 4F 50 4C 4B 30 31 03 31 38"),
    ("LK", 2, "with-stx", "02 4F 50 4C 4B 30 32 03 31 42"),
    ("LK", 2, "without-stx", "02 4F 50 4C 4B 30 32 03 31 39"),
    ("EC", 0, "with-stx", "02 4F 50 45 43 30 30 03 31 38"),
    ("EC", 0, "without-stx", "02 4F 50 45 43 30 30 03 31 41"),
    ("GP", 0, "with-stx", "02 4F 50 47 50 30 30 03 30 39"),
    ("GP", 0, "without-stx", "02 4F 50 47 50 30 30 03 30 42"),
]


def scan(*pieces: bytes) -> tuple[list[Message], Counters, Scanner]:
    counters = Counters()
    scanner = Scanner(counters)
    return [message for piece in pieces for message in scanner.feed(piece)], counters, scanner


@pytest.mark.parametrize(("sequence", "code", "data", "wire"), REPORTS)
def test_a_report_has_the_bytes_of_the_makers_examples(sequence, code, data, wire) -> None:
    assert report(sequence, code, bytes.fromhex(data)) == bytes.fromhex(wire)


@pytest.mark.parametrize(("sequence", "code", "data", "wire"), REPORTS)
def test_the_makers_examples_are_read(sequence, code, data, wire) -> None:
    raw = bytes.fromhex(wire)

    assert scan(raw)[0] == [Message(sequence, code, bytes.fromhex(data), raw)]


@pytest.mark.parametrize(("kind", "number", "span", "wire"), COMMANDS)
def test_a_command_has_the_bytes_of_the_makers_examples(kind, number, span, wire) -> None:
    assert command(kind, number, span) == bytes.fromhex(wire)


def test_every_card_byte_is_a_card_unread_or_impossible() -> None:
    seen: dict[str | None, int] = {}
    for byte in range(256):
        try:
            card = card_of(byte)
        except RemoteProtocolError:
            impossible = byte < 0x80 or byte & 0x0F > 13 or byte >> 4 & 7 > 4
            assert impossible, hex(byte)
        else:
            seen[card] = seen.get(card, 0) + 1
            if card is not None:
                assert byte_of(card) == byte

    assert len(seen) == 52 + 1
    # Unread: no suit with ranks 0 to 13, and no rank with four suits.
    assert seen[None] == 14 + 4


def test_a_frame_comes_whole_out_of_single_bytes() -> None:
    frame = report("1", "D", b"\x81\xb8")

    found, counters, scanner = scan(*[bytes([byte]) for byte in frame])

    assert [message.raw for message in found] == [frame]
    assert counters == Counters()
    assert not scanner.holds_part


@pytest.mark.parametrize(
    "before", ["05", "05 31", "05 31 44", "05 31 44 81", "05 31 44 03 34", "02"]
)
def test_a_false_start_does_not_cost_the_frame_behind_it(before) -> None:
    frame = report("1", "D", b"\x81\xb8")

    found, counters, _ = scan(bytes.fromhex(before) + frame)

    assert [message.raw for message in found] == [frame]
    assert counters.bytes_skipped == len(bytes.fromhex(before))
    starts = bytes.fromhex(before).count(b"\x05")
    assert counters.bad_frame + counters.bad_check == starts


@pytest.mark.parametrize("error", ["02", "03", "05", "06", "15", "FF"])
def test_a_refusal_is_two_bytes_whatever_the_second_is(error) -> None:
    frame = report("1", "C")

    found, counters, _ = scan(bytes.fromhex("15" + error) + frame)

    assert [message.raw for message in found] == [frame]
    assert (counters.naks, counters.bytes_skipped) == (1, 0)


def test_a_refusal_is_two_bytes_also_when_they_come_one_by_one() -> None:
    found, counters, _ = scan(b"\x15", b"\x05", report("1", "C"), b"\x06")

    assert len(found) == 1
    assert (counters.naks, counters.acks, counters.bytes_skipped) == (1, 1, 0)


def test_a_wrong_check_is_counted_and_lower_case_is_wrong() -> None:
    good = report("3", "D", b"\x81\xb9")
    assert good.endswith(b"C")

    found, counters, _ = scan(good[:-1] + b"c")

    assert found == []
    assert counters.bad_check == 1


def test_a_frame_that_does_not_end_is_given_up() -> None:
    endless = b"\x0511" + b"\x81" * 100

    found, counters, scanner = scan(endless + report("1", "C"))

    assert len(found) == 1
    assert counters.overflow == 1
    assert not scanner.holds_part


def test_the_sequence_is_ten_digits_and_all_letters() -> None:
    assert len(set(SEQUENCE)) == 36
