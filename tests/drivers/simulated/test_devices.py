"""The pure ends: the shoe, its cable, and what is pressed; heard by the real codecs."""

import pytest

from drivers.angel_eye import AngelEyeCodec, AngelEyeOptions
from drivers.angel_eye_wire import report
from drivers.commands import CancelError, ConfirmProcess, LockShoe, UnlockShoe
from drivers.events import CardMismatch, CardOut, Gap, LockState, Restarted, StandBy
from drivers.simulated.cable import SWITCHES, Cable
from drivers.simulated.keyboard import SimulatedKeyboard
from drivers.simulated.refused import Refused
from drivers.simulated.shoe import SimulatedShoe


def hear(*frames: bytes) -> list:
    codec = AngelEyeCodec(AngelEyeOptions())
    return codec.feed(b"".join(frames), 0.0)


def test_the_shoe_is_understood() -> None:
    shoe = SimulatedShoe()

    told = hear(*shoe.restart(), *shoe.card_out("7S"), *shoe.card_out(None), *shoe.cutting_card())

    assert told[:2] == [Restarted(), StandBy()]
    assert [event.card for event in told if isinstance(event, CardOut)] == ["7S", None]
    assert type(told[-1]).__name__ == "CuttingCard"


def test_the_shoe_tells_its_last_card_again_or_another() -> None:
    shoe = SimulatedShoe()
    first = shoe.card_out("7S")

    assert len(hear(*first, *shoe.tell_again("7S"))) == 1
    assert isinstance(hear(*first, *shoe.tell_again("8S"))[-1], CardMismatch)


def test_a_restart_forgets_faults_and_the_lock_but_goes_on_numbering() -> None:
    shoe = SimulatedShoe()
    before = shoe.fault("cannot-read")
    shoe.receive(bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42 02 4F"))

    started = shoe.restart()
    assert (shoe.faults, shoe.locked) == (set(), False)
    assert [chr(frame[1]) for frame in [*before, *started]] == ["0", "2", "3"]
    # Half a command before the start does not make one with what comes after it.
    assert shoe.receive(bytes.fromhex("50 4C 4B 30 32 03 31 42")) == (b"", [])


def test_the_numbering_goes_round_and_can_be_skipped() -> None:
    shoe = SimulatedShoe()
    frames = [frame for _ in range(40) for frame in shoe.card_out("7S")]
    assert len(hear(*frames)) == 40

    shoe.skip(2)
    told = hear(frames[-1], *shoe.card_out("8S"))
    assert told[1] == Gap(2, report("6", "D", b"\x81\xb8").hex())


@pytest.mark.parametrize("span", ["with-stx", "without-stx"])
def test_commands_are_obeyed_if_their_check_is_the_makers(span) -> None:
    shoe = SimulatedShoe()
    codec = AngelEyeCodec(AngelEyeOptions(commands=True, command_bcc=span))
    answer, frames = shoe.receive(codec.encode(LockShoe()))

    if span == "without-stx":
        assert (answer, frames, shoe.locked) == (b"\x15\x02", [], False)
        return
    assert answer == b"\x06"
    assert [event.locked for event in hear(*frames)] == [True]
    with pytest.raises(Refused, match="locked"):
        shoe.card_out("7S")
    _, frames = shoe.receive(codec.encode(UnlockShoe()))
    assert isinstance(hear(*frames)[0], LockState)
    assert shoe.card_out("7S")
    assert shoe.receive(codec.encode(ConfirmProcess())) == (b"\x06", [])


def test_faults_come_and_are_cancelled_one_or_all() -> None:
    shoe = SimulatedShoe()
    codec = AngelEyeCodec(AngelEyeOptions(commands=True))
    came = hear(*shoe.fault("cannot-read"), *shoe.fault("overdraw"), *shoe.fault("card-code"))
    assert [event.code for event in came] == ["cannot-read", "overdraw", "card-code"]

    _, one = shoe.receive(codec.encode(CancelError("overdraw")))
    assert [event.code for event in hear(*one)] == ["overdraw"]
    _, rest = shoe.receive(codec.encode(CancelError()))
    assert [event.code for event in hear(*rest)] == ["cannot-read", "card-code"] or not shoe.faults
    assert shoe.faults == set()
    with pytest.raises(Refused, match="no fault 'hiccup'; it has cannot-read"):
        shoe.fault("hiccup")


@pytest.mark.parametrize(
    ("command", "nak"),
    [
        ("02 4F 50 4C 4B 30 31 03 30 30", 0x02),
        ("02 4F 50 4C 4B 30 31 04 31 38", 0x11),
        ("02 4F 50 4C 4B 30 78 03 35 31", 0x11),
        ("02 58 50 4C 4B 30 31 03 30 46", 0x13),
        ("02 4F 50 4C 4B 30 33 03 31 41", 0x14),
        ("02 4F 50 58 58 30 31 03 31 46", 0x14),
    ],
)
def test_a_wrong_command_is_refused_with_its_reason(command, nak) -> None:
    assert SimulatedShoe().receive(bytes.fromhex(command)) == (bytes([0x15, nak]), [])


def test_a_command_may_come_in_pieces_among_junk() -> None:
    shoe = SimulatedShoe()
    lock = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")

    assert shoe.receive(b"AT\r" + lock[:4]) == (b"", [])
    assert shoe.receive(lock[4:] + lock)[0] == b"\x06\x06"


FRAME = report("0", "D", b"\x81\xb8")


@pytest.mark.parametrize(
    ("name", "value", "arrives"),
    [
        ("duplicate", 1, [FRAME]),
        ("duplicate", 0, []),
        ("fragment", 3, [FRAME[:3], FRAME[3:6], FRAME[6:]] * 3),
        ("drop", 0, [FRAME[1:], FRAME, FRAME]),
        ("drop", 7, [FRAME[:-1], FRAME, FRAME]),
        ("flip", 9, [b"\x05\x32" + FRAME[2:], FRAME, FRAME]),
        ("junk", "41 54 0d", [b"AT\r" + FRAME] * 3),
        ("silent", True, []),
        ("silent", False, [FRAME] * 3),
        ("junk", None, [FRAME] * 3),
    ],
)
def test_a_bad_cable(name, value, arrives) -> None:
    cable = Cable()
    cable.set(name, value)

    assert cable.carry([FRAME]) == arrives


def test_a_wrong_check_is_wrong_until_switched_off() -> None:
    cable = Cable()
    cable.set("wrong-check", value=True)
    assert cable.carry([FRAME]) == [FRAME[:-1] + b"0"] * 3
    assert cable.carry([report("1", "P")]) == [report("1", "P")[:-1] + b"0"] * 3
    assert hear(*cable.carry([FRAME])) == []
    cable.set("wrong-check", value=0)

    assert cable.carry([FRAME]) == [FRAME] * 3


def test_a_frame_is_overtaken_by_the_next_once() -> None:
    cable = Cable(copies=1)
    frames = [report(sequence, "C") for sequence in "012"]
    cable.set("reorder", value=True)

    assert cable.carry(frames[:1]) == []
    assert cable.carry(frames[1:]) == [frames[1], frames[0], frames[2]]
    assert cable.carry(frames) == frames
    cable.set("reorder", value=True)
    assert cable.carry(frames) == [frames[1], frames[0], frames[2]]


def test_frames_without_a_check_cannot_have_a_wrong_one() -> None:
    with pytest.raises(Refused, match="no check that could be wrong"):
        Cable(copies=1, wrong_check=None).set("wrong-check", value=True)


def test_merged_frames_arrive_together_and_the_rest_when_switched_off() -> None:
    cable = Cable()
    cable.set("duplicate", 1)
    cable.set("merge", 2)

    assert cable.carry([FRAME]) == []
    assert cable.carry([FRAME]) == [FRAME * 2]
    assert cable.carry([FRAME]) == []
    assert cable.set("merge", 0) == [FRAME]
    assert cable.carry([FRAME]) == [FRAME]


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("drop", -1, "whole number"),
        ("drop", "x", "whole number"),
        ("fragment", True, "whole number"),
        ("fragment", 1.5, "whole number"),
        ("junk", "xyz", "hexadecimal"),
        ("silent", "yes", "true or false"),
        ("silence", True, "no switch 'silence'; there are duplicate: how often"),
    ],
)
def test_a_switch_says_what_it_takes(name, value, why) -> None:
    with pytest.raises(Refused, match=why):
        Cable().set(name, value)


