"""The right unit at each place: another one is not listened to, and told by name."""

import pytest

from controller.events import DeviceFault
from controller.service.translate import translate
from controller.service.units import Units
from controller.settings import DeviceSettings
from drivers.attend import Attended
from drivers.errors import LinkLost
from drivers.events import CardOut, DeviceEvent, Fault, Lost, Online
from drivers.registry import find_driver

SHOE = "shuffler SN-1 1.0"
OTHER = "shuffler SN-10 1.0"
CARD = CardOut("AS", "")
GONE = Lost("unplugged")


def units(serial: str = "SN-1") -> Units:
    settings = {
        "shoe": DeviceSettings("reference-shuffler", "/dev/shoe", serial=serial),
        "pedal": DeviceSettings("pcsensor", "usb"),
    }
    return Units(settings, "shoe")


def online(identity: str) -> Online:
    return Online("/dev/shoe", "reference-shuffler", identity)


def heard(of: Units, *events: DeviceEvent, device: str = "shoe") -> list[DeviceEvent]:
    """Return what the table hears of a device's events."""
    return [admitted for event in events for admitted in of.admitted(device, event)]


@pytest.mark.parametrize("serial", ["SN-1", ""])
def test_the_right_unit_is_heard_word_for_word(serial: str) -> None:
    told = [online(SHOE), CARD, Fault("jam", "stuck", ""), GONE]
    of = units(serial)

    assert heard(of, *told) == told
    of.must_be_used("shoe")


@pytest.mark.parametrize("identity", [OTHER, "SN-12", "", "0c45:7403 at 1-2"])
def test_another_unit_is_told_and_then_not_listened_to_nor_spoken_to(identity: str) -> None:
    of = units()
    (fault,) = heard(of, online(identity), CARD, CARD)

    assert isinstance(fault, Fault)
    assert "serial SN-1 is wanted for the shoe" in fault.text
    assert identity in fault.text
    assert "devices.shoe.serial" in fault.text
    assert isinstance(translate("shoe", fault), DeviceFault)
    with pytest.raises(LinkLost, match="SN-1 is wanted"):
        of.must_be_used("shoe")
    of.must_be_used("pedal")


def test_once_the_right_one_is_plugged_in_it_is_heard_again() -> None:
    of = units()
    told = heard(of, online(OTHER), CARD, GONE, online(SHOE), CARD)

    assert [type(one).__name__ for one in told] == ["Fault", "Fault", "Online", "CardOut"]
    assert "the wrong unit was unplugged, the shoe is missing" in str(told[1])
    of.must_be_used("shoe")


@pytest.fixture
def shoe() -> Attended:
    """A device that is not attended, so that it never comes by itself."""
    return Attended("shoe", find_driver("reference-shuffler"), "/dev/no-such-port", {})


def test_a_device_that_never_came_is_missing_and_one_that_went_again_is_not(shoe: Attended) -> None:
    of = units()
    (missing,) = of.checks([shoe])
    heard(of, online(SHOE), GONE)
    (found,) = of.checks([shoe])

    assert (missing.ok, found.ok) == (False, True)
    assert missing.words.startswith("is missing: ")
    assert "entered by hand" in missing.words, "it is the card source"
    assert SHOE in found.words


def test_a_unit_that_is_not_the_one_meant_fails_the_self_test(shoe: Attended) -> None:
    of = units()
    (fault,) = heard(of, online(OTHER))
    (check,) = of.checks([shoe])

    assert isinstance(fault, Fault)
    assert (check.ok, check.words) == (False, fault.text)


def test_a_device_without_a_serial_in_the_configuration_may_be_any() -> None:
    of = units()
    told = [online("0c45:7403 at 1-2"), GONE, online("0c45:7404 at 1-3")]

    assert heard(of, *told, device="pedal") == told
