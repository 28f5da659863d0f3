"""Which drivers can serve what is plugged in."""

from pathlib import Path

import pytest

from drivers.matching import is_at, knows, loadable, matching
from drivers.ports.plugged import Plugged
from drivers.ports.spec import parse_spec
from drivers.registry import BUILT_IN, find_driver

PEDAL = Plugged(kind="usb", port="usb:0c45:7404", unit="0c45:7404", socket="1-2", keyboard=True)
KEYBOARD = Plugged(kind="usb", port="usb:04d9:a02a", unit="04d9:a02a", socket="1-3", keyboard=True)
STICK = Plugged(kind="usb", port="usb:0781:5567", unit="0781:5567", socket="1-4")
LINE = Plugged(kind="serial", port="/dev/ttyS0", node="/dev/ttyS0")


def names(plugged: Plugged) -> list[str]:
    return [driver.name for driver in matching(plugged, list(BUILT_IN.values()))]


def test_who_knows_the_numbers_comes_first() -> None:
    assert names(PEDAL)[0] == "pcsensor"
    assert "boot-keyboard" in names(PEDAL)
    assert knows(PEDAL, find_driver("pcsensor"))
    assert not knows(PEDAL, find_driver("boot-keyboard"))


def test_any_keyboard_will_do_for_the_keys_and_a_memory_stick_for_nothing() -> None:
    assert names(KEYBOARD) == ["boot-keyboard"]
    assert names(STICK) == []


def test_a_line_does_not_tell_what_hangs_on_it() -> None:
    serial = {name for name, driver in BUILT_IN.items() if "serial" in driver.ports}

    assert set(names(LINE)) == serial


def test_every_driver_that_is_built_in_loads() -> None:
    good, faults = loadable()

    assert BUILT_IN.keys() <= {driver.name for driver in good}
    assert faults == []


@pytest.mark.parametrize(
    ("port", "driver", "there"),
    [
        ("usb", "pcsensor", {"1-2"}),
        ("usb", "boot-keyboard", {"1-2", "1-3"}),
        ("usb:04D9:A02A", "boot-keyboard", {"1-3"}),
        ("usb:0c45:7404@1-2", "pcsensor", {"1-2"}),
        ("usb:0c45:7404@1-3", "pcsensor", set()),
        ("simulated:/run/x.usb", "pcsensor", set()),
    ],
)
def test_what_a_port_of_the_settings_means(port: str, driver: str, there: set[str]) -> None:
    found = {
        each.socket
        for each in (PEDAL, KEYBOARD, STICK, LINE)
        if is_at(each, parse_spec(port), find_driver(driver))
    }

    assert found == there


def test_a_line_is_known_by_any_name_that_leads_to_it(tmp_path: Path) -> None:
    (tmp_path / "tty").touch()
    (tmp_path / "by-path").symlink_to("tty")
    line = Plugged(kind="serial", port="x", node=str(tmp_path / "tty"))

    assert is_at(line, parse_spec(str(tmp_path / "by-path")), find_driver("angel-eye"))
    assert not is_at(line, parse_spec(str(tmp_path / "other")), find_driver("angel-eye"))
