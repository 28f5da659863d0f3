"""The log on disk, as its one writer has it.

A row is recorded when the commit has returned, and not before: only then do the sequence and the
hash kept here move on, and only then is the witness told.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

from controller.eventlog import schema, witness
from controller.eventlog.chain import GENESIS, Head, fits, head_of, link
from controller.eventlog.errors import LogAltered, LogWriteFailed
from controller.eventlog.files import EVENTS, LOCK, WITNESS, make_folder, sync_folder
from controller.eventlog.lock import WriterLock
from controller.eventlog.reasons import DATABASE_ERRORS, on_opening, on_reading, why
from controller.eventlog.row import Entry, Row
from controller.eventlog.witness import Witness

TAIL = 64
"""Rows at the end whose hashes are checked on opening; `verify` checks them all."""

BUSY_SECONDS = 5.0
"""How long a write waits for another program that has the database locked."""


class EventLog:
    """An append-only log in a folder of its own; see ``log.Log``.

    Every call blocks until the disk has answered. Calls may come from any thread, one at a time.
    """

    def __init__(
        self, file: Path, db: sqlite3.Connection, lock: WriterLock, noted: Witness, head: Head
    ) -> None:
        """Take over what `open` has opened and checked."""
        self._file = file
        self._db = db
        self._witness = noted
        self._head = head
        self._failed = False
        self._closed = False
        self._resources = ExitStack()
        self._resources.callback(lock.release)
        self._resources.callback(noted.close)
        self._resources.callback(db.close)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the log in a folder for writing, or begin one there.

        Reads the end of the log, however long the log is.

        Raises:
            LogHeld: another controller has it; its process id is named.
            LogAltered: the end does not hold together or is not where the witness saw it.
            LogWriteFailed: the folder or file can't be created or written.
            NotALog, NewerFormat: the file there is something else.

        """
        file = folder / EVENTS
        with ExitStack() as undo:
            try:
                make_folder(folder)
                lock = WriterLock.take(folder / LOCK)
                undo.callback(lock.release)
                slots = witness.read(folder / WITNESS)
                _make_file(file, slots)
                db = _connect(file)
                undo.callback(db.close)
                _prepare(db, file)
                head = _check_end(db, file, slots)
                noted = Witness.open(folder / WITNESS, slots)
                undo.callback(noted.close)
                if slots is None:
                    sync_folder(folder)
                elif noted.seen != head or None in slots:
                    noted.note(head)
            except DATABASE_ERRORS as error:
                raise on_opening(error, file) from error
            except OSError as error:
                raise LogWriteFailed(folder, why(error)) from error
            undo.pop_all()
        return cls(file, db, lock, noted, head)

    @property
    def head(self) -> Head:
        """The last row's sequence and hash."""
        self._must_be_open()
        return self._head

    def append(
        self, at: str, event: Entry, outcomes: Sequence[Entry] = (), cause: int | None = None
    ) -> tuple[Row, ...]:
        """Record an event and its outcomes in one transaction; on return they are on the disk.

        Raises:
            LogWriteFailed: nothing is recorded. When the reason is gone the same call may be
                repeated, except after a failure that leaves it unclear what the file holds: then
                every call is refused until the log is opened again.
            ValueError: the time or the cause can't be right, or the log is closed.

        """
        self._must_be_open()
        if self._failed:
            raise LogWriteFailed(
                self._file,
                "an earlier write left the file in doubt; close the log and open it again",
            )
        rows = link(self._head, at, event, outcomes, cause)
        self._bring_witness_up_to_date()
        self._commit(rows)
        self._head = head_of(rows)
        # The rows are recorded, so this call has succeeded; the next one insists on the witness.
        with suppress(OSError):
            self._witness.note(self._head)
        return rows

    def rows(self, since: int = 0, *, until: int | None = None) -> Iterator[Row]:
        """Yield the rows with ``since < seq <= until`` that are there at the call.

        Raises:
            LogAltered: while iterating, if the file is damaged.

        """
        self._must_be_open()
        last = self._head.seq if until is None else min(until, self._head.seq)
        return schema.rows_between(self._fetch, self._file, since, last)

    def last_of(self, kind: str) -> Row | None:
        """Return the latest row of a kind, found by index."""
        self._must_be_open()
        query = f"{schema.SELECT} WHERE kind = ? ORDER BY seq DESC LIMIT 1"
        found = self._fetch(query, (kind,))
        return schema.to_row(found[0], self._file) if found else None

    def close(self) -> None:
        """Close the file and let the next writer in."""
        self._closed = True
        self._resources.close()

    def _commit(self, rows: Sequence[Row]) -> None:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(schema.INSERT, map(schema.to_record, rows))
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._failed = not self._is_as_before()
            raise LogWriteFailed(self._file, why(error)) from error

    def _is_as_before(self) -> bool:
        """Undo what a failed commit has begun; tell whether the file ends where it did."""
        try:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            return schema.head(self._read) == self._head
        except DATABASE_ERRORS:
            return False

    def _bring_witness_up_to_date(self) -> None:
        if self._witness.seen == self._head:
            return
        try:
            self._witness.note(self._head)
        except OSError as error:
            raise LogWriteFailed(self._file.with_name(WITNESS), why(error)) from error

    def _read(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        return self._db.execute(query, values).fetchall()

    def _fetch(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        self._must_be_open()
        try:
            return self._read(query, values)
        except DATABASE_ERRORS as error:
            raise on_reading(error, self._file, 0) from error

    def _must_be_open(self) -> None:
        if self._closed:
            raise ValueError(f"{self._file}: this log is closed")


def _make_file(file: Path, slots: witness.Slots | None) -> None:
    """Create an empty file for its owner alone, unless there should be one with rows."""
    if file.exists() and file.stat().st_size:
        return
    if seen := witness.furthest(slots):
        raise LogAltered(file, 1, f"the file is gone or empty: the witness saw {seen} events")
    os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def _connect(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(os.fsencode(file))}?mode=rw",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )


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


def _check_end(db: sqlite3.Connection, file: Path, slots: witness.Slots | None) -> Head:
    """Return the head, once the last rows chain and the witness agrees."""

    def fetch(query: str, values: tuple[Any, ...]) -> list[Any]:
        return db.execute(query, values).fetchall()

    def hash_at(seq: int) -> str | None:
        found = fetch("SELECT hash FROM event WHERE seq = ?", (seq,))
        return found[0][0] if found else None

    head = schema.head(fetch)
    before = max(head.seq - TAIL, 0)
    previous = hash_at(before) if before else GENESIS
    expected = before
    for row in schema.rows_between(fetch, file, before, head.seq):
        expected += 1
        if previous is None or row.seq != expected:
            raise LogAltered(file, expected, "row missing")
        if not fits(previous, row):
            raise LogAltered(file, row.seq, "the row does not fit its hash and the row before it")
        previous = row.hash
    if found := witness.contradiction(slots, head, hash_at):
        raise LogAltered(file, *found)
    return head
