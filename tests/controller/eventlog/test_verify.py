"""A verdict on a log: intact, or what is wrong with the file around the rows."""

import shutil
import sqlite3
import tempfile
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.eventlog import (
    CLOSING_KIND,
    GENESIS,
    OPENING_KIND,
    START,
    Entry,
    EventLog,
    EventLogError,
    FirstBad,
    Head,
    LogAltered,
    LogReader,
    NotALog,
    Row,
    Verdict,
    canonical,
    schema,
    verify,
)
from controller.eventlog import witness as witness_file
from controller.eventlog.scan import PROGRESS_STEP
from tests.logs import beside, copy_log, database

AT = "2026-05-09T07:35:25.123456Z"
ROWS = 13
Record = tuple[Any, ...]


def entry(kind: str = "note", **body: object) -> Entry:
    return Entry(1, kind, canonical(body))


def records(db: sqlite3.Connection) -> list[Record]:
    return db.execute(f"{schema.SELECT} ORDER BY seq").fetchall()


# Intact


def test_an_intact_log_is_told_with_its_head(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        head = log.head

    assert verify(folder) == Verdict(
        ok=True, events=ROWS, head=head.hash, first_bad=None, open_round=True, signed=8, last=ROWS
    )


def test_a_log_without_rows_is_intact(tmp_path: Path) -> None:
    EventLog.open(tmp_path).close()

    assert verify(tmp_path) == Verdict(
        ok=True, events=0, head=GENESIS, first_bad=None, open_round=False
    )


def test_a_log_being_written_is_intact(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        for _ in range(3):
            log.append(AT, entry(), [entry()])
            verdict = verify(folder)
            assert (verdict.ok, verdict.events, verdict.head) == (True, *log.head)


@pytest.mark.parametrize(
    ("kinds", "open_round"),
    [
        ("", False),
        ("note", False),
        (OPENING_KIND, True),
        (f"{OPENING_KIND} note", True),
        (f"{OPENING_KIND} {CLOSING_KIND}", False),
        (f"{OPENING_KIND} {CLOSING_KIND} state-due", False),
        (f"{OPENING_KIND} {CLOSING_KIND} {OPENING_KIND}", True),
        (f"{OPENING_KIND} {OPENING_KIND} {CLOSING_KIND}", False),
    ],
)
def test_a_run_that_did_not_end_is_told(tmp_path: Path, kinds: str, open_round: bool) -> None:
    with closing(EventLog.open(tmp_path)) as log:
        for kind in kinds.split():
            log.append(AT, entry(kind))

    verdict = verify(tmp_path)
    assert (verdict.ok, verdict.open_round) == (True, open_round)


def test_progress_is_told_now_and_then_and_at_the_end(tmp_path: Path) -> None:
    total = 2 * PROGRESS_STEP + 7
    with closing(EventLog.open(tmp_path)) as log:
        log.append(AT, entry(), [entry()] * (total - 1))
    told: list[tuple[int, int]] = []

    assert verify(tmp_path, lambda done, of: told.append((done, of))).ok
    assert told == [(PROGRESS_STEP, total), (2 * PROGRESS_STEP, total), (total, total)]


def test_a_torn_witness_slot_is_a_power_cut_and_no_crime(folder: Path) -> None:
    data = bytearray((folder / "witness").read_bytes())
    data[40] ^= 1
    (folder / "witness").write_bytes(data)

    assert verify(folder).ok


@pytest.mark.parametrize("look", [lambda file: file.unlink(), lambda file: file.write_text("!")])
def test_a_file_taken_away_while_it_is_checked_is_said(folder: Path, look) -> None:
    with pytest.raises(NotALog):
        verify(folder, lambda _done, _total: look(database(folder)))


# The file around the rows


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("DROP TRIGGER event_is_next", "trigger event_is_next is missing"),
        ("DROP TRIGGER event_stays", "trigger event_stays is missing"),
        ("DROP TRIGGER event_is_kept", "trigger event_is_kept is missing"),
        ("DROP INDEX event_kind", "index event_kind is missing"),
        ("CREATE INDEX event_at ON event (at)", "index event_at was added"),
        ("CREATE TABLE more (a)", "table more was added"),
        ("ALTER TABLE event ADD COLUMN more TEXT", "table event was changed"),
        ("DROP TABLE event", "table event is missing"),
        ("ALTER TABLE event RENAME COLUMN body TO other", "table event was changed"),
        ("PRAGMA user_version = 0", "format version changed from 2 to 0"),
        ("PRAGMA user_version = 3", "format version changed from 2 to 3"),
        ("PRAGMA application_id = 7", "application id changed from 0x544b4c47 to 0x7"),
    ],
)
def test_a_changed_shape_is_found(folder: Path, statement: str, what: str) -> None:
    with closing(sqlite3.connect(database(folder), isolation_level=None)) as db:
        db.execute("DROP TRIGGER event_is_kept") if "DROP TABLE" in statement else None
        db.execute(statement)

    verdict = verify(folder)
    assert verdict.first_bad == FirstBad(0, what)
    assert verdict.events == (0 if "DROP TABLE" in statement or "RENAME" in statement else ROWS)


