"""What the settings ask of the service's unit, and the drop-in that is made of it."""

import os
from pathlib import Path

import pytest

from controller.doctor.needs import needs_of, text_of, why_hidden
from controller.settings import read_settings
from tests.controller.doctor.tree import SYS_USB, Tree, serial, usb


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A machine with nothing on it."""
    return Tree(tmp_path / "machine")


def drop_in(tree: Tree, devices: str, mirror: str = "") -> list[str]:
    """Return the lines of the drop-in, without its heading."""
    file = tree.config(devices)
    if mirror:
        file.write_text(file.read_text().replace("\n[devices", f"\nmirror = '{mirror}'\n[devices"))
    lines = text_of(needs_of(read_settings(file), tree.machine)).splitlines()
    assert not lines or lines[1] == "[Service]"
    return lines[2:]


def mounted(tree: Tree, *points: str) -> None:
    """Let file systems be mounted."""
    lines = ["21 1 254:0 / / rw - ext4 /dev/vda rw"]
    lines += [f"{30 + n} 21 8:{n} / {at} rw - ext4 /dev/sdb rw" for n, at in enumerate(points)]
    tree.write("proc/self/mountinfo", "\n".join(lines))


# --- serial lines ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "port",
    [
        "/dev/ttyUSB0",
        "/dev/ttyACM12",
        "/dev/serial/by-path/pci-0000:00:14.0-usb-0:1:1.0-port0",
        "/dev/serial/by-id/usb-FTDI_x-if00-port0",
        "/dev/tablekeeper/pci-0000:00:14.0-usb-0:2:1.0",
    ],
)
def test_what_is_plugged_in_is_let_in_by_its_class_also_while_it_is_not_there(
    tree: Tree, port: str
) -> None:
    assert drop_in(tree, serial(port) + usb()) == []


@pytest.mark.parametrize("port", ["/dev/ttyS3", "/dev/ttyAMA0", "/dev/ttymxc1"])
def test_a_line_of_the_board_is_let_in_by_its_node_there_or_not(tree: Tree, port: str) -> None:
    assert drop_in(tree, serial(port)) == [f"DeviceAllow={port} rw"]
    tree.write(port.lstrip("/"))
    assert drop_in(tree, serial(port)) == [f"DeviceAllow={port} rw"]


def test_a_name_of_ones_own_is_let_in_with_the_node_that_it_leads_to(tree: Tree) -> None:
    tree.write("dev/ttyS1")
    tree.write("dev/ttyUSB4")
    tree.link("dev/tablekeeper/shoe", "../ttyS1")
    tree.link("dev/keys", "ttyUSB4")
    tree.link("run/pedal", tree.root / "dev/ttyS1")

    shoe = ["DeviceAllow=/dev/ttyS1 rw", "DeviceAllow=/dev/tablekeeper/shoe rw"]
    assert drop_in(tree, serial("/dev/tablekeeper/shoe")) == shoe
    assert drop_in(tree, serial("/dev/keys")) == []
    # systemd takes no name outside of /dev, and one that leads nowhere is said of the port.
    assert drop_in(tree, serial("/run/pedal") + serial("/run/none", "x")) == shoe[:1]


def test_a_line_on_usb_of_another_driver_is_let_in_by_that_drivers_class(tree: Tree) -> None:
    tree.write("dev/ttyXRUSB0")
    tree.unit("1-4", {"idVendor": "04e2", "idProduct": "1410"})
    device = tree.write(f"{SYS_USB}/1-4/1-4:1.0/port").parent
    tree.link("sys/class/tty/ttyXRUSB0/device", device)

    assert drop_in(tree, serial("/dev/ttyXRUSB0")) == ["DeviceAllow=char-ttyXRUSB rw"]


def test_two_devices_on_one_line_are_one_line(tree: Tree) -> None:
    assert drop_in(tree, serial("/dev/ttyS0") + serial("/dev/ttyS0", "b")) == [
        "DeviceAllow=/dev/ttyS0 rw"
    ]


# --- the second copy ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mirror", "mounts", "named"),
    [
        ("/media/second/log", ("/media/second",), "/media/second"),
        ("/media/second/tables/7", ("/media/second",), "/media/second"),
        ("/media/second", ("/media/second",), "/media/second"),
        ("/backup/log", ("/backup",), "/backup"),
        # Its disk is not there now.
        ("/media/second/log", (), "/media/second"),
        ("/media/second", (), "/media/second"),
        ("/backup", (), "/backup"),
        ("/run/media/ann/disk/log", ("/run",), "/run/media/ann/disk"),
        # On a disk of the system's own no more than the folder above it is given.
        ("/var/copies/log", ("/var",), "/var/copies"),
        ("/var/copy", ("/var",), "/var/copy"),
        ("/srv/copy/log", (), "/srv/copy"),
    ],
)
def test_where_its_disk_is_mounted_may_be_written(
    tree: Tree, mirror: str, mounts: tuple[str, ...], named: str
) -> None:
    mounted(tree, *mounts)

    assert drop_in(tree, serial("/dev/ttyUSB0"), mirror) == [f"ReadWritePaths=-{named}"]


def test_a_link_to_the_disk_is_followed(tree: Tree) -> None:
    mounted(tree, "/media/second")
    tree.write("media/second/log/x")
    tree.link("copy", "media/second/log")

    assert drop_in(tree, serial("/dev/ttyUSB0"), "/copy") == ["ReadWritePaths=-/media/second"]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("my disk", '"-/media/my disk"'),
        ("100%", "-/media/100%%"),
        ('a"b', '"-/media/a\\"b"'),
        ("back\\slash", '"-/media/back\\\\slash"'),
        ("größe", "-/media/größe"),
    ],
)
def test_any_name_of_a_disk_can_be_written(tree: Tree, name: str, written: str) -> None:
    assert drop_in(tree, serial("/dev/ttyUSB0"), f"/media/{name}/log") == [
        f"ReadWritePaths={written}"
    ]


@pytest.mark.parametrize("where", ["/home/ann/copy", "/root/copy", "/tmp/copy", "/var/tmp/c"])  # noqa: S108
def test_where_the_service_can_have_no_copy_nothing_is_named(tree: Tree, where: str) -> None:
    assert drop_in(tree, serial("/dev/ttyUSB0"), where) == []
    assert why_hidden(Path(where), tree.machine)
    os.makedirs(tree.root / where.lstrip("/"))  # noqa: PTH103
    tree.link("copy", where.lstrip("/"))
    assert why_hidden(Path("/copy"), tree.machine)