def test_every_switch_of_the_cable_does_something() -> None:
    for name in SWITCHES:
        cable = Cable()
        cable.set(
            name, {"junk": "00", "silent": True, "wrong-check": True, "reorder": True}.get(name, 2)
        )
        assert cable.carry([FRAME]) != [FRAME] * 3, name


def test_keys_go_down_and_up_in_any_order() -> None:
    keys = SimulatedKeyboard({"a": 4, "b": 5})

    assert keys.press("a") == [bytes([0, 0, 4, 0, 0, 0, 0, 0])]
    assert keys.press("b") == [bytes([0, 0, 4, 5, 0, 0, 0, 0])]
    assert keys.let_go("a") == [bytes([0, 0, 5, 0, 0, 0, 0, 0])]
    assert keys.down == ["b"]
    with pytest.raises(Refused, match="b is down already"):
        keys.press("b")
    with pytest.raises(Refused, match="a is not down"):
        keys.let_go("a")
    with pytest.raises(Refused, match="no control 'c'; there are a, b"):
        keys.press("c")


def test_a_seventh_key_is_too_many() -> None:
    keys = SimulatedKeyboard({str(n): 4 + n for n in range(7)})
    reports = [keys.press(str(n))[0] for n in range(7)]

    assert reports[5] == bytes([0, 0, 4, 5, 6, 7, 8, 9])
    assert reports[6] == bytes(2) + b"\1" * 6
    assert keys.let_go("6") == [reports[5]]


def test_bad_keys() -> None:
    keys = SimulatedKeyboard({"a": 4})
    down = bytes([0, 0, 4, 0, 0, 0, 0, 0])
    keys.set("bounce", 2)
    assert keys.press("a") == [down, bytes(8), down, bytes(8), down]
    keys.set("bounce", None)
    keys.set("short-report", 3)
    assert keys.let_go("a") == [bytes(3)]
    assert keys.press("a") == [down]
    keys.set("silent", value=True)
    assert keys.let_go("a") == []
    keys.set("rollover", value=True)
    assert keys.state() == bytes(2) + b"\1" * 6
    with pytest.raises(Refused, match="no switch 'fast'; there are bounce: "):
        keys.set("fast", 1)
    for wrong in ("x", -1, 1.5):
        with pytest.raises(Refused, match="whole number"):
            keys.set("bounce", wrong)
