"""Checking a whole log: every row, the file around them, and how far the witness saw it go."""

import sqlite3
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from controller.eventlog import schema, witness
from controller.eventlog.chain import START, Head, fits
from controller.eventlog.diagnose import explain
from controller.eventlog.errors import LogAltered, NotALog
from controller.eventlog.files import WITNESS, find_events
from controller.eventlog.read import open_source
from controller.eventlog.reasons import DATABASE_ERRORS, on_reading, why
from controller.eventlog.row import Row

OPENING_KIND = "started"
"""Kind of the row with which a controller's run begins."""

CLOSING_KIND = "stopped"
"""Kind of the row with which a run ends in good order."""

NEARBY = 256
"""Rows before and after a bad one that are looked at to say what was done to it."""

PROGRESS_STEP = 10_000
"""Rows between two calls of ``progress``."""

Progress = Callable[[int, int], None]
"""Told (rows checked, rows in all) now and then."""


class FirstBad(msgspec.Struct, frozen=True):
    """The first event that is not as recorded (0: the file as a whole), and what was done."""

    seq: int
    what: str


class Verdict(msgspec.Struct, frozen=True):
    """What `verify` found.

    Attributes:
        ok: nothing was changed, added, moved or cut off.
        events: how many rows hold, counted from the first; all of them if ok.
        head: the hash of the last row that holds.
        first_bad: where it stops holding, None if ok.
        open_round: the last run among these rows began and did not end: it is still going on, or
            it was cut short.

    """

    ok: bool
    events: int
    head: str
    first_bad: FirstBad | None
    open_round: bool


class _Scan:
    """One pass over the rows: how far they hold, and why no further."""

    def __init__(self) -> None:
        self.head = START
        self.bad: FirstBad | None = None
        self.opened = 0
        self.closed = 0
        self.earlier: deque[Row] = deque(maxlen=NEARBY)

    def take(self, row: Row) -> None:
        self.head = Head(row.seq, row.hash)
        self.earlier.append(row)
        if row.kind == OPENING_KIND:
            self.opened = row.seq
        elif row.kind == CLOSING_KIND:
            self.closed = row.seq

    def verdict(self, bad: FirstBad | None) -> Verdict:
        open_round = self.opened > self.closed
        return Verdict(bad is None, self.head.seq, self.head.hash, bad, open_round)


DATABASE_MAGIC = b"SQLite format 3\0"


def _begins_as_database(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(DATABASE_MAGIC)) == DATABASE_MAGIC
    except OSError as error:
        raise NotALog(file, f"it can't be read: {why(error)}") from error


def verify(path: Path, progress: Progress | None = None) -> Verdict:
    """Check a log, also one that is being written; see `Verdict`.

    It takes one look at the log as it is now, and memory for a few hundred rows.

    Raises:
        NotALog: there is no log at the path, or it can't be read now.
        NewerFormat: a later version of this program wrote it.

    """
    file = find_events(path)
    try:
        # Before the rows: a log may run ahead of what is read here, never behind it.
        slots = witness.read(file.with_name(WITNESS))
    except OSError as error:
        raise NotALog(file.with_name(WITNESS), f"it can't be read: {why(error)}") from error
    seen = witness.furthest(slots)
    if seen and (not file.exists() or file.stat().st_size == 0):
        what = f"the file is gone or empty: the witness saw {seen} events"
        return _Scan().verdict(FirstBad(1, what))
    if seen and not _begins_as_database(file):
        what = f"the file is no database any more: the witness saw {seen} events"
        return _Scan().verdict(FirstBad(0, what))
    source = open_source(file, undecodable="surrogateescape")
    try:
        return source.read(lambda db: _verify(db, file, slots, progress))
    except (OSError, sqlite3.Error) as error:
        raise NotALog(file, f"it can't be read any more: {why(error)}") from error
    finally:
        source.close()


def _verify(
    db: sqlite3.Connection, file: Path, slots: witness.Slots | None, progress: Progress | None
) -> Verdict:
    scan = _Scan()
    try:
        db.execute("BEGIN")  # all that follows sees the log at one moment
        schema.identify(db, file)
        bad = _rows_and_shape(db, file, scan, progress)
        bad = bad or _against_witness(db, scan, slots) or _inside(db)
    except DATABASE_ERRORS as error:
        problem = on_reading(error, file, scan.head.seq + 1)
        if not isinstance(problem, LogAltered):
            raise problem from error
        bad = FirstBad(problem.seq, problem.what)
    except LogAltered as problem:
        bad = FirstBad(problem.seq, problem.what)
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
    return scan.verdict(bad)


def _rows_and_shape(
    db: sqlite3.Connection, file: Path, scan: _Scan, progress: Progress | None
) -> FirstBad | None:
    """Prefer what is wrong with a row: a guard taken away is only the means to that."""
    shape = schema.fault(db)
    bad = FirstBad(0, shape) if shape else None
    try:
        _walk(db, file, scan, progress)
    except DATABASE_ERRORS:
        if bad is None:
            raise
    return scan.bad or bad


def _walk(db: sqlite3.Connection, file: Path, scan: _Scan, progress: Progress | None) -> None:
    """Take rows in order for as long as each follows from the one before."""
    (total,) = db.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()
    for record in db.execute(f"{schema.SELECT} ORDER BY seq"):
        scan.bad = _gap(scan.head.seq + 1, record[0])
        if scan.bad:
            return
        row = schema.to_row(record, file)
        if not fits(scan.head.hash, row):
            scan.bad = FirstBad(row.seq, _what_was_done(db, file, scan, row))
            return
        scan.take(row)
        if progress and (row.seq % PROGRESS_STEP == 0 or row.seq == total):
            progress(row.seq, total)


def _gap(expected: int, found: int) -> FirstBad | None:
    if found == expected:
        return None
    if found < expected:
        return FirstBad(expected, f"row inserted with the number {found}")
    if found == expected + 1:
        return FirstBad(expected, "row missing")
    return FirstBad(expected, f"rows {expected} to {found - 1} missing")


def _what_was_done(db: sqlite3.Connection, file: Path, scan: _Scan, row: Row) -> str:
    def fetch(query: str, values: tuple[Any, ...]) -> list[Any]:
        return db.execute(query, values).fetchall()

    following = list(schema.rows_between(fetch, file, row.seq - 1, row.seq + NEARBY))
    kinds = [kind for (kind,) in fetch("SELECT DISTINCT kind FROM event", ())]
    return explain(list(scan.earlier), following, kinds)


def _against_witness(
    db: sqlite3.Connection, scan: _Scan, slots: witness.Slots | None
) -> FirstBad | None:
    def hash_at(seq: int) -> str | None:
        found = db.execute("SELECT hash FROM event WHERE seq = ?", (seq,)).fetchone()
        return found[0] if found else None

    found = witness.contradiction(slots, scan.head, hash_at)
    return FirstBad(*found) if found else None


def _inside(db: sqlite3.Connection) -> FirstBad | None:
    """Let SQLite compare the index with the rows, and the pages with each other."""
    (found,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    return None if found == "ok" else FirstBad(0, f"the file is damaged ({found})")
