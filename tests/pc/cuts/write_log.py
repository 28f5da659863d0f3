"""Reader of a log of the writes to a disk, as QEMU's ``blklogwrites`` keeps it.

The format is that of Linux's dm-log-writes (drivers/md/dm-log-writes.c): a sector that says what it
is, then for each write a sector that describes it and the data.  The count of entries in the first
sector is brought up to date now and then only, so the log is read to its end.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

MAGIC: Final = 0x6A736677736872
_SUPER: Final = struct.Struct("<QQQI")
_ENTRY: Final = struct.Struct("<QQQQ")
_SECTOR: Final = 512
"""Bytes of the unit in which an entry tells its place and length."""

FLUSH: Final = 1
FUA: Final = 2
DISCARD: Final = 4
MARK: Final = 8
"""The bits of an entry's flags."""


class NotAWriteLog(Exception):
    """A file that is no log of writes; says why."""


class Entry(NamedTuple):
    """Something that a disk was told: to write, to forget (zeros), or to flush what was written."""

    at: int
    """Where on the disk, in bytes."""
    size: int
    """How many bytes; 0 of a mere flush."""
    flags: int
    data: int
    """Where in the log the data lie, in bytes."""
    end: int
    """How long the log was when it held this entry, in bytes."""

    @property
    def flushes(self) -> bool:
        """Whether all that was written before is on the disk for good."""
        return bool(self.flags & FLUSH)

    @property
    def lasts(self) -> bool:
        """Whether it is itself on the disk for good."""
        return bool(self.flags & FUA)


class WriteLog:
    """The log in the file ``path``."""

    def __init__(self, path: Path) -> None:
        """Read all entries; the data stay where they are.

        Raises:
            NotAWriteLog: it is none.
        """
        self.path = path
        with path.open("rb") as file:
            first = file.read(_SUPER.size)
            if len(first) < _SUPER.size:
                raise NotAWriteLog(f"{path} has no first sector")
            magic, version, _count, self.sector = _SUPER.unpack(first)
            if magic != MAGIC or version != 1:
                raise NotAWriteLog(f"{path} begins with {magic:#x}, version {version}")
            self.entries = list(self._read(file, path.stat().st_size))

    def _read(self, file, length: int) -> Iterator[Entry]:
        place = self.sector
        while place + self.sector <= length:
            file.seek(place)
            sector, count, flags, told = _ENTRY.unpack(file.read(_ENTRY.size))
            if not (count or flags):
                return  # nothing was written here any more
            data = place + self.sector
            size = count * self.sector
            if flags & MARK:
                place = data + -(-told // self.sector) * self.sector
                continue
            place = data + (0 if flags & DISCARD else size)
            if place > length:
                return  # cut off
            yield Entry(sector * self.sector, size, flags, data, place)

    def until(self, length: int) -> list[Entry]:
        """Return the entries that the log held when it was so long."""
        return [entry for entry in self.entries if entry.end <= length]

    def content(self, entry: Entry) -> bytes:
        """Return what the entry has put on the disk."""
        if entry.flags & DISCARD:
            return bytes(entry.size)
        with self.path.open("rb") as file:
            file.seek(entry.data)
            return file.read(entry.size)
