"""Pedals and keypads: reports in, presses out; wrong reports counted and nothing else."""

import pytest

from drivers import boot_keyboard, pcsensor
from drivers.commands import LockShoe
from drivers.errors import LocalProtocolError, OptionError
from drivers.events import DeviceEvent, Press
from drivers.hid import KEYS, USAGES, usages_down
from drivers.keyboard import KeyboardCodec

PLAIN, NUMBERED = "0c45:7404 at 1-2", "1a86:e026 at 1-2"
NOTHING = bytes(8)


def pedal(identity: str = PLAIN, **options: object) -> KeyboardCodec:
    codec = pcsensor.DRIVER.codec(options)
    codec.greet(0.0, identity)
    return codec


def down(*usages: int) -> bytes:
    return (bytes(2) + bytes(usages)).ljust(8, b"\0")


def tap(codec: KeyboardCodec, *reports: bytes) -> list[DeviceEvent]:
    """Feed reports a tenth of a second apart, then wait for what they come to."""
    events: list[DeviceEvent] = []
    for at, report in enumerate(reports):
        events += codec.feed(report, 100 + at / 10)
    return events + codec.tick(100 + len(reports) / 10)


@pytest.mark.parametrize(("usage", "control"), [(0x4B, "left"), (0x51, "middle"), (0x4E, "right")])
def test_the_pedals_are_programmed_as_they_come(usage, control) -> None:
    assert tap(pedal(), NOTHING, down(usage), NOTHING) == [Press(control, held=False)]


def test_a_pedal_that_numbers_its_reports_is_understood() -> None:
    codec = pedal(NUMBERED, left="B")
    pressed, released = bytes.fromhex("010000050000000000"), bytes.fromhex("010000000000000000")

    assert tap(codec, released, pressed, released) == [Press("left", held=False)]


@pytest.mark.parametrize("number", [2, 3, 4, 9])
def test_what_such_a_pedal_says_as_a_mouse_or_gamepad_is_ignored(number) -> None:
    codec = pedal(NUMBERED)

    assert tap(codec, bytes([number, 0x4B, 0, 0])) == []
    assert (codec.counters.ignored, codec.counters.bad_frame) == (1, 0)


@pytest.mark.parametrize("length", [1, 2, 7, 9, 64])
def test_a_plain_report_of_the_wrong_length_is_a_bad_frame(length) -> None:
    codec = pedal(PLAIN)

    assert tap(codec, NOTHING, (b"\1" + down(0x4B)).ljust(length, b"\0")[:length], NOTHING) == []
    assert codec.counters.bad_frame == 1


@pytest.mark.parametrize("length", [1, 8, 10, 64])
def test_a_numbered_report_of_the_wrong_length_is_a_bad_frame(length) -> None:
    codec = pedal(NUMBERED)

    assert tap(codec, (b"\1" + down(0x4B)).ljust(length, b"\0")[:length]) == []
    assert codec.counters.bad_frame == 1


@pytest.mark.parametrize("identity", ["", "413d:2107 at 1-1", "ffff:0001 at 1-1"])
def test_a_pedal_not_on_record_may_report_either_way(identity) -> None:
    assert len(tap(pedal(identity), NOTHING, down(0x4B), NOTHING)) == 1
    numbered = tap(pedal(identity), b"\1" + NOTHING, b"\1" + down(0x4B), b"\1" + NOTHING)
    assert len(numbered) == 1


def test_the_units_that_number_their_reports_are_on_record() -> None:
    usb = pcsensor.DRIVER.usb

    assert usb.numbered == {(0x1A86, 0xE026), (0x3553, 0xB001)}
    assert usb.numbered < usb.ids
    assert usb.interface == 0


def test_a_short_report_lets_no_pedal_go() -> None:
    codec = pedal(PLAIN)
    codec.feed(NOTHING, 1.0)
    codec.feed(down(0x4B), 2.0)

    assert codec.feed(bytes(3), 2.1) == []
    assert codec.tick(3.0) == [Press("left", held=True)]


def test_too_many_keys_at_once_is_no_release() -> None:
    codec = pedal(PLAIN)
    rollover = bytes(2) + b"\1" * 6

    assert tap(codec, NOTHING, down(0x4B), rollover, rollover, down(0x4B)) == []
    assert codec.counters.rollovers == 2


def test_a_pedal_down_at_the_start_does_not_fire() -> None:
    codec = pedal(PLAIN)

    assert tap(codec, down(0x51), NOTHING) == []
    assert tap(codec, down(0x51), NOTHING) == [Press("middle", held=False)]


