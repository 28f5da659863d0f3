"""Pedals and keypads: reports in, presses out; wrong reports counted and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers import boot_keyboard, pcsensor
from drivers.commands import LockShoe
from drivers.controls import APART, FIRM
from drivers.errors import LocalProtocolError, OptionError
from drivers.events import DeviceEvent, FaultCleared, Press, Stuck
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


def test_a_key_that_means_nothing_is_counted_and_nothing_counts_while_it_is_down() -> None:
    codec = pedal(PLAIN)

    assert tap(codec, NOTHING, down(0x04), down(0x04, 0x4B), NOTHING, NOTHING) == []
    assert (codec.counters.ignored, codec.counters.frames) == (2, 5)
    assert tap(codec, NOTHING, down(0x4B), NOTHING) == [Press("left", held=False)]


def keypad() -> KeyboardCodec:
    codec = boot_keyboard.DRIVER.codec({})
    codec.greet(0.0, "1209:0001 at 1-2")
    return codec


def with_modifiers(modifiers: int, *usages: int) -> bytes:
    return bytes([modifiers]) + down(*usages)[1:]


D, ONE, SIX, ZERO, POINT = 0x07, 0x59, 0x5E, 0x62, 0x63
STRANGERS = {
    "Ctrl": with_modifiers(0x01),
    "Alt": with_modifiers(0x04),
    "GUI": with_modifiers(0x08),
    "right Ctrl": with_modifiers(0x10),
    "AltGr": with_modifiers(0x40),
    "right GUI": with_modifiers(0x80),
    "Ctrl and Shift": with_modifiers(0x03),
    "Caps Lock": down(0x39),
    "Menu": down(0x65),
    "a key of another country": down(0x64),
    "a usage nobody uses": down(0xEE),
    "one slot of a rollover": down(0x01),
    "an error of the keyboard": down(0x03),
}


def joined(one: bytes, other: bytes) -> bytes:
    """Return the report of what is down in either."""
    keys = [usage for report in (one, other) for usage in report[2:] if usage][:6]
    return with_modifiers(one[0] | other[0], *keys)


@pytest.mark.parametrize("stranger", STRANGERS.values(), ids=STRANGERS)
@pytest.mark.parametrize("first", ["the stranger", "the key"])
@pytest.mark.parametrize("last", ["the stranger", "the key"])
def test_with_a_stranger_down_no_key_means_anything(stranger, first, last) -> None:
    codec, key = keypad(), down(D)
    both = joined(stranger, key)
    one, other = stranger if first == "the stranger" else key, both
    end = stranger if last == "the stranger" else key

    assert tap(codec, NOTHING, one, other, end, NOTHING, NOTHING) == []
    assert tap(codec, NOTHING, key, NOTHING) == [Press("D", held=False)]


@pytest.mark.parametrize("stranger", STRANGERS.values(), ids=STRANGERS)
def test_nor_is_anything_held_with_a_stranger_down(stranger) -> None:
    codec = keypad()
    codec.feed(NOTHING, 1.0)
    codec.feed(joined(stranger, down(D)), 2.0)

    assert codec.tick(3.0) == []
    # The stranger is let go first: the key was pressed with it.
    assert codec.feed(down(D), 3.1) == []
    assert codec.tick(5.0) == []


def test_a_character_typed_by_its_number_is_no_key() -> None:
    codec, alt = keypad(), 0x04
    typed = [with_modifiers(alt)]
    for key in (ZERO, ZERO, SIX, ONE):
        typed += [with_modifiers(alt, key), with_modifiers(alt)]

    assert tap(codec, NOTHING, *typed, NOTHING, NOTHING) == []


def test_shift_and_num_lock_leave_a_key_what_it_is() -> None:
    shift, num_lock = 0x02, 0x53
    assert tap(keypad(), NOTHING, with_modifiers(shift, D), NOTHING) == [Press("D", held=False)]
    right_shift = [with_modifiers(0x20), with_modifiers(0x20, D), with_modifiers(0x20), NOTHING]
    assert tap(keypad(), NOTHING, *right_shift) == [Press("D", held=False)]
    # So types a keypad that sends Num Lock around its own keys.
    around = [down(num_lock), NOTHING, down(ONE), NOTHING, down(num_lock), NOTHING]
    assert tap(keypad(), NOTHING, *around) == [Press("1", held=False)]
    assert tap(keypad(), NOTHING, down(num_lock, ONE), NOTHING) == [Press("1", held=False)]


def test_a_stranger_that_is_not_let_go_is_told_and_so_is_its_end() -> None:
    codec = keypad()
    codec.feed(NOTHING, 1.0)
    told = [*codec.feed(with_modifiers(0x01), 2.0), *codec.tick(13.0)]
    told += [*codec.feed(NOTHING, 20.0), *codec.tick(21.0)]

    assert told == [Stuck("key Ctrl"), FaultCleared("stuck", "")]


def test_a_strangers_name_is_not_taken_for_a_pedals() -> None:
    codec = pedal(PLAIN)
    arrow_left = 0x50

    assert tap(codec, NOTHING, down(arrow_left), NOTHING) == []


def typed(
    codec: KeyboardCodec, reports: list[bytes], every: float, pause: float | None = None
) -> list[DeviceEvent]:
    """Feed reports at a machine's speed, waking the codec as it asks; then wait.

    *pause* is how long nothing is down, *every* unless it is told.
    """
    events, now = codec.feed(NOTHING, 1.0), 2.0
    for report in [*reports, None]:
        while (due := codec.wake_at()) is not None and due <= (now if report else now + 1):
            events += codec.tick(due)
        if report:
            events += codec.feed(report, now)
            now += pause if pause is not None and report == NOTHING else every
    return events


def text(*usages: int) -> list[bytes]:
    return [report for usage in usages for report in (down(usage), NOTHING)]


W, FULL_STOP, ENTER, P, C, S = 0x1A, 0x37, 0x28, 0x13, 0x06, 0x16
ADDRESS = [W, W, W, FULL_STOP, P, C, S]
SPEEDS = [0.001, 0.004, 0.008, 0.01, 0.016, 0.02, 0.024]
PAUSES = [None, 0.001, 0.01, 0.03, 0.05, 0.09, 0.14]
"""Seconds between two characters."""


@pytest.mark.parametrize("every", SPEEDS)
@pytest.mark.parametrize("pause", PAUSES)
def test_a_pedal_that_types_its_makers_address_presses_nothing(every, pause) -> None:
    assert typed(pedal(right="W"), text(*ADDRESS), every, pause) == []
    assert typed(pedal(right="W"), text(*ADDRESS, W, W), every, pause) == []
    assert typed(pedal(left="P", middle="C", right="W"), text(*ADDRESS), every, pause) == []


@pytest.mark.parametrize("every", SPEEDS)
@pytest.mark.parametrize("pause", PAUSES)
@pytest.mark.parametrize("number", ["5012345678900", "1.2", "1111111", "11", "D=F", "00000000"])
def test_what_a_scanner_types_on_a_keypad_presses_nothing(every, pause, number) -> None:
    keys = [USAGES[letter] for letter in number]
    assert typed(keypad(), text(*keys, ENTER), every, pause) == []
    # Some let no key go before the next.
    if len(set(number)) == len(number):
        assert typed(keypad(), [*map(down, [*keys, ENTER]), NOTHING], every) == []


@pytest.mark.parametrize("contact", [0.0, 0.001, 0.003])
def test_a_contact_of_some_milliseconds_is_no_press(contact) -> None:
    assert typed(keypad(), text(ONE), contact) == []


@pytest.mark.parametrize("contact", [0.008, 0.02, 0.026, 0.05, 0.1, 0.5])
def test_a_tap_that_is_alone_is_a_press_and_told_at_once(contact) -> None:
    codec = keypad()
    codec.feed(NOTHING, 1.0)
    codec.feed(down(ONE), 2.0)
    codec.feed(NOTHING, 2.0 + contact)

    latency = 0.025 if contact >= FIRM else APART
    assert codec.wake_at() == pytest.approx(2.0 + contact + latency)
    assert codec.tick(codec.wake_at()) == [Press("1", held=False)]


def test_presses_of_a_quick_hand_all_count() -> None:
    one_after_the_other = typed(keypad(), text(ONE, ONE, SIX, ONE), 0.05)
    assert [event.control for event in one_after_the_other] == ["1", "1", "6", "1"]
    rolled = [down(ONE), down(ONE, SIX), down(SIX), down(SIX, ZERO), down(ZERO), NOTHING]
    assert [event.control for event in typed(keypad(), rolled, 0.035)] == ["1", "6", "0"]


def test_a_key_that_goes_up_and_down_like_a_machine_is_neither_pressed_nor_held() -> None:
    assert typed(keypad(), text(*[ONE] * 7), 0.01) == []
    assert typed(keypad(), text(*[ONE] * 70), 0.01) == []
    # A bounce is over soon.
    assert typed(keypad(), text(ONE, ONE), 0.01) == [Press("1", held=False)]


def test_a_bounce_at_the_end_of_a_press_makes_it_no_shorter() -> None:
    codec = keypad()
    codec.feed(NOTHING, 1.0)
    for at, report in [(2.0, down(ONE)), (2.1, NOTHING), (2.105, down(ONE)), (2.107, NOTHING)]:
        assert codec.feed(report, at) == []

    assert codec.tick(2.107 + 0.026) == [Press("1", held=False)]


def test_a_report_that_comes_again_and_again_is_one_press() -> None:
    assert typed(keypad(), [down(ONE)] * 40 + [NOTHING], 0.01) == [Press("1", held=False)]
    assert typed(keypad(), [down(ONE)] * 90 + [NOTHING], 0.01) == [Press("1", held=True)]


def test_keys_that_go_down_at_once_were_not_meant() -> None:
    assert tap(keypad(), NOTHING, down(D, 0x09), NOTHING) == []
    assert tap(keypad(), NOTHING, down(D, 0x09), down(D), NOTHING) == []
    assert tap(pedal(), NOTHING, down(0x4B, 0x51, 0x4E), NOTHING) == []
    # One after the other they were, and so is a third that comes later.
    assert len(tap(keypad(), NOTHING, down(D), down(D, 0x09), NOTHING)) == 2
    assert tap(keypad(), NOTHING, down(D, 0x09), down(D, 0x09, ONE), down(D, 0x09), NOTHING) == [
        Press("1", held=False)
    ]


@pytest.mark.parametrize("error", [1, 2, 3])
def test_what_is_under_a_hand_that_lies_on_the_keypad_was_not_pressed(error) -> None:
    codec, rollover = keypad(), bytes(2) + bytes([error]) * 6

    assert tap(codec, NOTHING, down(D), rollover, down(D, ONE), down(ONE), NOTHING, NOTHING) == []
    assert tap(codec, NOTHING, down(D), NOTHING) == [Press("D", held=False)]


@given(
    reports=st.lists(st.binary(min_size=8, max_size=8), min_size=1, max_size=20),
    every=st.sampled_from(SPEEDS),
)
def test_any_reports_at_a_machines_speed_press_nothing(reports, every) -> None:
    among_others = [each for report in reports for each in (*text(D), report, NOTHING)]
    told = typed(keypad(), [*among_others, *text(ONE)], every)
    assert [event for event in told if isinstance(event, Press)] == []


@given(
    # One key alone that goes up and down so fast bounces.
    keys=st.lists(st.sampled_from(sorted(KEYS)), min_size=2, max_size=40).filter(
        lambda keys: len({KEYS[key] for key in keys}) > 1
    ),
    every=st.sampled_from(SPEEDS),
    pause=st.sampled_from(PAUSES),
)
def test_keys_at_a_machines_speed_press_nothing(keys, every, pause) -> None:
    assert typed(keypad(), text(*keys), every, pause) == []


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
