"""Logs changed by somebody who owns the files, with and without the hashes made to fit."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from controller.eventlog import GENESIS, Content, Head, Row, row_hash, schema
from controller.eventlog.witness import Witness, read

Change = Callable[[Content], Content]


def _open(state: Path) -> sqlite3.Connection:
    return sqlite3.connect(state / "log" / "events.db", isolation_level=None)


def _unguarded(db: sqlite3.Connection, statement: str, *values: object) -> None:
    triggers = [(name, sql) for (kind, name), sql in schema.OBJECTS.items() if kind == "trigger"]
    db.execute("BEGIN")
    for name, _ in triggers:
        db.execute(f"DROP TRIGGER {name}")
    db.execute(statement, values)
    for _, sql in triggers:
        db.execute(sql)
    db.execute("COMMIT")


def change_body(state: Path, seq: int, before: str, after: str) -> None:
    """Change a row and leave its hash as it is."""
    with closing(_open(state)) as db:
        _unguarded(
            db, "UPDATE event SET body = replace(body, ?, ?) WHERE seq = ?", before, after, seq
        )


def cut_off(state: Path, seq: int) -> None:
    """Remove the rows after ``seq``."""
    with closing(_open(state)) as db:
        _unguarded(db, "DELETE FROM event WHERE seq > ?", seq)


def rewrite(state: Path, change: Change) -> None:
    """Write the whole log anew as its writer would have, each row as ``change`` returns it."""
    folder = state / "log"
    with closing(_open(state)) as db:
        found = db.execute(f"{schema.SELECT} ORDER BY seq").fetchall()
        rows = _sealed([change(schema.to_row(each, folder).content()) for each in found])
        _unguarded(db, "DELETE FROM event")
        db.executemany(schema.INSERT, map(schema.to_record, rows))
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    witness = Witness.open(folder / "witness", read(folder / "witness"))
    for row in rows[-2:]:
        witness.note(Head(row.seq, row.hash))
    witness.close()


def _sealed(contents: list[Content]) -> list[Row]:
    rows: list[Row] = []
    previous = GENESIS
    for content in contents:
        previous = row_hash(previous, content)
        rows.append(Row(**msgspec.structs.asdict(content), hash=previous))
    return rows
