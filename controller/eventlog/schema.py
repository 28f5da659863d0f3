"""The database: its one table, what guards it, and how to know it again.

The triggers do not stop somebody who owns the file; they stop mistakes, and taking them away
shows. What the chain can't hold (the shape of the file itself) is compared here, word for word.
"""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from types import NoneType
from typing import Any

import msgspec

from controller.eventlog.chain import START, Head
from controller.eventlog.errors import LogAltered, NewerFormat, NotALog
from controller.eventlog.row import TOO_DEEP, Row, is_too_deep

APPLICATION_ID = 0x544B4C47
"""Marks the file as an event log ("TKLG")."""

FORMAT = 2
"""The format this program writes, kept in the file's ``user_version``."""

OLD_FORMAT = 1
"""One file for all days, without signatures: read, but not written any more."""

Objects = dict[tuple[str, str], str]
"""What a database holds: (kind, name) to the statement that makes it."""

_EVENT: Objects = {
    ("table", "event"): """\
CREATE TABLE event (
  seq   INTEGER PRIMARY KEY CHECK (seq > 0), -- counted from 1 without gaps
  at    TEXT NOT NULL,                       -- UTC, microseconds
  round INTEGER NOT NULL CHECK (round >= 0), -- 0 outside any round
  kind  TEXT NOT NULL,
  cause INTEGER CHECK (cause > 0 AND cause < seq),
  body  TEXT NOT NULL,                       -- canonical JSON object
  hash  TEXT NOT NULL                        -- SHA-256 over the hash before and this row
) STRICT""",
    ("index", "event_kind"): "CREATE INDEX event_kind ON event (kind)",
    ("trigger", "event_stays"): """\
CREATE TRIGGER event_stays BEFORE UPDATE ON event
BEGIN SELECT raise(ABORT, 'a recorded event is never changed'); END""",
    ("trigger", "event_is_kept"): """\
CREATE TRIGGER event_is_kept BEFORE DELETE ON event
BEGIN SELECT raise(ABORT, 'a recorded event is never deleted'); END""",
}

_OBJECTS_1: Objects = {
    **_EVENT,
    # REPLACE deletes without a word to a DELETE trigger, so the INSERT has to be refused.
    ("trigger", "event_is_next"): """\
CREATE TRIGGER event_is_next BEFORE INSERT ON event
WHEN new.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM event)
BEGIN SELECT raise(ABORT, 'an event is added after the last one, nowhere else'); END""",
}

OBJECTS: Objects = {
    **_EVENT,
    # A day begins where the day before ended, so its first row may have any number.
    ("trigger", "event_is_next"): """\
CREATE TRIGGER event_is_next BEFORE INSERT ON event
WHEN new.seq IS NOT coalesce((SELECT max(seq) + 1 FROM event), new.seq)
BEGIN SELECT raise(ABORT, 'an event is added after the last one, nowhere else'); END""",
    ("table", "checkpoint"): """\
CREATE TABLE checkpoint (
  seq       INTEGER PRIMARY KEY, -- the event up to which it holds
  before    TEXT NOT NULL,       -- SHA-256 over the day's checkpoints before
  signature TEXT NOT NULL        -- Ed25519, by the day's key, over seq, hash and before
) STRICT""",
    ("trigger", "checkpoint_is_of_now"): """\
CREATE TRIGGER checkpoint_is_of_now BEFORE INSERT ON checkpoint
WHEN new.seq IS NOT (SELECT max(seq) FROM event)
  OR new.seq IS (SELECT max(seq) FROM checkpoint)
BEGIN SELECT raise(ABORT, 'a checkpoint is of the last event, and there is one'); END""",
    ("trigger", "checkpoint_stays"): """\
CREATE TRIGGER checkpoint_stays BEFORE UPDATE ON checkpoint
BEGIN SELECT raise(ABORT, 'a checkpoint is never changed'); END""",
    ("trigger", "checkpoint_is_kept"): """\
CREATE TRIGGER checkpoint_is_kept BEFORE DELETE ON checkpoint
BEGIN SELECT raise(ABORT, 'a checkpoint is never deleted'); END""",
}

_BY_FORMAT = {OLD_FORMAT: _OBJECTS_1, FORMAT: OBJECTS}

INSERT = "INSERT INTO event (seq, at, round, kind, cause, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?)"
INSERT_CHECKPOINT = "INSERT INTO checkpoint (seq, before, signature) VALUES (?, ?, ?)"
SELECT = "SELECT seq, at, round, kind, cause, body, hash FROM event"

_TYPES = (int, str, int, str, int | NoneType, str, str)

