"""Plugged-in units as the kernel shows them: folders that udev takes for /sys.

A container has no USB; udev itself is real, and is told not to insist on the kernel's own /sys.
"""

from pathlib import Path

HOST = "devices/pci0000:00/0000:00:14.0"
UNIT = f"{HOST}/usb1/1-2"
LINE = f"{UNIT}/1-2:1.0/ttyUSB0/tty/ttyUSB0"
BOARD_LINE = "devices/pnp0/00:01/tty/ttyS0"


def show_unit(root: Path, vendor: str, product: str) -> str:
    """Show a USB unit in the second socket; return its device."""
    _device(root, HOST, "bus/pci", "PCI_SLOT_NAME=0000:00:14.0\n")
    node = "MAJOR=189\nMINOR={}\nDEVNAME=bus/usb/001/00{}\nDEVTYPE=usb_device\n"
    _device(root, f"{HOST}/usb1", "bus/usb", node.format(0, 1))
    unit = _device(root, UNIT, "bus/usb", node.format(1, 2))
    (unit / "idVendor").write_text(f"{vendor}\n")
    (unit / "idProduct").write_text(f"{product}\n")
    (unit / "power").mkdir(exist_ok=True)
    (unit / "power" / "control").write_text("")  # not "auto": a file keeps its old end
    return f"/sys/{UNIT}"


def show_usb_line(root: Path) -> str:
    """Show a serial line on USB in the second socket; return its device."""
    show_unit(root, "0403", "6001")
    face = _device(root, f"{UNIT}/1-2:1.0", "bus/usb", "DEVTYPE=usb_interface\n")
    (face / "bInterfaceNumber").write_text("00\n")
    _device(root, f"{UNIT}/1-2:1.0/ttyUSB0", "bus/usb-serial", "")
    _device(root, LINE, "class/tty", "MAJOR=188\nMINOR=0\nDEVNAME=ttyUSB0\n")
    return f"/sys/{LINE}"


def show_board_line(root: Path) -> str:
    """Show a serial line of the board; return its device."""
    _device(root, "devices/pnp0/00:01", "bus/pnp", "")
    _device(root, BOARD_LINE, "class/tty", "MAJOR=4\nMINOR=64\nDEVNAME=ttyS0\n")
    return f"/sys/{BOARD_LINE}"


def _device(root: Path, path: str, subsystem: str, uevent: str) -> Path:
    folder = root / path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "uevent").write_text(uevent)
    (root / subsystem / "devices").mkdir(parents=True, exist_ok=True)
    link = folder / "subsystem"
    if not link.is_symlink():
        link.symlink_to("/".join([".."] * (path.count("/") + 1) + [subsystem]))
    return folder
