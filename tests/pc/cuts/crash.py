"""What a disk may hold after its power was cut: what it has promised, and chance for the rest.

A disk promises what was written before a flush that it has answered.  Of what was written since, it
may have done nothing, all, the first part, or any part; and of each write any sectors of 512 bytes.
Only the superblock of ext4, two of these, is written whole or not at all: half of one is the end of
a file system, whoever writes to it.
"""

import enum
import random
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from tests.pc.cuts.write_log import Entry, WriteLog

SECTOR: Final = 512
"""Bytes that a disk writes whole or not at all."""

SUPERBLOCK: Final = range(1024, 2048)
"""Where that of ext4 lies on a disk without partitions."""


class Left(enum.StrEnum):
    """What is left of the writes that were not flushed."""

    NONE = "none"
    ALL = "all"
    SOME = "some"
    """Each whole or not, by chance: so later ones without earlier ones."""
    FIRST = "first"
    """Those up to one of them, and of that its beginning."""
    TORN = "torn"
    """Each sector by itself, by chance."""


class Piece(NamedTuple):
    """Bytes that are on the disk, and where."""

    at: int
    data: bytes


def promised(entries: Sequence[Entry]) -> int:
    """Return how many of the entries are on the disk for good, counted from the first."""
    return max((place + 1 for place, entry in enumerate(entries) if entry.flushes), default=0)


def left_of(
    log: WriteLog, entries: Sequence[Entry], left: Left, luck: random.Random
) -> list[Piece]:
    """Return what is on the disk of the entries that no flush has followed."""
    pending = [entry for entry in entries[promised(entries) :] if entry.size]
    whole = luck.randint(0, len(pending))
    pieces: list[Piece] = []
    for number, entry in enumerate(pending):
        data = log.content(entry)
        if entry.lasts or left is Left.ALL or (left is Left.FIRST and number < whole):
            pieces.append(Piece(entry.at, data))
        elif left is Left.FIRST and number == whole:
            pieces.append(Piece(entry.at, data[: luck.choice(_sectors(entry))]))
        elif left is Left.SOME and luck.random() < 0.5:
            pieces.append(Piece(entry.at, data))
        elif left is Left.TORN:
            pieces += [
                Piece(entry.at + start, data[start:end])
                for start, end in pairwise([*_sectors(entry), len(data)])
                if luck.random() < 0.5
            ]
    return pieces


def _sectors(entry: Entry) -> list[int]:
    """Return where each part of a write begins that may be on the disk without the others."""
    starts = range(0, entry.size, SECTOR)
    return [start for start in starts if not start or entry.at + start not in SUPERBLOCK[1:]]


class Disk:
    """An image that is brought forward through a log, to what was promised at each moment."""

    def __init__(self, image: Path, log: WriteLog) -> None:
        """Take the image as it was before the first write; it is changed."""
        self._image = image
        self._log = log
        self._done = 0

    def promise(self, entries: Sequence[Entry]) -> None:
        """Put everything into the image that is on the disk for good after these entries.

        They begin with the log's first, and are never fewer than at the last call.
        """
        upto = promised(entries)
        write(self._image, (Piece(e.at, self._log.content(e)) for e in entries[self._done : upto]))
        self._done = max(upto, self._done)


def write(image: Path, pieces: Iterable[Piece]) -> None:
    """Write the pieces into the image, one after the other."""
    with image.open("r+b") as file:
        for piece in pieces:
            file.seek(piece.at)
            file.write(piece.data)
