"""What the udev rules make of what is plugged in, carried out by a real udev."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.appliance import sysfs
from tests.appliance.table_pc import TablePC

SHOWN = "/run/sysfs"


@pytest.fixture
def shown(installed: TablePC) -> Iterator[Path]:
    """The folder in which units are shown."""
    folder = installed.machine.inside(SHOWN)
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def plugged(pc: TablePC, device: str) -> str:
    """Plug a device in; return what our rules have done, one line each, and what udev knows."""
    test = f"udevadm test --action=add {device} 2>&1"
    quiet = "SYSTEMD_DEVICE_VERIFY_SYSFS=0 SYSTEMD_LOG_LEVEL=debug"
    command = f"mount --bind {SHOWN} /sys && {quiet} {test}"
    said = pc.machine.run("unshare", "--mount", "sh", "-c", command).stdout
    ours = re.findall(r"60-tablekeeper\.rules:\d+ (.*)", said)
    known = re.findall(r"^\w+=.*", said, re.MULTILINE)
    return "\n".join([*ours, *known])


def group(pc: TablePC) -> str:
    return pc.machine.run("getent", "group", "tablekeeper").stdout.split(":")[2]


def test_a_serial_line_is_the_tables_and_has_the_name_of_its_socket(
    installed: TablePC, shown: Path
) -> None:
    done = plugged(installed, sysfs.show_usb_line(shown))

    for words in (
        "LINK 'tablekeeper/pci-0000:00:14.0-usb-0:2:1.0'",
        f"GROUP {group(installed)}",
        "MODE 0660",
        "ID_MM_DEVICE_IGNORE=1",
    ):
        assert words in done


def test_a_pedal_is_the_tables_and_never_sleeps(installed: TablePC, shown: Path) -> None:
    done = plugged(installed, sysfs.show_unit(shown, "0c45", "7404"))

    assert f"GROUP {group(installed)}" in done
    assert "MODE 0660" in done
    assert (shown / sysfs.UNIT / "power" / "control").read_text().strip() == "on"


def test_a_keyboard_that_nobody_named_is_not_given_to_the_table(
    installed: TablePC, shown: Path
) -> None:
    done = plugged(installed, sysfs.show_unit(shown, "046d", "c31c"))

    assert "ID_MM_DEVICE_IGNORE=1" in done
    assert "GROUP" not in done
    assert "MODE 0" not in done


def test_a_line_of_the_board_is_left_alone(installed: TablePC, shown: Path) -> None:
    done = plugged(installed, sysfs.show_board_line(shown))

    assert "DEVNAME=/dev/ttyS0" in done
    assert "GROUP" not in done
    assert "tablekeeper" not in done
