"""The file of one gaming day, as the log's one writer has it."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from controller.custody import open_database, open_file
from controller.eventlog import schema
from controller.eventlog.checkpoints import Checkpoint, Kept
from controller.eventlog.dayrows import DayRows
from controller.eventlog.errors import DayInUse, LogAltered, LogWriteFailed
from controller.eventlog.files import DayFile, sync_folder
from controller.eventlog.reasons import DATABASE_ERRORS, on_reading
from controller.eventlog.row import Row

BUSY_SECONDS = 5.0
"""How long a write waits for another program that has the database locked."""


READER_MS = 200
"""Milliseconds to wait for somebody who reads, before a day is ended."""


class OpenDay(DayRows):
    """A day's database, open for writing."""

    def __init__(self, file: DayFile, db: sqlite3.Connection, kept: Kept) -> None:
        """Take over what `open` has opened."""
        super().__init__(file)
        self._db = db
        self._kept = kept

    @classmethod
    def open(cls, file: DayFile) -> Self:
        """Open the file for writing; one that is blank becomes a log without rows.

        Raises:
            LogAltered, NotALog, NewerFormat: it is no log as this program left it.
            LogWriteFailed: this kind of disk does not do.
            sqlite3.Error, UnicodeDecodeError, OSError: it can't be opened.

        """
        if not os.path.lexists(file.path):
            os.close(open_file(file.path, os.O_RDWR | os.O_CREAT | os.O_EXCL))
            sync_folder(file.path.parent)
        db = _connect(file.path)
        try:
            _prepare(db, file.path)
            return cls(file, db, Kept.open(file.checkpoints))
        except BaseException:
            db.close()
            raise

    def commit(self, rows: Sequence[Row], checkpoint: Checkpoint | None) -> None:
        """Record rows and a checkpoint of the last of them, all or nothing.

        Raises:
            sqlite3.Error: nothing is recorded, as far as the disk says.

        """
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany(schema.INSERT, map(schema.to_record, rows))
        if checkpoint is not None:
            self._db.execute(
                schema.INSERT_CHECKPOINT, (checkpoint.seq, checkpoint.before, checkpoint.signature)
            )
        self._db.execute("COMMIT")
        if checkpoint is not None:
            # The rows are recorded; whoever verifies tells a copy that lags behind.
            with suppress(OSError):
                self._kept.add(checkpoint)

    def undo(self) -> None:
        """Undo what a commit that failed has begun.

        Raises:
            sqlite3.Error: it is not clear what the file holds.

        """
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def put_together(self) -> bool:
        """Put everything into the one file; False if somebody reads it just now.

        Raises:
            sqlite3.Error: the disk did not take it.

        """
        self._db.execute(f"PRAGMA busy_timeout = {READER_MS}")
        try:
            (busy, _, _) = self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            self._db.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
        return not busy

    def seal(self) -> None:
        """Put everything into the one file, close it, and let nobody write it any more.

        Raises:
            DayInUse: somebody reads it just now; repeat.
            sqlite3.Error, OSError: it is not sealed; open it again and repeat.

        """
        if not self.put_together():
            raise DayInUse(self.file.path)
        # Where nobody has the file open, it needs no files beside it from now on. Where somebody
        # has, those files are empty, and whoever has them open keeps what they have.
        with suppress(sqlite3.OperationalError):
            self._db.execute("PRAGMA journal_mode = DELETE")
        self.close()
        for path in beside(self.file):
            path.unlink(missing_ok=True)
        seal(self.file.path)

    def close(self) -> None:
        """Close the files."""
        self._db.close()
        self._kept.close()

    def fetch(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """Run a query and return all its records."""
        try:
            return self._db.execute(query, values).fetchall()
        except DATABASE_ERRORS as error:
            raise on_reading(error, self.file.path, 0) from error


def seal(path: Path) -> None:
    """Let nobody write a file any more, and make sure that it is on the disk.

    Raises:
        OSError: the disk did not confirm it.

    """
    path.chmod(0o400)
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
    sync_folder(path.parent)


def seal_old(file: DayFile) -> None:
    """Put all of a log of format 1 into its one file, and let nobody write it any more.

    Raises:
        DayInUse: somebody reads it just now; repeat.
        sqlite3.Error, OSError: it is not sealed; repeat.

    """
    db = _connect(file.path)
    try:
        (busy, _, _) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        db.close()
    if busy:
        raise DayInUse(file.path)
    for path in beside(file):
        path.unlink(missing_ok=True)
    seal(file.path)


def roll_back(file: DayFile) -> None:
    """Let SQLite undo what a power cut broke off while a day's file was made or closed.

    Raises:
        sqlite3.Error: it can't.

    """
    if not file.path.with_name(f"{file.path.name}-journal").exists():
        return
    db = _connect(file.path)
    try:
        schema.is_blank(db)
        db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    finally:
        db.close()


def beside(file: DayFile) -> tuple[Path, ...]:
    """Return the files that SQLite may keep beside a day's."""
    ends = ("-wal", "-shm", "-journal")
    return tuple(file.path.with_name(f"{file.path.name}{end}") for end in ends)


def forget(file: DayFile) -> None:
    """Remove the file of a day that has no rows, and what stands beside it.

    Raises:
        OSError: it is still there.

    """
    for path in (file.path, file.checkpoints, *beside(file)):
        path.unlink(missing_ok=True)
    sync_folder(file.path.parent)


def _connect(file: Path) -> sqlite3.Connection:
    return open_database(file, BUSY_SECONDS, check_same_thread=False)


def _prepare(db: sqlite3.Connection, file: Path) -> None:
    """Make a blank file a log, refuse anything else that is not one, and set it to be durable."""
    if schema.is_blank(db):
        schema.create(db)
    schema.identify(db, file)
    if fault := schema.fault(db):
        raise LogAltered(file, 0, fault)
    mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise LogWriteFailed(file, "this kind of disk can't be shared safely; use a local one")
    db.execute("PRAGMA synchronous = FULL")
    # A read-only file opens without complaint; find out now and not in the middle of a round.
    db.execute("DELETE FROM event WHERE false")
