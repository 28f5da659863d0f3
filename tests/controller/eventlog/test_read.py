"""Reading from outside: while a log is written, at rest, or when it is none."""

import os
import shutil
import sqlite3
import tracemalloc
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from controller.eventlog import (
    START,
    Entry,
    EventLog,
    LogAltered,
    LogReader,
    NewerFormat,
    NotALog,
    canonical,
    verify,
)
from controller.eventlog.schema import BATCH
from tests.logs import database

AT = "2026-05-09T07:35:25.123456Z"


def entry(**body: object) -> Entry:
    return Entry(1, "note", canonical(body))


def state_of(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {f.name: (f.stat().st_mtime_ns, f.read_bytes()) for f in folder.iterdir()}


@pytest.mark.parametrize("where", [lambda f: f.parent, lambda f: f, database])
def test_a_log_is_found_by_its_state_folder_its_folder_or_its_file(folder: Path, where) -> None:
    with closing(LogReader.open(where(folder))) as reader:
        assert reader.head.seq == 13


def test_a_reader_sees_what_the_writer_wrote(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log, closing(LogReader.open(folder)) as reader:
        assert list(reader.rows()) == list(log.rows())
        rows = log.append(AT, entry(), [entry()])
        assert reader.head == log.head
        assert list(reader.rows(13)) == list(rows)
        assert [row.seq for row in reader.rows(3, until=5)] == [4, 5]


@pytest.mark.parametrize("until", [None, 10 * BATCH])
def test_rows_added_while_reading_wait_for_the_next_call(tmp_path: Path, until: int | None) -> None:
    with closing(EventLog.open(tmp_path)) as log, closing(LogReader.open(tmp_path)) as reader:
        log.append(AT, entry(), [entry()] * BATCH)
        rows = reader.rows(until=until)
        log.append(AT, entry())
        assert sum(1 for _ in rows) == BATCH + 1
        assert sum(1 for _ in reader.rows()) == BATCH + 2


def test_a_log_without_rows_is_a_log(tmp_path: Path) -> None:
    EventLog.open(tmp_path).close()

    with closing(LogReader.open(tmp_path)) as reader:
        assert reader.head == START
        assert list(reader.rows()) == []


@pytest.mark.parametrize("look", [lambda p: LogReader.open(p).close(), verify])
def test_a_log_at_rest_is_read_without_a_trace(
    folder: Path, look: Callable[[Path], object]
) -> None:
    before = state_of(folder)

    look(folder)

    assert state_of(folder) == before


@pytest.mark.parametrize("running", [False, True])
def test_an_auditor_needs_no_right_to_write(
    public_folder: Path, without_rights, running: bool
) -> None:
    with ExitStack() as stack:
        if running:
            for file in public_folder.iterdir():
                file.chmod(0o644)
            log = stack.enter_context(closing(EventLog.open(public_folder)))
            log.append(AT, entry())
        stack.enter_context(without_rights())

        with closing(LogReader.open(public_folder)) as reader:
            assert [row.seq for row in reader.rows()] == list(range(1, 15 if running else 14))
        verdict = verify(public_folder)
        assert verdict.ok, verdict


def test_a_log_left_by_a_killed_writer_is_read_whole(tmp_path: Path) -> None:
    with closing(EventLog.open(tmp_path / "log")) as log:
        log.append(AT, entry())
        shutil.copytree(tmp_path / "log", tmp_path / "killed")  # the rows are in the -wal only

    with closing(LogReader.open(tmp_path / "killed")) as reader:
        assert reader.head.seq == 1
    assert verify(tmp_path / "killed").ok


def test_a_writer_may_start_and_stop_while_a_log_at_rest_is_read(tmp_path: Path) -> None:
    with closing(EventLog.open(tmp_path)) as log:
        log.append(AT, entry(pad="x" * 100), [entry(pad="y" * 100)] * (3 * BATCH))
    with closing(LogReader.open(tmp_path)) as reader:
        rows = reader.rows()
        seen = [next(rows).seq]
        with closing(EventLog.open(tmp_path)) as log:
            log.append(AT, entry(), [entry()] * (3 * BATCH))
            seen += [next(rows).seq for _ in range(BATCH)]
        # Everything is in the database now, over which pages were moved about.
        with closing(EventLog.open(tmp_path)) as log:
            (last,) = log.append(AT, entry())
        seen += [row.seq for row in rows]

        assert seen == list(range(1, 3 * BATCH + 2))
        assert reader.head == (last.seq, last.hash)


def test_a_reader_of_a_log_at_rest_follows_a_writer_that_starts(folder: Path) -> None:
    with closing(LogReader.open(folder)) as reader:
        assert reader.head.seq == 13
        with closing(EventLog.open(folder)) as log:
            for _ in range(2):
                rows = log.append(AT, entry())
                assert list(reader.rows(log.head.seq - 1)) == list(rows)
                assert reader.head == log.head


def test_a_long_log_is_read_in_little_memory(tmp_path: Path) -> None:
    with closing(EventLog.open(tmp_path)) as log:
        log.append(AT, entry(), [entry(pad="x" * 500)] * 20_000)

    with closing(LogReader.open(tmp_path)) as reader:
        tracemalloc.start()
        try:
            assert sum(1 for _ in reader.rows()) == 20_001
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 3_000_000


def test_a_closed_reader_is_not_used(folder: Path) -> None:
    reader = LogReader.open(folder)
    reader.close()
    reader.close()

    with pytest.raises(ValueError, match="closed"):
        reader.rows()


def missing(folder: Path) -> Path:
    return folder / "nothing"


def empty_folder(folder: Path) -> Path:
    return folder


def empty_file(folder: Path) -> Path:
    (database(folder)).touch()
    return folder


def text_file(folder: Path) -> Path:
    (folder / "notes.txt").write_text("Dear auditor, " * 100)
    return folder / "notes.txt"


def other_database(folder: Path) -> Path:
    with closing(sqlite3.connect(database(folder))) as db:
        db.execute("CREATE TABLE card (rank)")
    return folder


def only_a_witness(folder: Path) -> Path:
    EventLog.open(folder).close()
    (database(folder)).unlink()
    return folder


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


@pytest.mark.parametrize("look", [LogReader.open, verify])
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (missing, "there is nothing at this path"),
        (empty_folder, "no day's file in this folder or in log/ below it"),
        (empty_file, "it is empty"),
        (text_file, "it is not a database"),
        (other_database, "a database of another program"),
        (only_a_witness, "the file is gone"),
        (pipe, "neither a folder nor a file"),
    ],
)
def test_what_is_no_log_is_called_so_and_left_alone(tmp_path: Path, look, make, why: str) -> None:
    path = make(tmp_path)
    before = sorted(tmp_path.iterdir())

    with pytest.raises(NotALog, match=why):
        look(path)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("look", [LogReader.open, verify])