def test_a_changed_row_is_told_rather_than_the_guard_taken_away_for_it(folder: Path) -> None:
    with closing(sqlite3.connect(database(folder), isolation_level=None)) as db:
        db.execute("DROP TRIGGER event_stays")
        db.execute("UPDATE event SET round = 2 WHERE seq = 4")

    assert verify(folder).first_bad == FirstBad(4, "round changed: it was 1, it is 2")


def test_a_verdict_is_about_one_moment(folder: Path, tamper) -> None:
    def forge(_done: int, _total: int) -> None:
        with tamper(folder) as db:
            db.execute("UPDATE event SET hash = ? WHERE seq = 13", ("ab" * 32,))

    with closing(EventLog.open(folder)):
        assert verify(folder, forge).ok
        assert verify(folder).first_bad == FirstBad(13, "time, body or hash changed")


def test_a_guard_replaced_by_one_that_lets_through_is_found(folder: Path) -> None:
    with closing(sqlite3.connect(database(folder), isolation_level=None)) as db:
        db.execute("DROP TRIGGER event_stays")
        db.execute("CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT 1; END")

    assert verify(folder).first_bad == FirstBad(0, "trigger event_stays was changed")


def test_an_index_that_tells_another_story_is_found(folder: Path) -> None:
    """Whoever hides a row from the index hides it from ``last_of``, and no hash shows it."""
    with closing(sqlite3.connect(database(folder), isolation_level=None)) as db:
        sql = schema.OBJECTS["trigger", "event_stays"]
        db.execute("DROP TRIGGER event_stays")
        db.execute("UPDATE event SET kind = 'hidden' WHERE seq = 1")
        db.execute("PRAGMA writable_schema = ON")
        listed = db.execute("SELECT * FROM sqlite_schema WHERE name = 'event_kind'").fetchone()
        db.execute("DELETE FROM sqlite_schema WHERE name = 'event_kind'")
    with closing(sqlite3.connect(database(folder), isolation_level=None)) as db:
        db.execute("UPDATE event SET kind = 'started' WHERE seq = 1")
        db.execute("PRAGMA writable_schema = ON")
        db.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", listed)
    with closing(sqlite3.connect(database(folder), isolation_level=None)) as db:
        db.execute(sql)

    verdict = verify(folder)
    assert verdict.first_bad is not None
    assert verdict.first_bad.seq == 0
    assert "event_kind" in verdict.first_bad.what


def test_a_value_of_another_type_is_found(folder: Path, tamper) -> None:
    with tamper(folder) as db:
        before = records(db)
        db.execute("DROP TABLE event")
        db.execute(schema.OBJECTS["table", "event"].removesuffix(" STRICT"))
        db.execute(schema.OBJECTS["index", "event_kind"])
        db.executemany(schema.INSERT, before)
        db.execute("UPDATE event SET body = CAST(body AS BLOB) WHERE seq = 4")

    assert verify(folder).first_bad == FirstBad(0, "table event was changed")
    with (
        closing(LogReader.open(folder)) as reader,
        pytest.raises(LogAltered, match="at event 4: a value has the wrong type"),
    ):
        list(reader.rows())


