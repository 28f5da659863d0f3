"""A disk of which every write is kept in a log: a file system on it is mounted as on any other.

QEMU's storage daemon shows the image as a file (FUSE), and keeps the log; the kernel's loop device
makes a disk of that file.  What the kernel flushes arrives as a flush.
"""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.appliance.programs import do
from tests.system.processes import end, eventually

SIZE: Final = 512 << 20
"""Bytes of a disk for a table's state: more than the room that a table asks for."""


class LoggedDisk:
    """A disk whose image was ``base`` before the first write."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.base = folder / "base.img"
        self.log = folder / "writes.log"
        self.device = folder / "disk"
        """What to mount, with ``-o loop``."""

    def length(self) -> int:
        """Return how long the log is now, in bytes."""
        return self.log.stat().st_size


def formatted(image: Path, size: int = SIZE, *options: object) -> None:
    """Make an image with an empty file system, on which nothing is left to be done later."""
    with image.open("wb") as file:
        file.truncate(size)
    at_once = "lazy_itable_init=0,lazy_journal_init=0"
    do("mkfs.ext4", "-q", "-F", "-E", at_once, *options, image)


@contextlib.contextmanager
def logging(disk: LoggedDisk) -> Iterator[LoggedDisk]:
    """Show the disk, and log what is written to it until the end."""
    now = disk.folder / "now.img"
    do("cp", "--sparse=always", disk.base, now)
    disk.log.touch()
    disk.device.touch()
    command = [
        *("qemu-storage-daemon", "--blockdev", f"driver=file,node-name=image,filename={now}"),
        *("--blockdev", f"driver=file,node-name=log,filename={disk.log}"),
        *("--blockdev", "driver=blklogwrites,node-name=disk,file=image,log=log"),
        *("--export", f"type=fuse,id=disk,node-name=disk,mountpoint={disk.device},writable=on"),
    ]
    daemon = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        eventually(lambda: disk.device.stat().st_size > 0, "the logged disk is shown")
        yield disk
    finally:
        daemon.terminate()
        daemon.wait()
        end(daemon)
        now.unlink()
