"""Logs to do things to, and somebody who owns their files and hides what was done to them."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from controller.eventlog import EventLog, EventLogError, LogReader, verify
from tests.torture.alike import ROUNDS

CHILD: Final = Path(__file__).parent / "children" / "play_and_die.py"
ROOT: Final = Path(__file__).parents[2]

COLUMNS: Final = ("seq", "at", "round", "kind", "cause", "body", "hash")

Record = tuple[Any, ...]


def killed_log(folder: Path, scripts: Sequence[str]) -> Path:
    """Play the scripts on one table that is then killed; return its state folder."""
    state = folder / "state"
    files = [str(ROUNDS / f"{name}.yaml") for name in scripts]
    child = subprocess.run(
        [sys.executable, str(CHILD), str(state), *files],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr
    return state


def at_rest(state: Path) -> Path:
    """Open and close a log in good order, as a controller that is started and stopped."""
    EventLog.open(state / "log").close()
    return state


def databases(state: Path) -> list[Path]:
    """Return the files of a log, in order."""
    return sorted((state / "log").glob("*.db"))


def rows_in(state: Path) -> list[Record]:
    """Return every row as it is stored."""
    with contextlib.closing(LogReader.open(state)) as log:
        return [
            (row.seq, row.at, row.round, row.kind, row.cause, bytes(row.body), row.hash)
            for row in log.rows()
        ]


@contextlib.contextmanager
def forging(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a database without its guards, and put them back word for word afterwards."""
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute("BEGIN")
        guards = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            db.execute(f'DROP TRIGGER "{name}"')
        yield db
        for _, sql in guards:
            db.execute(sql)
        db.execute("COMMIT")


def replace_all(state: Path, records: Sequence[Record]) -> None:
    """Write other rows into a log of one file."""
    (file,) = databases(state)
    with forging(file) as db:
        db.execute("DELETE FROM event")
        db.executemany(
            f"INSERT INTO event ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
            records,
        )


def may_be_named(rows: Sequence[Record], first: int) -> range:
    """Return the events that may be named for a log that ends before the ``first`` one missing.

    An event that is cut through is named at its last row that is left, or the one before: its
    checkpoint is missing there.
    """
    last = rows[first - 2] if first > 1 else None
    begun = (last[4] or last[0]) if last else first
    return range(begun, first + 1)


class Found:
    """What those who look at a log say of it.

    Attributes:
        bad: the first event that is not as recorded, None if all are, 0 for the file as a whole.
        wrong: what nobody may see: a traceback, or rows that are gone without a word.

    """

    def __init__(self, bad: int | None, wrong: str) -> None:
        self.bad = bad
        self.wrong = wrong


def looked_at(state: Path, rows: Sequence[Record]) -> Found:
    """Verify a log, read it and open it for writing; ``rows`` is what it must hold if intact."""
    try:
        verdict = verify(state)
        bad = verdict.first_bad.seq if verdict.first_bad else None
    except EventLogError:
        bad = 0
    except Exception as fault:  # noqa: BLE001 - whatever it is, a person would see a traceback
        return Found(0, f"log verify broke: {fault!r}")
    if bad is None and rows_in(state) != list(rows):
        return Found(None, f"rows are gone and log verify finds nothing: {len(rows)} were recorded")
    try:
        EventLog.open(state / "log").close()
    except EventLogError:
        return Found(bad, "" if bad is not None else "it does not open, and log verify says intact")
    except Exception as fault:  # noqa: BLE001 - as above
        return Found(bad, f"opening it broke: {fault!r}")
    return Found(bad, "")
