"""What a day's file says of itself as a database, before any row of it is read."""

import sqlite3
from pathlib import Path
from typing import Final

from controller.eventlog.errors import NotALog
from controller.eventlog.reasons import why
from controller.eventlog.verdict import FirstBad

MAGIC: Final = b"SQLite format 3\0"


def begins_as_database(file: Path) -> bool:
    """Tell whether a file begins as every database does.

    Raises:
        NotALog: it can't be read.

    """
    try:
        with file.open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise NotALog(file, f"it can't be read: {why(error)}") from error


def is_kept_in_wal(database: Path) -> bool:
    """Tell whether a database says of itself that it has such a file while it is written.

    Raises:
        OSError: it can't be read.

    """
    with database.open("rb") as stream:
        return stream.read(20)[18:] == b"\2\2"


def size_of_database(file: Path) -> int:
    """Return how many bytes of a file belong to the database in it, by what it says of itself.

    Raises:
        OSError: it can't be read.

    """
    with file.open("rb") as stream:
        begin = stream.read(32).ljust(32, b"\0")
    size = int.from_bytes(begin[16:18], "big")
    return (65536 if size == 1 else size) * int.from_bytes(begin[28:32], "big")


def ends_early(file: Path) -> str:
    """Say of a damaged file, in words to go on with, where it was cut off or never written.

    Raises:
        OSError: it can't be read.

    """
    size, due = file.stat().st_size, size_of_database(file)
    if size < due:
        return f": it ends after {size:,} of {due:,} bytes, {_CUT}"
    zeros = _zeros_at_the_end(file, size)
    return f": its last {zeros:,} bytes are zeros, {_CUT}" if zeros >= _LEAST else ""


_CUT: Final = "as a disk leaves it that did not keep what it confirmed, or somebody who cut it off"
_LEAST: Final = 4096
"""A page of zeros is none that SQLite writes."""


def _zeros_at_the_end(file: Path, size: int) -> int:
    zeros = 0
    with file.open("rb") as stream:
        while zeros < size:
            stream.seek(max(0, size - zeros - _LEAST))
            piece = stream.read(min(_LEAST, size - zeros))
            kept = piece.rstrip(b"\0")
            zeros += len(piece) - len(kept)
            if kept:
                break
    return zeros


def inside(db: sqlite3.Connection) -> FirstBad | None:
    """Let SQLite compare the index with the rows, and the pages with each other."""
    (found,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    return None if found == "ok" else FirstBad(0, f"the file is damaged ({found})")
