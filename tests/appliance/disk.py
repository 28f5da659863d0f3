"""The disks of the table PC: one in memory for the system, and one of its own for the state.

The one for the state is a real file system, and can be made to take nothing for a while.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tests.appliance.programs import do

SIZE = 4 << 30
SYSTEM_SIZE = 2 << 30


@contextlib.contextmanager
def in_memory(place: Path) -> Iterator[None]:
    """Make the folder a file system in memory: quick, and as quickly gone."""
    place.mkdir()
    do("mount", "-t", "tmpfs", "-o", f"size={SYSTEM_SIZE}", "tmpfs", place)
    try:
        yield
    finally:
        do("umount", "--lazy", place)


@contextlib.contextmanager
def mounted(folder: Path) -> Iterator[Path]:
    """Make a file system in a file and mount it; yield where."""
    image, place = folder / "disk.img", folder / "disk"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(SIZE)
    do("mkfs.ext4", "-q", "-F", image)
    do("mount", "-o", "loop", image, place)
    try:
        yield place
    finally:
        do("umount", "--lazy", place)


@contextlib.contextmanager
def standing_still(place: Path) -> Iterator[None]:
    """Let every write to the disk wait until the end."""
    do("fsfreeze", "--freeze", place)
    try:
        yield
    finally:
        do("fsfreeze", "--unfreeze", place)
