"""Real USB: libusb as pyusb's backend, made anew for each attempt to find a unit.

libusb keeps its list of units up to date by netlink messages, which do not reach a service in a
network namespace of its own; only a new libusb context looks at the bus itself.  That costs a few
milliseconds, so while the unit is away sysfs is asked first, which costs next to nothing.
"""

import ctypes
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import libusb_package
import usb.backend.libusb1
import usb.core

from drivers.errors import LinkLost
from drivers.ports.spec import UsbSpec
from drivers.profiles import UsbProfile

SYSFS = Path("/sys/bus/usb/devices")


class _Version(ctypes.Structure):
    # struct libusb_version; what follows the numbers is not looked at.
    _fields_ = tuple((name, ctypes.c_uint16) for name in ("major", "minor", "micro", "nano"))


# pyusb caches one backend a process and offers no other way to a second context.
class _OwnContext(usb.backend.libusb1._LibUSB):  # type: ignore[misc]  # noqa: SLF001
    def enumerate_devices(self) -> Iterator[Any]:
        for unit in super().enumerate_devices():
            # libusb touches the context when it lets go of a unit, so the context must live longer.
            unit.context = self
            yield unit


def fresh_backend() -> Any:
    """Return a pyusb backend with a libusb context of its own.

    Raises:
        usb.core.NoBackendError: libusb cannot be loaded.

    """
    libusb1 = usb.backend.libusb1
    if libusb1.get_backend(find_library=libusb_package.find_library) is None:
        raise usb.core.NoBackendError("libusb cannot be loaded")
    return _OwnContext(libusb1._lib)  # noqa: SLF001


def require_present(wanted: UsbSpec, profile: UsbProfile, *, sysfs: Path = SYSFS) -> None:
    """Look in sysfs whether it is worth asking libusb for a unit.

    Raises:
        LinkLost: no unit on the bus can be the wanted one.

    """
    if wanted.unit is None and not profile.ids:
        return
    units = profile.ids if wanted.unit is None else {wanted.unit}
    here = {folder.name for folder in sysfs.glob("*") if _unit(folder) in units}
    if not here or (wanted.socket is not None and wanted.socket not in here):
        names = " or ".join(f"{vid:04x}:{pid:04x}" for vid, pid in sorted(units))
        place = f" at {wanted.socket}" if wanted.socket else ""
        raise LinkLost(f"no USB unit {names}{place} is there; is it plugged in?")


def _unit(folder: Path) -> tuple[int, int] | None:
    try:
        vid, pid = ((folder / name).read_text() for name in ("idVendor", "idProduct"))
    except OSError:
        return None  # a hub's interface folder, or a unit on its way out
    return int(vid, 16), int(pid, 16)


def version() -> str:
    """Return the version of libusb that is used, as 1.0.27.

    Raises:
        LinkLost: libusb cannot be loaded.

    """
    found = usb.backend.libusb1.get_backend(find_library=libusb_package.find_library)
    if found is None:
        raise LinkLost("libusb cannot be loaded: install libusb-1.0-0")
    library = found.lib
    library.libusb_get_version.restype = ctypes.POINTER(_Version)
    told = library.libusb_get_version().contents
    return f"{told.major}.{told.minor}.{told.micro}"
