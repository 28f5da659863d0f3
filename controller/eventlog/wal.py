"""The file ``-wal``, in which SQLite keeps what was recorded before it puts it into the database.

SQLite reads it as far as it holds, and passes over the rest without a word. Here it is said when
what is passed over was once on the disk: then the file was changed, or copied while it was written.
See https://sqlite.org/fileformat2.html#the_write_ahead_log.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, Self

_HEADER: Final = struct.Struct(">8I")
_FRAME: Final = struct.Struct(">6I")
_MAGIC: Final = {0x377F0682: "<", 0x377F0683: ">"}
"""How the file begins, and which way round the numbers stand that its sums are taken over."""

_PAGES: Final = frozenset(512 << power for power in range(8))
_MASK: Final = 0xFFFFFFFF
_TRIES: Final = 5
"""A file that is being written may look torn just where it grows."""

_NEWER: Final = 2**16
"""The first salt is counted up, around 2^32, each time that the file is begun anew: so often."""

_FURTHEST: Final = 10_000
"""So many pages in a row that are left from before, and nobody looks further."""

_SALTS: Final = slice(16, 24)
"""Where a ``-wal`` has the numbers that it was begun with, ..."""

_LISTED_SALTS: Final = slice(32, 40)
"""... and where the list of it in a ``-shm`` has them."""

_Sums = tuple[int, int]


class Frame(NamedTuple):
    """One page as it was written to the file; its sums go on from those of the frame before."""

    page: int
    commits: bool
    salts: tuple[int, int]
    sums: _Sums
    covered: bytes

    @classmethod
    def read(cls, stream: BinaryIO, size: int) -> Self | None:
        """Return the next one, None if there is no whole one."""
        data = stream.read(_FRAME.size + size)
        if len(data) < _FRAME.size + size:
            return None
        page, pages, *rest = _FRAME.unpack_from(data)
        salts, sums = (rest[0], rest[1]), (rest[2], rest[3])
        return cls(page, pages != 0, salts, sums, data[:8] + data[_FRAME.size :])


def wal_of(database: Path) -> Path:
    """Return where the file is."""
    return database.with_name(f"{database.name}-wal")


def is_listed(wal: Path, shared: Path) -> bool:
    """Tell whether a ``-shm`` lists what stands in a ``-wal``, as far as can be told.

    One that a writer left who was killed just when it had begun the ``-wal`` anew lists what was
    there before. Who may not write it can't set that right, and SQLite waits for somebody who does.

    Raises:
        OSError: one of them can't be read.

    """
    if not shared.exists():
        return False
    if os.access(shared, os.W_OK, effective_ids=True):
        return True
    with wal.open("rb") as one, shared.open("rb") as other:
        return one.read(_HEADER.size)[_SALTS] == other.read(_HEADER.size * 2)[_LISTED_SALTS]


def wal_fault(database: Path) -> str | None:
    """Say what is wrong with the file beside a database; None if nothing, or there is none.

    Raises:
        OSError: it can't be read.

    """
    path = wal_of(database)
    for _ in range(_TRIES):
        try:
            with path.open("rb") as stream:
                what = _fault(stream)
        except FileNotFoundError:
            return None
        if what is None:
            return None
    return f"{path.name}: {what}: it was changed, or copied while the table was writing it"


def _fault(stream: BinaryIO) -> str | None:
    header = stream.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None  # nothing was ever written behind it
    magic, _, size, _, *salts, first, second = _HEADER.unpack(header)
    sums = (first, second)
    order = _MAGIC.get(magic)
    if order is None or size not in _PAGES or _summed((0, 0), header[:24], order) != sums:
        # Its beginning is on the disk before the first page is written behind it.
        return (
            "its beginning does not hold, so that nothing in it counts" if stream.read(1) else None
        )
    return _torn(stream, size, (salts[0], salts[1]), sums, order)


def _torn(
    stream: BinaryIO, size: int, salts: tuple[int, int], sums: _Sums, order: str
) -> str | None:
    """Look for what was committed and does not count, as something before it does not hold.

    What follows on the last commit is of a transaction that was broken off, or was left there when
    the file was begun anew. A power cut leaves pages of one transaction that hold by themselves,
    not of two: the next one is begun when that one is on the disk.
    """
    broken, commits, strange = 0, 0, 0
    for number, frame in _frames(stream, size):
        if 0 < (frame.salts[0] - salts[0]) & _MASK < _NEWER:
            return f"page {number} in it was written after the file was begun anew"
        strange = strange + 1 if frame.salts != salts else 0
        if strange == _FURTHEST:
            break
        if strange or _summed(sums, frame.covered, order) != frame.sums:
            broken, commits = broken or number, 0
        elif broken and frame.commits:
            commits += 1
            if commits > 1:
                return f"page {broken} in it does not follow from what is before, and later ones do"
        sums = frame.sums
    return None


def _frames(stream: BinaryIO, size: int) -> Iterator[tuple[int, Frame]]:
    number = 0
    while frame := Frame.read(stream, size):
        number += 1
        yield number, frame


def _summed(sums: _Sums, data: bytes, order: str) -> _Sums:
    one, two = sums
    numbers = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for even, odd in zip(numbers, numbers, strict=True):
        one = (one + even + two) & _MASK
        two = (two + odd + one) & _MASK
    return one, two