@settings(max_examples=100, deadline=None)
@given(page=st.integers(0, 9), offset=st.integers(0, 4095), data=st.binary(min_size=1, max_size=64))
def test_bytes_overwritten_never_give_a_traceback_nor_a_false_row(
    two_rounds, page, offset, data
) -> None:
    with tempfile.TemporaryDirectory() as copy:
        folder = copy_log(two_rounds, Path(copy) / "log")
        with (database(folder)).open("r+b") as file:
            size = file.seek(0, 2)
            file.seek((page * 4096 + offset) % size)
            file.write(data)
        verdict = said(lambda: verify(folder))
        found = said(lambda: rows_of(folder))
        said(lambda: EventLog.open(folder).close())

    assert isinstance(verdict, Verdict | NotALog)
    if isinstance(verdict, Verdict) and verdict.ok:
        assert found == rows_of(two_rounds)


def said(look: Callable[[], object]) -> object:
    """Return the result of a look at a log, or the error it raises on purpose."""
    try:
        return look()
    except EventLogError as error:
        return error


def rows_of(folder: Path) -> list[Row]:
    with closing(LogReader.open(folder)) as reader:
        return list(reader.rows())


# The witness


def test_a_removed_witness_is_found(folder: Path) -> None:
    (folder / "witness").unlink()

    verdict = verify(folder)
    assert verdict.first_bad is not None
    assert verdict.first_bad.what.startswith("witness is missing: removed, or left out of a copy")
    assert verdict.events == ROWS


def test_a_spoiled_witness_is_found(folder: Path) -> None:
    (folder / "witness").write_bytes(b"\0" * 8192)

    assert verify(folder).first_bad == FirstBad(ROWS, "the witness is damaged")


@settings(max_examples=60, deadline=None)
@given(
    slot=st.integers(0, 1),
    noted=st.builds(
        Head,
        st.integers(0, 20),
        st.sampled_from([GENESIS]) | st.text("0123456789abcdef", min_size=64, max_size=64),
    ),
)
def test_a_witness_that_says_something_else_is_found(two_rounds, slot: int, noted: Head) -> None:
    with tempfile.TemporaryDirectory() as copy:
        folder = copy_log(two_rounds, Path(copy) / "log")
        with (folder / "witness").open("r+b") as file:
            file.seek(slot * witness_file.SLOT_BYTES)
            file.write(witness_file.encode(noted))
        verdict = verify(folder)

    assert verdict.ok is (noted == START)


@pytest.mark.parametrize("left", [None, b""])
def test_a_database_taken_away_whole_is_found(folder: Path, left: bytes | None) -> None:
    (database(folder)).unlink()
    if left is not None:
        (database(folder)).write_bytes(left)

    verdict = verify(folder)
    assert not verdict.ok
    assert verdict.first_bad == FirstBad(1, "the file is gone or empty: the witness saw 13 events")


def test_rows_lost_from_the_journal_of_a_killed_writer_are_found(tmp_path: Path) -> None:
    with closing(EventLog.open(tmp_path / "log")) as log:
        for _ in range(5):
            log.append(AT, entry())
        shutil.copytree(tmp_path / "log", tmp_path / "killed")
    beside(database(tmp_path / "killed"), "-wal").unlink()

    verdict = verify(tmp_path / "killed")
    assert verdict.first_bad is not None
    assert verdict.first_bad.what.startswith("rows after 0 cut off: the witness saw 5")


def test_memory_stays_bounded_while_scanning(tmp_path: Path) -> None:
    with closing(EventLog.open(tmp_path)) as log:
        log.append(AT, entry(), [entry(pad="x" * 500)] * 20_000)

    tracemalloc.start()
    try:
        assert verify(tmp_path).ok
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3_000_000


def test_a_log_whose_file_is_no_database_any_more_is_altered(folder: Path) -> None:
    """The witness beside it knows that a log was here."""
    with (database(folder)).open("r+b") as file:
        file.write(bytes(40))

    verdict = verify(folder)

    assert verdict.first_bad is not None
    assert "no database" in verdict.first_bad.what
