"""When the disk does not take a step, the log says so and does not lose its place."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import (
    Entry,
    EventLog,
    LogAltered,
    LogWriteFailed,
    canonical,
    schema,
    verify,
)
from controller.eventlog.chain import link
from tests.logs import copy_log, database

AT = "2026-05-09T07:35:25.123456Z"


def entry(kind: str = "note", **body: object) -> Entry:
    return Entry(1, kind, canonical(body))


def raw(folder: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(database(folder), isolation_level=None, timeout=0))


def step_and_check(log: EventLog, folder: Path, steps: int) -> None:
    """Append once more; the log must have exactly that many rows, whole."""
    log.append(AT, entry("after"))
    assert log.head.seq == steps
    verdict = verify(folder)
    assert (verdict.ok, verdict.events, verdict.head) == (True, *log.head)


def test_a_full_disk_is_said_and_the_log_goes_on_when_there_is_room(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        pages = schema.number(log._day._db, "page_count")
        log._day._db.execute(f"PRAGMA max_page_count = {pages}")
        head = log.head
        for _ in range(2):
            with pytest.raises(LogWriteFailed, match="the disk is full"):
                log.append(AT, entry(), [entry(pad="x" * 50_000)])
            assert log.head == head

        log._day._db.execute("PRAGMA max_page_count = 100000")
        step_and_check(log, folder, 14)


def test_a_database_locked_by_another_program_is_said(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log, raw(folder) as other:
        log._day._db.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogWriteFailed, match="another program has locked the file"):
            log.append(AT, entry())
        other.execute("ROLLBACK")

        step_and_check(log, folder, 14)


def test_a_disk_gone_read_only_is_said(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        log._day._db.execute("PRAGMA query_only = ON")
        with pytest.raises(LogWriteFailed, match="read-only"):
            log.append(AT, entry())
        log._day._db.execute("PRAGMA query_only = OFF")

        step_and_check(log, folder, 14)


def test_a_call_broken_off_in_mid_transaction_leaves_nothing_behind(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        log._day._db.execute("BEGIN IMMEDIATE")
        log._day._db.execute(
            schema.INSERT, schema.to_record(link(log.head, AT, entry(), (), None)[0])
        )
        with pytest.raises(LogWriteFailed):
            log.append(AT, entry())

        step_and_check(log, folder, 14)


def test_rows_added_behind_its_back_stop_a_log_until_it_is_opened_again(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        (stranger,) = link(log.head, AT, entry("stranger"), (), None)
        with raw(folder) as other:
            other.execute(schema.INSERT, schema.to_record(stranger))
        with pytest.raises(LogWriteFailed, match="behind this controller's back"):
            log.append(AT, entry())
        with pytest.raises(LogWriteFailed, match="start again"):
            log.append(AT, entry())
        assert log.head.seq == 13

    with closing(EventLog.open(folder)) as log:
        assert log.head == (14, stranger.hash)
        step_and_check(log, folder, 15)


def test_a_damaged_file_stops_a_log_until_it_is_opened_again(folder: Path, spoil) -> None:
    with closing(EventLog.open(folder)) as log:
        spoil(database(folder))
        log._day._db.execute("PRAGMA shrink_memory")  # so that it has to look at the file again
        with pytest.raises(LogWriteFailed):
            log.append(AT, entry())
        with pytest.raises(LogWriteFailed, match="start again"):
            log.append(AT, entry())
        with pytest.raises(LogAltered, match="damaged"):
            list(log.rows())
        with pytest.raises(LogAltered, match="damaged"):
            log.last_of("started")


def test_a_witness_that_cannot_be_written_stops_the_next_step_not_this_one(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        fd = log._witness._fd
        kept, full = os.dup(fd), os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, fd)
        try:
            (row,) = log.append(AT, entry())
            assert log.head == (14, row.hash)
            with pytest.raises(LogWriteFailed, match="witness: not written: the disk is full"):
                log.append(AT, entry())
            assert log.head == (14, row.hash)
        finally:
            os.dup2(kept, fd)
            os.close(kept)
            os.close(full)

        step_and_check(log, folder, 15)


def test_a_folder_without_the_right_to_write_is_said(public_folder: Path, without_rights) -> None:
    with without_rights(), pytest.raises(LogWriteFailed, match="not permitted"):
        EventLog.open(public_folder)


def test_a_read_only_file_is_found_on_opening(public_folder: Path, without_rights) -> None:
    public_folder.chmod(0o777)
    for name in ("lock", "witness"):
        (public_folder / name).chmod(0o666)

    with without_rights(), pytest.raises(LogWriteFailed, match="read-only"):
        EventLog.open(public_folder)


def test_a_copy_of_a_log_in_use_opens_elsewhere(folder: Path, tmp_path: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        log.append(AT, entry())
        copy_log(folder, tmp_path / "copy")
        with closing(EventLog.open(tmp_path / "copy")) as copy:
            assert copy.head == log.head


def test_a_step_that_was_recorded_though_it_failed_is_returned_and_not_recorded_twice(
    folder: Path,
) -> None:
    with closing(EventLog.open(folder)) as log:
        rows = link(log.head, AT, entry("card-out"), [entry("dealt")], None)
        with raw(folder) as other:  # as it is after a commit whose answer was lost
            other.executemany(schema.INSERT, map(schema.to_record, rows))
        with pytest.raises(LogWriteFailed):
            log.append(AT, entry("card-out"), [entry("dealt")])

        assert log.append(AT, entry("card-out"), [entry("dealt")]) == rows
        assert log.head == (15, rows[-1].hash)
        step_and_check(log, folder, 16)
