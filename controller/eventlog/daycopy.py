"""The file of one day in the second copy of a log: made, filled, and put in its place."""

import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from controller.custody import open_file
from controller.eventlog.chain import Head
from controller.eventlog.checkpoints import Checkpoint
from controller.eventlog.day import OpenDay, beside
from controller.eventlog.files import DayFile, sha256_of, sync_folder
from controller.eventlog.read import DayReader
from controller.eventlog.row import Row

LATEST: Final = 2
"""Days that are looked at to the last byte: to read all at each start would take long."""

BATCH: Final = 500
"""Rows copied in one transaction, at most."""

_PIECE: Final = 1024 * 1024


def is_unlike(copy: DayFile, day: DayFile, after: list[DayFile]) -> bool:
    """Tell whether the copy of a day that is over has other bytes: of the latest, each counts."""
    if not after or copy.path.stat().st_size != day.path.stat().st_size:
        return True
    return len(after) < LATEST and sha256_of(copy.path) != sealed_as(day, after[0])


def sealed_as(day: DayFile, after: DayFile) -> str:
    """Return the SHA-256 of a day that is over, by what the next one says: the file may be rotten.

    That of the file only if the next one says none.
    """
    with closing(DayReader.open(after)) as reader:
        header = reader.header()
    return header.previous.sha256 if header and header.previous else sha256_of(day.path)


def exchange(copy: DayFile, new: Path) -> None:
    """Put a file in the place of a day's, with nothing beside it that is of the one before."""
    for path in beside(copy):
        path.unlink(missing_ok=True)
    sync_folder(copy.path.parent)  # a -wal that comes back is read into the new file
    new.replace(copy.path)
    sync_folder(copy.path.parent)


def copied_durably(source: Path, new: Path) -> str:
    """Copy the file of a day that is over, a piece at a time, and let nobody write it.

    Returns its SHA-256.

    Raises:
        OSError: the disk did not take it, or has something else than was written.

    """
    new.unlink(missing_ok=True)
    digest = hashlib.sha256()
    fd = open_file(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
    with os.fdopen(fd, "wb") as out, source.open("rb") as read:
        while piece := read.read(_PIECE):
            digest.update(piece)
            out.write(piece)
        out.flush()
        os.fsync(out.fileno())
        # Otherwise what is read back is what was meant to be written.
        os.posix_fadvise(out.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    if sha256_of(new) != digest.hexdigest():
        raise OSError(errno.EIO, f"{new.name} is not what was written")
    return digest.hexdigest()


def fill(copy: OpenDay, day: DayFile) -> Head:
    """Add the rows that the copy of a day has not; return its head."""
    head = copy.head
    # Opened anew each time: a file that somebody has open can't be sealed well.
    with closing(DayReader.open(day)) as reader:
        for rows, checkpoint in _transactions(reader, head.seq):
            copy.commit(rows, checkpoint)
            head = Head(rows[-1].seq, rows[-1].hash)
    return head


def _transactions(reader: DayReader, since: int) -> Iterator[tuple[list[Row], Checkpoint | None]]:
    """Yield rows that may be committed together, and the checkpoint at the last of them."""
    last = reader.head.seq
    query = "SELECT seq, before, signature FROM checkpoint WHERE seq > ? AND seq <= ?"
    signed = {seq: told for seq, *told in reader.fetch(query, (since, last))}
    batch: list[Row] = []
    for row in reader.rows(since, last):
        batch.append(row)
        if row.seq in signed or len(batch) == BATCH or row.seq == last:
            told = signed.get(row.seq)
            yield batch, Checkpoint(row.seq, row.hash, *told) if told else None
            batch = []
