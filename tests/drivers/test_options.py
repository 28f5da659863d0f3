"""Options out of plain settings: typed, and helpful when they are wrong."""

from typing import Annotated

import pytest
from msgspec import Meta

from drivers.errors import OptionError
from drivers.options import DriverOptions, PressOptions, SerialOptions, read_options
from drivers.profiles import LineProfile


class Needy(DriverOptions, frozen=True):
    unit: Annotated[int, Meta(ge=1, le=9)]
    share: float = 0.5
    label: str | None = None


def test_the_defaults_stand_in_the_record() -> None:
    assert read_options(PressOptions, {}, "pedal") == PressOptions(hold_ms=600, debounce_ms=25)


def test_serial_options_make_a_line() -> None:
    options = read_options(SerialOptions, {"baud": 4800, "framing": "7E1", "dtr": False}, "x")

    assert options.line() == LineProfile(4800, "7E1", dtr=False)


def test_an_unknown_key_is_named_with_those_there_are() -> None:
    with pytest.raises(OptionError, match="x: unknown option bauds; known: baud, dtr, framing"):
        read_options(SerialOptions, {"bauds": 1}, "x")


@pytest.mark.parametrize(
    ("kind", "given", "text"),
    [
        (PressOptions, {"hold_ms": 10}, "hold_ms = 10 .*whole number from 200 to 5000"),
        (PressOptions, {"hold_ms": "600"}, "hold_ms = '600' .*whole number"),
        (PressOptions, {"hold_ms": True}, "hold_ms = True .*whole number"),
        (SerialOptions, {"framing": "9N1"}, "framing = '9N1' .*one of 7E1, .*8N1"),
        (SerialOptions, {"low_latency": 1}, "low_latency = 1 .*true or false"),
        (SerialOptions, {"dtr": "up"}, "dtr = 'up' .*true or false"),
        (Needy, {"unit": 1, "label": 7}, "label = 7 .*text"),
        (Needy, {"unit": 1, "share": "half"}, "share = 'half' .*a number"),
        (Needy, {}, "x: .*`unit`"),
    ],
)
def test_a_value_not_allowed_is_named_with_what_is(kind, given, text) -> None:
    with pytest.raises(OptionError, match=text):
        read_options(kind, given, "x")


def test_a_good_option_beside_a_required_one_is_not_blamed() -> None:
    with pytest.raises(OptionError, match="missing required field `unit`"):
        read_options(Needy, {"share": 0.25}, "x")


@pytest.mark.parametrize(
    ("framing", "bits"), [("8N1", 10), ("7E1", 10), ("8E1", 11), ("7E2", 11), ("7N1", 9)]
)
def test_a_character_takes_its_bits(framing, bits) -> None:
    assert LineProfile(1000, framing).character_s == pytest.approx(bits / 1000)
