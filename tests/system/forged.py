"""Logs of a table, changed by somebody who owns the files, without the key or with it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from controller.eventlog import schema
from controller.eventlog.files import days_in, key_folder
from controller.eventlog.signing import SigningKey
from tests import forger
from tests.logs import database


def _unguarded(folder: Path, statement: str, *values: object) -> None:
    triggers = [(name, sql) for (kind, name), sql in schema.OBJECTS.items() if kind == "trigger"]
    with closing(sqlite3.connect(database(folder), isolation_level=None)) as db:
        db.execute("BEGIN")
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        db.execute(statement, values)
        for _, sql in triggers:
            db.execute(sql)
        db.execute("COMMIT")


def change_body(state: Path, seq: int, before: str, after: str) -> None:
    """Change a row and leave its hash as it is."""
    _unguarded(
        state / "log",
        "UPDATE event SET body = replace(body, ?, ?) WHERE seq = ?",
        before,
        after,
        seq,
    )


def cut_off(state: Path, seq: int) -> None:
    """Remove the rows after ``seq``."""
    _unguarded(state / "log", "DELETE FROM event WHERE seq > ?", seq)


def rewrite(state: Path, change: forger.Change) -> None:
    """Write the day anew as its writer would have, each row as ``change`` returns it.

    That takes the key of the day.
    """
    folder = state / "log"
    day = days_in(folder)[-1]
    key = SigningKey.load(key_folder(folder), day.number)
    rows = forger.rewrite(day.path, change, sign=key.sign)
    with closing(sqlite3.connect(day.path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    forger.note(folder, rows)