def test_a_newer_format_is_called_so(folder: Path, look) -> None:
    with closing(sqlite3.connect(database(folder))) as db:
        db.execute("PRAGMA user_version = 3")
        db.execute("CREATE TABLE signature (seq INTEGER) STRICT")

    with pytest.raises(NewerFormat, match="format 3"):
        look(folder)


@pytest.mark.parametrize(
    ("closed", "look"),
    [
        (database, LogReader.open),
        (database, verify),
        (lambda folder: folder / "witness", verify),
        (lambda folder: folder / "public-keys", verify),
        (lambda folder: folder, LogReader.open),
        (lambda folder: folder, verify),
    ],
)
def test_a_log_without_the_right_to_read_is_called_so(
    public_folder: Path, without_rights, closed, look
) -> None:
    closed(public_folder).chmod(0o000)

    with without_rights(), pytest.raises(NotALog, match=r"owner and rights"):
        look(public_folder)


def test_rows_of_an_altered_log_can_still_be_looked_at(folder: Path, tamper) -> None:
    with tamper(folder) as db:
        db.execute("UPDATE event SET body = CAST(x'ff' AS TEXT) WHERE seq = 3")
        db.execute("DELETE FROM event WHERE seq = 5")
    with closing(sqlite3.connect(database(folder))) as db:
        db.execute("DROP TRIGGER event_stays")

    with closing(LogReader.open(folder)) as reader:
        rows = list(reader.rows())

    assert [row.seq for row in rows] == [1, 2, 3, 4, *range(6, 14)]
    assert bytes(rows[2].body) == "\N{REPLACEMENT CHARACTER}".encode()


def test_a_file_spoiled_while_reading_is_said(folder: Path, spoil) -> None:
    with closing(LogReader.open(folder)) as reader:
        spoil(database(folder))

        with pytest.raises(LogAltered, match="damaged"):
            list(reader.rows())


def test_a_file_taken_away_while_reading_is_said(folder: Path) -> None:
    with closing(LogReader.open(folder)) as reader:
        (database(folder)).unlink()

        with pytest.raises(NotALog, match="any more"):
            list(reader.rows())
