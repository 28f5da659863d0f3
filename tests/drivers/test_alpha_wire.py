"""The packets of the Alpha protocol, and every way to spoil one."""

import pytest

from drivers import alpha_wire as wire
from drivers.alpha import AMOUNT, PAGE
from drivers.alpha_wire import Scanner, check, files_in, packet
from drivers.codec import Counters

H = bytes.fromhex


@pytest.mark.parametrize(
    ("body", "bytes_"),
    [
        (b"AAHELLO", "00 00 00 00 00 01 5A 30 30 02 41 41 48 45 4C 4C 4F 03 30 31 46 42 04"),
        (b"F$", "00 00 00 00 00 01 5A 30 30 02 46 24 03 30 30 36 46 04"),
        (b"E$", "00 00 00 00 00 01 5A 30 30 02 45 24 03 30 30 36 45 04"),
        (b"H1", "00 00 00 00 00 01 5A 30 30 02 48 31 03 30 30 37 45 04"),
        (b"BA", "00 00 00 00 00 01 5A 30 30 02 42 41 03 30 30 38 38 04"),
    ],
)
def test_a_packet_is_as_the_manual_has_it(body, bytes_) -> None:
    assert packet(body) == H(bytes_)
    assert Scanner(Counters(), wire.TO_ALL).feed(H(bytes_)) == [body]


def test_the_sum_is_the_one_that_was_measured() -> None:
    assert check(b"\x02GaREAD ME\x03") == b"027B"
    answer = b"\x01000\x02GaREAD ME\x03027B\x04"
    assert Scanner(Counters()).feed(answer) == [b"GaREAD ME"]
    assert packet(b"GaREAD ME", wire.FROM_SIGN)[5:] == answer


def test_the_eighth_bit_is_no_matter() -> None:
    answer = packet(b"GaREAD ME", wire.FROM_SIGN)
    assert Scanner(Counters()).feed(bytes(byte | 0x80 for byte in answer)) == [b"GaREAD ME"]


def test_no_wrong_byte_makes_another_answer() -> None:
    answer = packet(b"G15000", wire.FROM_SIGN)[5:]
    for at in range(len(answer)):
        for other in range(128):
            wrong = answer[:at] + bytes([other]) + answer[at + 1 :]
            assert Scanner(Counters()).feed(wrong) == ([b"G15000"] if wrong == answer else [])


def test_a_broken_answer_costs_nothing_behind_it() -> None:
    counters = Counters()
    good = packet(b"G15000", wire.FROM_SIGN)
    assert Scanner(counters).feed(good[:12] + good) == [b"G15000"]
    assert counters.bad_frame == 1
    flood = bytes([wire.SOH]) + b"x" * (3 * wire.LONGEST_PACKET)
    assert Scanner(counters).feed(flood + good) == [b"G15000"]
    assert counters.overflow == 1


def test_our_own_packets_come_back_and_mean_nothing() -> None:
    counters = Counters()
    assert Scanner(counters).feed(packet(b"G15000")) == []
    assert counters.ignored == 1


def test_a_memory_configuration_is_read_whatever_its_times() -> None:
    assert PAGE.entry() + AMOUNT.entry() == b"AAL0040FFFF1BL00200000"
    assert files_in(b"AAU0040FF001BL00200000") == {PAGE, AMOUNT}
    assert files_in(b"") == frozenset()
    for bad in (b"AAL0040FFF", b"AAL00x0FFFF"):
        assert files_in(bad) is None
