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


def inside(db: sqlite3.Connection) -> FirstBad | None:
    """Let SQLite compare the index with the rows, and the pages with each other."""
    (found,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    return None if found == "ok" else FirstBad(0, f"the file is damaged ({found})")
