"""The disk of a whole table PC: with Debian on it, and with the controller installed on that.

The PC runs in a container, on a disk whose writes are logged: its systemd, its users and files are
real, and it is as fast as this machine, so that the kernel writes back when it would on a real PC.
"""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.appliance import debian
from tests.appliance.machine import Machine
from tests.appliance.programs import do
from tests.appliance.table_pc import CONFIG, INSTALLED_WITHIN, ROOT, STATE, UNIT, TablePC, wheels
from tests.pc.cuts.logged import formatted

SIZE: Final = 3 << 30
"""Bytes of the disk; the image of it is as long as what is on it."""

MAKE: Final = TablePC.making("install")

SETTINGS: Final = f"""\
[table]
name = "Table 7"
game = "pontoon-nsw"
state = "{STATE}"
socket = "/run/tablekeeper/control.sock"

[devices.shoe]
driver = "angel-eye"
port = "/dev/nothing"
"""


class Checkout:
    """What is installed from: the checkout, and all that it needs without a network."""

    def __init__(self, folder: Path) -> None:
        """Fill the folder."""
        self.wheels = folder / "wheels"
        wheels(self.wheels)

    @property
    def binds(self) -> dict[Path, str]:
        """Where a container finds it."""
        return {ROOT: "/checkout", self.wheels: "/wheels"}


@contextlib.contextmanager
def on(disk: Path, place: Path, checkout: Checkout | None = None) -> Iterator[Machine]:
    """Switch the PC on whose disk is ``disk``; afterwards it is off, and its disk not mounted."""
    place.mkdir(exist_ok=True)
    do("mount", "-o", "loop", disk, place)
    try:
        with Machine(place, {}, checkout.binds if checkout else None) as machine:
            yield machine
    finally:
        do("umount", place)


def bare(image: Path, place: Path) -> None:
    """Make the disk of a PC with Debian on it and nothing of ours."""
    place.mkdir()
    formatted(image, SIZE)
    do("mount", "-o", "loop", image, place)
    try:
        debian.unpack(place)
    finally:
        do("umount", place)


def installed(image: Path, place: Path, checkout: Checkout) -> None:
    """Install the controller on a bare disk and let its table be opened at every start."""
    with on(image, place, checkout) as machine:
        machine.run(*MAKE, within=INSTALLED_WITHIN)
        settle(machine)


def settle(machine: Machine) -> None:
    """Give the table its settings, and open it."""
    machine.inside(CONFIG).write_text(SETTINGS)
    machine.run("sync")
    machine.run("systemctl", "start", UNIT)


def making(machine: Machine) -> "subprocess.Popen[str]":
    """Begin to install; what is said is to be read."""
    return subprocess.Popen(
        [*machine.entering(), *MAKE],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=machine.environment(),
    )
