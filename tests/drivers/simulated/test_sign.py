"""The simulated sign behaves like the ones that were measured."""

from drivers import alpha_wire as wire
from drivers.alpha import AMOUNT, PAGE
from drivers.alpha_wire import packet
from drivers.simulated.sign import SimulatedSign


def test_a_layout_shows_nothing_unless_memory_was_cleared_before() -> None:
    sign = SimulatedSign()
    entries = PAGE.entry() + AMOUNT.entry()
    sign.receive(packet(b"E$" + entries), 0.0)
    sign.receive(packet(b"AAx"), 10.0)
    assert sign.displayed() == ""
    sign.receive(packet(b"E$"), 20.0)
    sign.receive(packet(b"E$" + entries), 30.0)
    sign.receive(packet(b"AAx"), 31.0)
    assert (sign.displayed(), sign.lost) == ("", 1)
    sign.receive(packet(b"AAx"), 40.0)
    assert sign.displayed() == "x"


def test_a_string_beyond_its_size_is_emptied_and_one_without_room_is_nothing() -> None:
    sign = SimulatedSign()
    for at, body in enumerate((b"E$", b"E$" + PAGE.entry() + AMOUNT.entry(), b"AA<\x101>\x102")):
        sign.receive(packet(body), 10.0 * at)
    sign.receive(packet(b"G1" + b"9" * 32), 40.0)
    assert sign.displayed() == "<" + "9" * 32 + ">"
    sign.receive(packet(b"G1" + b"9" * 33), 50.0)
    sign.receive(packet(b"G2no"), 60.0)
    sign.receive(packet(b"G1x")[:-3] + b"00\x04", 70.0)
    assert sign.displayed() == "<>"
    sign.restart(80.0)
    assert sign.receive(packet(b"BA"), 81.0) == []
    assert sign.receive(packet(b"BA"), 90.0) == [packet(b"AA<\x101>\x102", wire.FROM_SIGN)]
    assert sign.receive(packet(b"F$"), 91.0) == [
        packet(b"E$1BL00200000AAL0040FFFF", wire.FROM_SIGN)
    ]


def test_a_sign_without_pacing_would_lose_packets() -> None:
    sign = SimulatedSign()
    sign.receive(packet(b"AAone"), 1.0)
    sign.receive(packet(b"AAtwo"), 1.05)
    assert (sign.displayed(), sign.lost) == ("one", 1)
