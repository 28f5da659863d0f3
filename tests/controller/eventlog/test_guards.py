"""The database itself keeps what was recorded, whoever writes to it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import schema
from tests.logs import database

AT = "2026-05-09T07:35:25.123456Z"


def raw(folder: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(database(folder), isolation_level=None, timeout=0))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET round = 9 WHERE seq = 3",
        "UPDATE OR IGNORE event SET seq = 99 WHERE seq = 3",
        "UPDATE OR REPLACE event SET seq = 4 WHERE seq = 3",
        "DELETE FROM event WHERE seq = 13",
        "DELETE FROM event",
        "INSERT OR REPLACE INTO event SELECT 3, at, 9, kind, cause, body, hash FROM event",
        "REPLACE INTO event SELECT * FROM event WHERE seq = 13",
        "INSERT OR IGNORE INTO event SELECT 15, at, 9, kind, cause, body, hash FROM event",
        "INSERT INTO event SELECT 0, at, 9, kind, NULL, body, hash FROM event WHERE seq = 1",
        "INSERT INTO event (at, round, kind, body, hash) VALUES ('', 0, '', '', '')",
        "INSERT INTO event SELECT * FROM event WHERE seq = 3 ON CONFLICT DO UPDATE SET round = 9",
    ],
)
def test_the_database_itself_refuses_to_change_the_past(folder: Path, statement: str) -> None:
    with raw(folder) as db:
        before = db.execute(schema.SELECT).fetchall()
        db.execute("PRAGMA recursive_triggers = OFF")
        with pytest.raises(sqlite3.IntegrityError, match="event"):
            db.execute(statement)
        assert db.execute(schema.SELECT).fetchall() == before


@pytest.mark.parametrize(
    "values",
    [
        (14, AT, 1, "note", 14, "{}", "x"),
        (14, AT, -1, "note", None, "{}", "x"),
        (14, AT, 1, "note", None, b"{}", "x"),
        (14, AT, "first", "note", None, "{}", "x"),
        (14, None, 1, "note", None, "{}", "x"),
    ],
)
def test_the_database_itself_refuses_values_no_writer_writes(folder: Path, values) -> None:
    with raw(folder) as db, pytest.raises(sqlite3.IntegrityError):
        db.execute(schema.INSERT, values)
