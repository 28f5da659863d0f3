"""What is plugged in, used or not: looked at without opening any of it.

A device that a running table holds is seen like any other, and not touched.
"""

import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import usb.core
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from drivers.errors import LinkLost
from drivers.ports import libusb
from drivers.ports.simulated import SimulatedBackend
from drivers.ports.usb import is_boot_keyboard, socket_of
from drivers.profiles import PortKind

BY_PATH = Path("/dev/serial/by-path")
BY_ID = Path("/dev/serial/by-id")
_HUB = 9
_NOT_A_DEVICE = "control.sock"
"""In a folder of simulated devices: where their hands are moved from."""


class Plugged(msgspec.Struct, frozen=True):
    """One serial port or USB unit."""

    kind: PortKind
    port: str
    """How a table's settings spell it, by its socket where that can be told."""
    node: str = ""
    """Its node under /dev."""
    unit: str = ""
    """Vendor and product number, ``0c45:7404``; "" if it has none."""
    socket: str = ""
    """The USB socket that it is in, ``1-2.3``."""
    what: str = ""
    """What it calls itself, as it says it: nothing to be shown as it is."""
    keyboard: bool = False
    """Whether it reports like a keyboard."""
    shares_by_id: bool = False
    """Whether another unit has the same name under /dev/serial/by-id, which leads to one of them
    only: that of the same serial, or of its kind where none is told."""


def serial_ports(by_path: Path = BY_PATH) -> list[Plugged]:
    """Return the machine's serial ports."""
    names = _stable_names(by_path)
    found = sorted(list_ports.comports())
    alike = Counter(map(_by_id, found))
    return [
        Plugged(
            kind="serial",
            port=names.get(Path(each.device).resolve(), each.device),
            node=each.device,
            unit="" if each.vid is None else f"{each.vid:04x}:{each.pid:04x}",
            socket=(each.location or "").partition(":")[0],
            what=_said(each.manufacturer, each.product) or _said(each.description),
            shares_by_id=each.vid is not None and alike[_by_id(each)] > 1,
        )
        for each in found
    ]


def _by_id(port: ListPortInfo) -> tuple[object, ...]:
    """Return what its name under /dev/serial/by-id is made of: the unit, and which line of it."""
    node = Path(port.device).name if port.vid is None else ""
    line = (port.location or "").partition(":")[2]
    return node, port.vid, port.pid, port.serial_number, port.manufacturer, port.product, line


def usb_units() -> list[Plugged]:
    """Return the machine's USB units, hubs left out.

    Raises:
        LinkLost: USB cannot be looked at here; says why.

    """
    try:
        found = list(usb.core.find(find_all=True, backend=libusb.fresh_backend()))
        return sorted(_units(found), key=lambda each: each.socket)
    except (usb.core.USBError, usb.core.NoBackendError) as error:
        raise LinkLost(f"USB cannot be looked at: {error}") from None


def simulated(folder: Path) -> list[Plugged]:
    """Return what is plugged in at the simulated devices of a folder.

    Raises:
        LinkLost: the folder cannot be read.

    """
    try:
        entries = sorted(each for each in folder.iterdir() if each.name != _NOT_A_DEVICE)
    except OSError as error:
        raise LinkLost(f"{folder}: {error.strerror}") from None
    return [found for each in entries for found in _simulated(each)]


def _stable_names(folder: Path) -> dict[Path, str]:
    try:
        links = sorted(folder.iterdir(), reverse=True)
    except OSError:
        return {}  # no udev here
    # Of two names for one port the first stays: newer systems write it twice, as usb and usbv2.
    return {link.resolve(): str(link) for link in links}


def _units(devices: list[Any]) -> Iterator[Plugged]:
    numbers = [(device.idVendor, device.idProduct) for device in devices]
    for device in devices:
        if device.bDeviceClass == _HUB:
            continue
        unit = f"{device.idVendor:04x}:{device.idProduct:04x}"
        alike = numbers.count((device.idVendor, device.idProduct)) > 1
        yield Plugged(
            kind="usb",
            # Where only one of its kind is there, it may be put into any socket.
            port=f"usb:{unit}@{socket_of(device)}" if alike else f"usb:{unit}",
            node=f"/dev/bus/usb/{device.bus:03}/{device.address:03}",
            unit=unit,
            socket=socket_of(device),
            what=_said(*(_sysfs(device, name) for name in ("manufacturer", "product"))),
            keyboard=_reports_like_a_keyboard(device),
        )


def _reports_like_a_keyboard(device: Any) -> bool:
    with suppress(usb.core.USBError):
        return any(is_boot_keyboard(each) for configuration in device for each in configuration)
    return False


def _sysfs(device: Any, name: str) -> str | None:
    try:
        return (libusb.SYSFS / socket_of(device) / name).read_text(errors="replace").strip()
    except OSError:
        return None


def _said(*words: str | None) -> str:
    """Put together what a device calls itself; it may hold anything."""
    return " ".join(word for word in words if word and word != "n/a")


def _simulated(path: Path) -> Iterator[Plugged]:
    with suppress(OSError):
        mode = path.stat().st_mode
        if stat.S_ISCHR(mode):
            yield Plugged(kind="serial", port=str(path), node=str(path.resolve()), what="simulated")
        elif stat.S_ISSOCK(mode):
            yield from _simulated_unit(path)


def _simulated_unit(path: Path) -> Iterator[Plugged]:
    backend = SimulatedBackend(path)
    try:
        for unit in backend.enumerate_devices():
            yield Plugged(
                kind="usb",
                port=f"simulated:{path}",
                unit=f"{unit.vendor:04x}:{unit.product:04x}",
                socket=f"{unit.bus}-{'.'.join(map(str, unit.ports))}",
                what="simulated",
                keyboard=(unit.subclass, unit.protocol) == (1, 1),
            )
    except usb.core.USBError:
        return  # unplugged while it was looked at
    finally:
        backend.hang_up()
