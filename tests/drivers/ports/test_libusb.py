"""Real USB, as far as a machine without any can show."""

import gc
from pathlib import Path

import pytest
import usb.core

from drivers.errors import LinkLost
from drivers.ports import open_port
from drivers.ports.libusb import fresh_backend, require_present
from drivers.ports.spec import UsbSpec
from drivers.profiles import UsbProfile

PEDAL = (0x0C45, 0x7404)
NOBODY = "usb:1209:ffff"


@pytest.fixture
def sysfs(tmp_path: Path) -> Path:
    """A bus with a hub interface, a pedal behind it, and a keyboard."""
    for socket, ids in (("1-2.3", PEDAL), ("1-4", (0x046D, 0xC31C))):
        folder = tmp_path / socket
        folder.mkdir()
        (folder / "idVendor").write_text(f"{ids[0]:04x}\n")
        (folder / "idProduct").write_text(f"{ids[1]:04x}\n")
    (tmp_path / "1-0:1.0").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("wanted", "profile"),
    [
        (UsbSpec(PEDAL), UsbProfile()),
        (UsbSpec(PEDAL, "1-2.3"), UsbProfile()),
        (UsbSpec(), UsbProfile(ids=frozenset({PEDAL, (1, 2)}))),
        (UsbSpec(), UsbProfile()),
    ],
)
def test_a_unit_on_the_bus_is_worth_asking_for(sysfs, wanted, profile) -> None:
    require_present(wanted, profile, sysfs=sysfs)


@pytest.mark.parametrize(
    ("wanted", "profile", "why"),
    [
        (UsbSpec((1, 2)), UsbProfile(), "no USB unit 0001:0002 is there"),
        (UsbSpec(PEDAL, "1-4"), UsbProfile(), "no USB unit 0c45:7404 at 1-4 is there"),
        (UsbSpec(PEDAL, "1-2"), UsbProfile(), "at 1-2 is there"),
        (UsbSpec(), UsbProfile(ids=frozenset({(1, 2), (3, 4)})), "0001:0002 or 0003:0004"),
    ],
)
def test_a_unit_that_is_away_is_told_without_asking(sysfs, wanted, profile, why) -> None:
    with pytest.raises(LinkLost, match=why):
        require_present(wanted, profile, sysfs=sysfs)


def test_a_machine_without_usb_has_no_units(tmp_path) -> None:
    with pytest.raises(LinkLost, match="is it plugged in"):
        require_present(UsbSpec(PEDAL), UsbProfile(), sysfs=tmp_path / "none")
    with pytest.raises(LinkLost, match="is it plugged in"):
        open_port(NOBODY)


def test_each_attempt_has_its_own_context_and_gives_it_back(open_files) -> None:
    def look() -> int:
        return len(list(usb.core.find(find_all=True, backend=fresh_backend())))

    look()
    gc.collect()
    before = open_files()
    counts = {look() for _ in range(20)}
    gc.collect()

    assert len(counts) == 1
    assert open_files() <= before