def test_greeting_forgets_a_press_in_progress() -> None:
    codec = pedal(PLAIN)
    codec.feed(NOTHING, 1.0)
    codec.feed(down(0x4B), 2.0)
    codec.greet(2.1, PLAIN)

    assert codec.wake_at() is None
    assert codec.feed(NOTHING, 2.2) + codec.tick(9.0) == []


def test_a_key_that_means_nothing_is_counted() -> None:
    codec = pedal(PLAIN)

    assert tap(codec, NOTHING, down(0x04), down(0x04, 0x4B), NOTHING, NOTHING) == [
        Press("left", held=False)
    ]
    assert (codec.counters.ignored, codec.counters.frames) == (2, 5)


@pytest.mark.parametrize(("key", "usage"), [("F13", 0x68), ("F24", 0x73), ("0x68", 0x68)])
def test_a_pedal_can_be_programmed_to_another_key(key, usage) -> None:
    codec = pedal(PLAIN, middle=key)

    assert tap(codec, NOTHING, down(usage), NOTHING) == [Press("middle", held=False)]


def test_a_modifier_can_be_a_pedal() -> None:
    ctrl = bytes([0x01, *bytes(7)])

    assert tap(pedal(PLAIN, left="0xe0"), NOTHING, ctrl, NOTHING) == [Press("left", held=False)]


@pytest.mark.parametrize("key", ["F25", "page up", "0x", "0x03", "0xe8", "0x1ff", ""])
def test_a_key_nobody_knows_is_refused(key) -> None:
    with pytest.raises(OptionError, match=r"pcsensor: right = .*0x04 to 0xe7 or one of .*F13"):
        pedal(right=key)


def test_two_pedals_cannot_be_one_key() -> None:
    with pytest.raises(OptionError, match="left and right are the same key"):
        pedal(right="page-up")


def test_the_hold_time_is_an_option() -> None:
    codec = pedal(PLAIN, hold_ms=1000)
    codec.feed(NOTHING, 1.0)
    codec.feed(down(0x4B), 2.0)

    assert codec.tick(2.9) == []
    assert codec.tick(3.0) == [Press("left", held=True)]


def test_every_key_of_the_dealers_map_has_a_name_and_the_keypad_has_the_same() -> None:
    wanted = [*"1234567890=-.ABCDEFGHIJKLMNOPQRSTUVWXYZ", "enter", "backspace"]
    wanted += [f"F{n}" for n in range(1, 25)]

    assert set(wanted) <= USAGES.keys()
    others = "escape tab space insert home page-up delete end page-down right left down up / * +"
    by_usage = [*range(0x29, 0x2D), *range(0x49, 0x53), 0x54, 0x55, 0x57]
    assert [KEYS[usage] for usage in by_usage if usage != 0x2A] == others.split()
    assert [KEYS[usage] for usage in (0x2D, 0x2E, 0x37, 0x56, 0x63, 0x67)] == [*"-=.-.="]
    assert [KEYS[usage] for usage in (0x04, 0x1D, 0x1E, 0x27, 0x28, 0x2A)] == [
        *("A", "Z", "1", "0", "enter", "backspace")
    ]
    assert [KEYS[usage] for usage in (0x3A, 0x45, 0x68, 0x73)] == ["F1", "F12", "F13", "F24"]
    keypad = {usage: KEYS[usage] for usage in range(0x58, 0x64)}
    assert list(keypad.values()) == ["enter", *"1234567890", "."]
    assert USAGES["1"] == 0x1E


@pytest.mark.parametrize("usage", sorted(KEYS))
def test_each_key_is_a_control_of_its_name(usage) -> None:
    codec = boot_keyboard.DRIVER.codec({})

    assert tap(codec, NOTHING, down(usage), NOTHING) == [Press(KEYS[usage], held=False)]


def test_keys_pressed_over_one_another_are_told_as_they_are_let_go() -> None:
    codec = boot_keyboard.DRIVER.codec({})
    five, both, six = down(0x22), down(0x22, 0x23), down(0x23)

    assert tap(codec, NOTHING, five, both, six, NOTHING) == [
        Press("5", held=False),
        Press("6", held=False),
    ]


def test_a_keyboard_reports_plainly() -> None:
    codec = boot_keyboard.DRIVER.codec({})

    assert tap(codec, b"\1" + NOTHING) == []
    assert codec.counters.bad_frame == 1


def test_modifiers_are_usages_too() -> None:
    assert usages_down(bytes.fromhex("8100000000000000")) == {0xE0, 0xE7}


def test_nothing_can_be_sent_to_a_keyboard() -> None:
    with pytest.raises(LocalProtocolError, match="no command LockShoe"):
        pedal().encode(LockShoe())
