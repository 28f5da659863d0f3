"""What runs here, as a report of trouble needs it."""

import platform
import sqlite3
from collections.abc import Iterator
from importlib.metadata import version

from controller.doctor.finding import Finding, ok, trouble
from controller.doctor.patient import Patient
from drivers.errors import LinkLost, OptionError
from drivers.ports import libusb
from drivers.registry import find_driver


def versions() -> dict[str, str]:
    """Return the versions by name; libusb is "" if it cannot be loaded."""
    try:
        usb = libusb.version()
    except LinkLost:
        usb = ""
    return {
        "tablekeeper": version("tablekeeper"),
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "libusb": usb,
        "kernel": platform.release(),
    }


def check(patient: Patient) -> Iterator[Finding]:
    """Yield the versions, and that libusb is missing where it is needed."""
    known = versions()
    yield ok("versions", " · ".join(f"{name} {number}" for name, number in known.items() if number))
    if not known["libusb"] and any(_needs_usb(patient)):
        mend = "sudo apt install libusb-1.0-0"
        yield trouble("versions", "libusb cannot be loaded: no USB unit is found", mend=mend)


def _needs_usb(patient: Patient) -> Iterator[bool]:
    for device in {} if patient.settings is None else patient.settings.devices.values():
        try:
            yield "usb" in find_driver(device.driver).ports
        except OptionError:
            continue  # said of the configuration
