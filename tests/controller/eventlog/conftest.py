"""Logs to look at, ways to tamper with them, and other processes that use them."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

import controller
from controller.eventlog import Entry, EventLog, canonical, schema
from tests.logs import copy_log, database

Tamper = Callable[[Path], AbstractContextManager[sqlite3.Connection]]
StartChild = Callable[..., subprocess.Popen[str]]

CHILDREN = Path(__file__).parent / "children"
NOBODY = 65534


def moment(second: int) -> str:
    return f"2026-05-09T07:{second // 60:02}:{second % 60:02}.000000Z"


def fill(log: EventLog) -> None:
    """Record two rounds: 13 rows of several kinds, times, rounds and causes."""
    log.append(moment(0), Entry(0, "started", canonical({"table": "BJ 3"})))
    for round_ in (1, 2):
        start = round_ * 100
        (opened, *_) = log.append(
            moment(start),
            Entry(round_, "round-opened", canonical({"limits": [5, 500], "cards": 312})),
        )
        log.append(
            moment(start + 1),
            Entry(round_, "card-drawn", canonical({"card": "AS", "box": round_})),
            [
                Entry(round_, "card-placed", canonical({"box": round_, "hand": 1})),
                Entry(round_, "due", canonical({"next": None})),
            ],
            cause=opened.seq,
        )
        log.append(moment(start + 2), Entry(round_, "round-closed", canonical({"paid": 750})))
        log.append(moment(start + 3), Entry(0, "note", canonical({"text": "Ärger, \x00 é"})))


@pytest.fixture(scope="session")
def two_rounds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished log that nobody may change: copy it."""
    folder = tmp_path_factory.mktemp("two-rounds") / "log"
    with closing(EventLog.open(folder)) as log:
        fill(log)
    return folder


@pytest.fixture
def folder(two_rounds: Path, tmp_path: Path) -> Path:
    """Return a log folder of one's own, with two rounds in it, at rest."""
    return copy_log(two_rounds, tmp_path / "log")


@pytest.fixture(scope="session")
def tamper() -> Tamper:
    """Return a way into a log for somebody who owns the file and leaves all guards in place."""

    @contextmanager
    def open_up(folder: Path) -> Iterator[sqlite3.Connection]:
        triggers = {name: sql for (kind, name), sql in schema.OBJECTS.items() if kind == "trigger"}
        with closing(sqlite3.connect(database(folder), isolation_level=None)) as db:
            db.execute("PRAGMA synchronous = OFF")
            db.execute("PRAGMA ignore_check_constraints = ON")
            db.execute("BEGIN")
            for name in triggers:
                db.execute(f"DROP TRIGGER {name}")
            yield db
            for sql in triggers.values():
                db.execute(sql)
            db.execute("COMMIT")

    return open_up


@pytest.fixture(scope="session")
def spoil() -> Callable[[Path], None]:
    """Return a way to spoil all of a database but its first page, without which it is none."""

    def overwrite(file: Path) -> None:
        size = file.stat().st_size
        with file.open("r+b") as out:
            out.seek(4096)
            out.write(b"\xff" * (size - 4096))

    return overwrite


@pytest.fixture
def start_child() -> Iterator[StartChild]:
    """Return a way to run one of the programs in children/; whatever still runs is killed."""
    running: list[subprocess.Popen[str]] = []

    def start(name: str, *arguments: object) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, str(CHILDREN / f"{name}.py"), *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(Path(controller.__file__).parents[1])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        running.append(child)
        return child

    yield start
    for child in running:
        with child:  # closes the pipes and waits
            child.kill()


@pytest.fixture
def public_folder(two_rounds: Path) -> Iterator[Path]:
    """Return a log that any user of the machine may reach, and read but not write."""
    with tempfile.TemporaryDirectory() as top:
        Path(top).chmod(0o755)
        folder = copy_log(two_rounds, Path(top) / "log")
        folder.chmod(0o755)
        for file in folder.iterdir():
            file.chmod(0o444)
        yield folder


@pytest.fixture(scope="session")
def without_rights() -> Callable[[], AbstractContextManager[None]]:
    """Return a way to be a user whom file rights bind, which root is not."""

    @contextmanager
    def as_nobody() -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)

    return as_nobody