EMPTY = "it is empty: no controller has begun a log here"

NO_FILE = Path()
"""For rows that can be read."""

BATCH = 500
"""Rows read at a time: no read stays open while a slow caller looks at them."""

Fetch = Callable[[str, tuple[Any, ...]], list[Any]]
"""Runs one query and returns all its records."""


def create(db: sqlite3.Connection) -> None:
    """Make an empty database an empty log, all or nothing."""
    db.execute("BEGIN IMMEDIATE")
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {FORMAT}")
    for statement in OBJECTS.values():
        db.execute(statement)
    db.execute("COMMIT")


def is_blank(db: sqlite3.Connection) -> bool:
    """Tell whether nothing was ever written to the file."""
    return number(db, "page_count") == 0


def identify(db: sqlite3.Connection, path: Path) -> None:
    """Make sure that this is a log and that this program can read it.

    Raises:
        NotALog: it is a database of something else, or nothing is in it yet.
        NewerFormat: a later version of this program wrote it.

    """
    if any(_shape_fault(db, objects) is None for objects in _BY_FORMAT.values()):
        return
    if is_blank(db):  # what was broken off while it was made is undone
        raise NotALog(path, EMPTY)
    if number(db, "application_id") != APPLICATION_ID:
        raise NotALog(path, "a database of another program")
    if (version := number(db, "user_version")) > FORMAT:
        raise NewerFormat(path, version, FORMAT)


def is_old(db: sqlite3.Connection) -> bool:
    """Tell whether it was made as a log of format 1, whatever was done to it since."""
    found = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'event_is_next'").fetchone()
    if found is None:
        return number(db, "user_version") == OLD_FORMAT
    return bool(found[0] == _OBJECTS_1["trigger", "event_is_next"])


def fault(db: sqlite3.Connection, *, old: bool = False) -> str | None:
    """Say what differs from a log as this program creates it, or None if nothing does.

    ``old``: as it created those of format 1.
    """
    written_in = OLD_FORMAT if old else FORMAT
    if (found := number(db, "application_id")) != APPLICATION_ID:
        return f"application id changed from {APPLICATION_ID:#x} to {found:#x}"
    if (found := number(db, "user_version")) != written_in:
        return f"format version changed from {written_in} to {found}"
    return _shape_fault(db, _BY_FORMAT[written_in])


def number(db: sqlite3.Connection, pragma: str) -> int:
    """Return a number that SQLite keeps about the file."""
    value: int = db.execute(f"PRAGMA {pragma}").fetchone()[0]
    return value


def to_record(row: Row) -> tuple[int, str, int, str, int | None, str, str]:
    """Return the row's values in column order."""
    body = bytes(row.body).decode()
    return row.seq, row.at, row.round, row.kind, row.cause, body, row.hash


def to_row(record: tuple[Any, ...], file: Path) -> Row:
    """Return the row made of values in column order.

    Raises:
        LogAltered: a value is not of its column's type, which only a damaged file can show, or
            the body is none that can be read.

    """
    seq, at, round_, kind, cause, body, hash_ = record
    if not all(map(isinstance, record, _TYPES)):
        raise LogAltered(file, seq, "a value has the wrong type")
    data = body.encode("utf-8", "surrogateescape")
    if is_too_deep(data):
        raise LogAltered(file, seq, TOO_DEEP)
    return Row(seq, at, round_, kind, cause, msgspec.Raw(data), hash_)


def head(fetch: Fetch) -> Head:
    """Return the last row's sequence and hash."""
    found = fetch("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1", ())
    return Head(*found[0]) if found else START


def rows_between(fetch: Fetch, file: Path, since: int, last: int) -> Iterator[Row]:
    """Yield the rows with ``since < seq <= last`` in order, a batch at a time.

    Raises:
        LogAltered: while iterating, at a row that can't be read.

    """
    query = f"{SELECT} WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT {BATCH}"
    while batch := fetch(query, (since, last)):
        for record in batch:
            yield to_row(record, file)
        since = batch[-1][0]


def _shape_fault(db: sqlite3.Connection, objects: Objects) -> str | None:
    listed = db.execute("SELECT type, name, sql FROM sqlite_schema")
    found = {(kind, name): sql for kind, name, sql in listed}
    for (kind, name), sql in objects.items():
        if (kind, name) not in found:
            return f"{kind} {name} is missing"
        if found[kind, name] != sql:
            return f"{kind} {name} was changed"
    strangers = sorted(found.keys() - objects.keys())
    return "{} {} was added".format(*strangers[0]) if strangers else None
