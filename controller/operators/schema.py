"""The operators' database: its tables, and how a file of an earlier format becomes one of this.

A format is the number of steps that were taken; it is kept in the file's ``user_version``.  A step
once released is never changed, the next one is written below it.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controller.errors import OperatorsError

APPLICATION_ID: Final = 0x544B4F50
"""Marks the file as a table's operators ("TKOP")."""

Step = tuple[str, ...]

STEPS: Final[tuple[Step, ...]] = (
    (
        """\
CREATE TABLE pepper (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  mark BLOB NOT NULL -- tells the pepper that every hash here was made with
) STRICT""",
        """\
CREATE TABLE operator (
  name     TEXT PRIMARY KEY,
  role     TEXT NOT NULL,
  salt     BLOB NOT NULL,
  hash     BLOB NOT NULL,
  cost     INTEGER NOT NULL, -- scrypt's N, r and p
  block    INTEGER NOT NULL,
  lanes    INTEGER NOT NULL,
  pins     INTEGER NOT NULL DEFAULT 1, -- how many they have had, this one included
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1))
) STRICT""",
        """\
CREATE TABLE lock ( -- an empty name stands for all that nobody has
  name      TEXT PRIMARY KEY,
  failures  INTEGER NOT NULL CHECK (failures >= 0),
  remaining INTEGER NOT NULL CHECK (remaining >= 0), -- milliseconds
  mono      INTEGER NOT NULL, -- milliseconds since the machine's start
  boot      TEXT NOT NULL     -- which start
) STRICT""",
        """\
CREATE TABLE change ( -- what the event log has not got yet
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  kind   TEXT NOT NULL CHECK (kind IN ('added', 'new-pin', 'disabled')),
  name   TEXT NOT NULL,
  role   TEXT NOT NULL,
  pid    INTEGER NOT NULL,
  uid    INTEGER NOT NULL
) STRICT""",
    ),
)


def prepare(db: sqlite3.Connection, file: Path, steps: Sequence[Step] = STEPS) -> None:
    """Make sure that the file is the operators' and of this format; take the steps it lacks.

    Raises:
        OperatorsError: it is of another program, or of a later version of this one.
        sqlite3.Error: a step cannot be taken; the file is as it was.
    """
    if _number(db, "application_id") == APPLICATION_ID and _format(db, file, steps) == len(steps):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        _take_steps(db, file, steps)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _take_steps(db: sqlite3.Connection, file: Path, steps: Sequence[Step]) -> None:
    is_new = not db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if not is_new and _number(db, "application_id") != APPLICATION_ID:
        what = "a database of another program: put back a copy, or move it away and add all again"
        raise OperatorsError(f"{file}: {what}")
    for step in steps[_format(db, file, steps) :]:
        for statement in step:
            db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {len(steps)}")


def _format(db: sqlite3.Connection, file: Path, steps: Sequence[Step]) -> int:
    found = _number(db, "user_version")
    if found > len(steps):
        what = f"a later version wrote it (format {found}; this one knows {len(steps)}): update"
        raise OperatorsError(f"{file}: {what}")
    return found


def _number(db: sqlite3.Connection, pragma: str) -> int:
    value: int = db.execute(f"PRAGMA {pragma}").fetchone()[0]
    return value
