"""A table PC with the controller on it, installed as a technician does it; kept for the next run.

It is installed in a container of the same disk, where a real systemd runs as well: emulated, that
would take minutes.  Whoever boots it finds a PC that was switched off in order afterwards.  Whoever
thaws it finds the same PC booted, with nothing plugged in ever, and so no module of a USB unit
loaded but what Debian or the program itself has loaded.
"""

import hashlib
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.appliance.debian import in_use
from tests.appliance.machine import Machine
from tests.appliance.programs import do, found
from tests.appliance.table_pc import CONFIG, INSTALLED_WITHIN, ROOT, SOCKET, STATE, UNIT, wheels
from tests.pc.image import Image, image, overlaid
from tests.pc.vm import VM, copied

LINES = "/dev/tablekeeper/pci-0000:00:14.0-usb-0"
"""The PC's USB sockets, as the udev rules name the serial lines in them."""

OPEN = "open"
"""The table runs since the boot and waits for its devices."""

CLOSED = "closed"
"""The table does not run, and its folder is empty."""

SETTINGS = f"""\
[table]
name = "Table 7"
game = "pontoon-nsw"
state = "{STATE}"
socket = "{SOCKET}"

[devices.shoe]
driver = "angel-eye"
port = "{LINES}:1:1.0"

[devices.buttons]
driver = "reference-buttons"
port = "{LINES}:2:1.0"

[devices.pedal]
driver = "pcsensor"
port = "usb"
"""
"""The shoe is in the first USB socket, the buttons are in the second, the pedal is in any."""


SLOW = """\
[Service]
TimeoutStartSec=10min
TimeoutStopSec=2min
WatchdogSec=30s
"""
"""Emulated, all takes ten times as long, and longer when others want the processors as well."""

PROGRAM = ("controller/", "drivers/", "config/", "systemd/", "pyproject.toml", "constraints.txt")


class Installed(NamedTuple):
    """Disks of a table PC with the program on it, to lay others over or to copy."""

    image: Image
    off: Path
    """Switched off in order."""
    up: Path
    """The same, with snapshots of it running."""

    def cold(self, folder: Path) -> VM:
        """Return such a PC that is off, in an own folder."""
        folder.mkdir()
        return VM(folder, self.image, overlaid(self.off, folder / "disk.qcow2"))

    def thawed(self, folder: Path, snapshot: str) -> VM:
        """Return such a PC that goes on from the snapshot `OPEN` or `CLOSED`, in an own folder."""
        folder.mkdir()
        disk = copied(self.up, folder / "disk.qcow2")
        # A clock that is set is an alarm at a table that runs.
        return VM(folder, self.image, disk, frozen=snapshot, sets_clock=snapshot == CLOSED)


def installed(source: Path = ROOT) -> Installed:
    """Return a table PC with the program of a checkout, made if need be."""
    base = image()
    kept = base.disk.parent / f"installed-{_key(source)}"
    if not (kept / "up.qcow2").exists():
        with TemporaryDirectory(prefix="new-", dir=base.disk.parent) as scratch:
            fresh = Path(scratch, "disks")
            fresh.mkdir()
            _install(base, fresh / "disk.raw", source)
            shutil.rmtree(kept, ignore_errors=True)
            fresh.rename(kept)
        _boot(base, kept)  # its disk names the one below, which has to be in its place by then
    in_use(kept)
    return Installed(base, kept / "disk.raw", kept / "up.qcow2")


def _key(source: Path) -> str:
    """Name what is installed: the files of the program, and how it is installed here."""
    listed = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    command = [found("git"), "-C", str(source), *listed]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    hashed = hashlib.sha256((SETTINGS + SLOW).encode())
    for name in sorted(done.stdout.split("\0")):
        file = source / name
        if name.startswith(PROGRAM) and file.is_file():
            hashed.update(f"{name}\0".encode() + file.read_bytes())
    return hashed.hexdigest()[:12]


def _install(base: Image, disk: Path, source: Path) -> None:
    do("cp", "--sparse=always", base.disk, disk)
    with TemporaryDirectory(prefix="tk-") as scratch, _mounted(disk, Path(scratch)) as root:
        wheels(Path(scratch, "wheels"), source)
        readable = {source: "/checkout", Path(scratch, "wheels"): "/wheels"}
        with Machine(root, {}, readable) as container:
            command = ("make", "-C", "/checkout", "install", "WHEELS=/wheels")
            container.run(*command, within=INSTALLED_WITHIN)
        (root / CONFIG.removeprefix("/")).write_text(SETTINGS)
        (root / "etc/systemd/system/tablekeeper.service.d").mkdir(exist_ok=True)
        (root / "etc/systemd/system/tablekeeper.service.d/slow.conf").write_text(SLOW)


@contextmanager
def _mounted(disk: Path, folder: Path) -> Iterator[Path]:
    place = folder / "root"
    place.mkdir()
    do("mount", "-o", "loop", disk, place)
    try:
        yield place
    finally:
        do("umount", place)


def _boot(base: Image, kept: Path) -> None:
    with TemporaryDirectory(prefix="tk-") as scratch:
        fresh = overlaid(kept / "disk.raw", Path(scratch, "disk.qcow2"))
        with VM(Path(scratch, "pc"), base, fresh) as pc:
            pc.run("systemctl", "start", UNIT)  # it does so at the boot: this waits for it
            pc.freeze(OPEN)
            pc.run("systemctl", "stop", UNIT)
            pc.sh(f"find {STATE} -mindepth 1 -delete")
            pc.freeze(CLOSED)
        copied(fresh, kept / "up.new").rename(kept / "up.qcow2")
