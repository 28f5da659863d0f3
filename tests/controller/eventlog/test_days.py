"""One file a gaming day: begun where the day before ended, sealed when it is over."""

import json
import random
import resource
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.eventlog import (
    Entry,
    EventLog,
    Head,
    LogAltered,
    LogReader,
    LogWriteFailed,
    SigningKeyLost,
    canonical,
    schema,
    verify,
    witness,
)
from controller.eventlog.chain import START, link
from controller.eventlog.errors import DayInUse
from controller.eventlog.files import DayFile, days_in, key_folder, sha256_of
from controller.eventlog.signing import SigningKey, read_public
from tests.logs import beside, copy_log, database

AT = "2026-05-09T07:35:25.123456Z"


def entry(kind: str = "note", **body: object) -> Entry:
    return Entry(1, kind, canonical(body))


@pytest.fixture(scope="session")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a log of three days that nobody may change: copy it."""
    folder = tmp_path_factory.mktemp("three-days") / "log"
    with closing(EventLog.open(folder)) as log:
        for day in range(3):
            log.begin_day(AT, {"date": f"2026-05-0{day + 1}", "state": None})
            log.append(AT, entry("started"))
            log.append(AT, entry("card-out", card="AS"), [entry("settled", pays=500 + day)])
            log.append(AT, entry("drawn"))
    return folder


@pytest.fixture
def days(three_days: Path, tmp_path: Path) -> Path:
    """Return a log of three days of one's own."""
    return copy_log(three_days, tmp_path / "log")


def paths(folder: Path) -> list[Path]:
    return [day.path for day in days_in(folder)]


def test_rows_are_counted_and_chained_over_all_days(days: Path) -> None:
    with closing(LogReader.open(days)) as reader:
        assert [row.seq for row in reader.rows()] == list(range(1, 18))
        assert [row.seq for row in reader.rows(7, until=9)] == [8, 9]
        assert reader.head.seq == 17
    verdict = verify(days)
    assert (verdict.ok, verdict.days, verdict.events, verdict.signed) == (True, 3, 17, 17)
    assert verdict.notes == ()


def test_a_day_begins_with_what_the_file_before_is(days: Path) -> None:
    first, second, _ = paths(days)
    with closing(sqlite3.connect(second)) as db:
        kind, body = db.execute("SELECT kind, body FROM event ORDER BY seq").fetchone()
    with closing(sqlite3.connect(first)) as db:
        last = db.execute("SELECT seq, hash FROM event ORDER BY seq DESC").fetchone()

    said = json.loads(body)
    assert (kind, said["day"], said["date"]) == ("day-opened", 2, "2026-05-02")
    assert said["previous"] == {
        "file": first.name,
        "sha256": sha256_of(first),
        "seq": last[0],
        "hash": last[1],
    }


def test_a_day_that_is_over_is_one_file_that_nobody_may_write(days: Path) -> None:
    for file in paths(days)[:-1]:
        assert stat.S_IMODE(file.stat().st_mode) == 0o400
        assert not beside(file, "-wal").exists()
        assert file.read_bytes()[18:20] == b"\x01\x01"  # the header's word for: no WAL


def test_only_the_key_of_the_open_day_is_left(days: Path) -> None:
    assert [file.name for file in key_folder(days).iterdir()] == ["day-0003.key"]
    assert [one.day for one in read_public(days / "public-keys")] == [1, 2, 3]


def test_a_log_between_days_is_read_and_takes_nothing(days: Path) -> None:
    close_last_day(days)
    with closing(EventLog.open(days)) as log:
        assert log.is_over
        assert log.head.seq == 18
        with pytest.raises(ValueError, match="begin the next one first"):
            log.append(AT, entry())
        row = log.begin_day(AT, {"date": "2026-05-04"})
        assert (row.seq, log.is_over) == (19, False)
    assert verify(days).ok


def close_last_day(folder: Path) -> None:
    """Leave the log as a power cut after closing a day would."""
    with closing(EventLog.open(folder)) as log:
        log._close_day(AT, log._day)


# Power cuts in the middle of a new day


def test_a_day_cut_off_at_any_step_is_ended_and_the_next_is_begun(
    tmp_path: Path, start_child
) -> None:
    for step in range(1, 200):
        folder = tmp_path / str(step) / "log"
        child = start_child("roll_for_ever", folder, step)
        said = child.stdout.read().splitlines()
        assert child.wait() in (0, 9)
        with closing(EventLog.open(folder)) as log:
            if log.is_over or said[-1] != "whole":
                log.begin_day(AT, {"again": step})
            log.append(AT, entry("stopped"))
            kept = {f"{row.seq} {row.hash}" for row in log.rows()}
        assert kept >= {line for line in said if line != "whole"}
        verdict = verify(folder)
        assert verdict.ok, (step, verdict)
        assert verdict.notes == ()
        keys = list(key_folder(folder).iterdir())
        assert [file.name for file in keys] == [f"day-{verdict.days:04}.key"]
        if said[-1] == "whole":
            break
    assert step > 10


def test_nothing_is_lost_when_a_writer_that_begins_days_is_killed(
    tmp_path: Path, start_child
) -> None:
    folder, known = tmp_path / "log", set()
    for _ in range(6):
        writer = start_child("roll_for_ever", folder)
        known |= {writer.stdout.readline() for _ in range(random.randint(1, 30))}
        writer.kill()
        known |= {line for line in writer.stdout if line.endswith("\n")}
        writer.wait()
        verdict = verify(folder)
        assert verdict.ok, verdict
        with closing(LogReader.open(folder)) as reader:
            assert known <= {f"{row.seq} {row.hash}\n" for row in reader.rows()}


# What is found


@settings(max_examples=60, deadline=None)
@given(data=st.data(), day=st.integers(0, 1))
def test_any_changed_byte_of_a_sealed_day_is_found(three_days, tmp_path_factory, data, day) -> None:
    folder = copy_log(three_days, tmp_path_factory.mktemp("flip") / "log")
    file = paths(folder)[day]
    file.chmod(0o600)
    content = bytearray(file.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)

    assert not verify(folder).ok
    shutil.rmtree(folder.parent)


def test_a_change_that_no_row_shows_is_called_a_change_of_the_file(days: Path) -> None:
    file = paths(days)[0]
    file.chmod(0o600)
    with file.open("r+b") as out:
        out.seek(60)  # the header's user cookies: nobody reads them
        out.write(b"\0\0\0\2")
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 2")

    bad = verify(days).first_bad
    assert bad is not None
    assert (bad.seq, bad.what) == (
        0,
        f"{file.name}: the file was changed after it was sealed, though its rows hold",
    )


def test_a_journal_put_beside_a_sealed_day_is_found(days: Path) -> None:
    file = paths(days)[0]
    beside(file, "-wal").write_bytes(b"")

    assert "-wal was added" in str(verify(days).first_bad)


@pytest.mark.parametrize(("gone", "number"), [(0, 1), (1, 2)])
def test_a_day_that_is_missing_is_named_and_found_elsewhere(days: Path, gone, number) -> None:
    archive = days.parent / "archive"
    archive.mkdir()
    file = paths(days)[gone]
    for path in (file, file.with_suffix(".checkpoints")):
        path.rename(archive / path.name)

    bad = verify(days).first_bad
    assert bad is not None
    assert bad.what == f"the file of day {number} is missing"
    assert verify(days, elsewhere=[archive]).ok


def test_the_last_day_taken_away_is_found_by_the_witness(days: Path) -> None:
    paths(days)[-1].unlink()

    assert "cut off: the witness saw 17" in str(verify(days).first_bad)
    with pytest.raises(LogAltered, match="the witness saw 17"):
        EventLog.open(days)


def test_one_day_is_verified_by_itself_and_says_so(days: Path) -> None:
    verdict = verify(paths(days)[1])
    assert (verdict.ok, verdict.events) == (True, 6)
    assert verdict.notes == ("only day 2 was looked at: what was before is not shown",)


def test_days_of_another_log_do_not_fit(days: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "log"
    with closing(EventLog.open(other)) as log:
        log.begin_day(AT, {"date": "2026-05-01"})
        log.append(AT, entry("note", text="another table"))
        log.append(AT, entry("settled"))
        log.begin_day(AT, {"date": "2026-05-02"})
    shutil.copy(paths(other)[0], paths(days)[0].with_suffix(".new"))
    paths(days)[0].with_suffix(".new").replace(paths(days)[0])

    assert not verify(days).ok


# The key


def test_a_lost_key_keeps_the_log_shut_until_a_new_one_is_begun(days: Path) -> None:
    shutil.rmtree(key_folder(days))
    with pytest.raises(SigningKeyLost, match="tablekeeper recover --new-key"):
        EventLog.open(days)

    with closing(EventLog.open(days, new_key=True)) as log:
        assert log.is_over
        log.begin_day(AT, {"date": "2026-05-04"})
        log.append(AT, entry("settled"))
    verdict = verify(days)
    assert verdict.ok
    assert "day 4 is signed by a key that the day before did not hand over" in verdict.notes[0]


def test_a_key_of_another_day_is_not_taken_for_this_ones(days: Path) -> None:
    SigningKey.create(key_folder(days), 3)

    with pytest.raises(LogAltered, match="public key of day 3 was changed"):
        EventLog.open(days)


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda file: file.unlink(), "public-keys is missing: removed, or left out"),
        (lambda file: file.write_bytes(file.read_bytes().replace(b'"day":3', b'"day":9')), "day 3"),
    ],
)
def test_a_list_of_keys_that_is_not_whole_is_found(days: Path, spoil: Callable, what: str) -> None:
    spoil(days / "public-keys")

    assert what in str(verify(days).first_bad)
    with pytest.raises(LogAltered, match="day 3 was removed"):
        EventLog.open(days)


# A log of format 1, which was one file for all days


@pytest.fixture
def old(tmp_path: Path) -> Path:
    folder = tmp_path / "log"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "events.db", isolation_level=None)) as db:
        db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        db.execute("PRAGMA user_version = 1")
        for statement in schema._OBJECTS_1.values():
            db.execute(statement)
        rows = link(START, AT, entry("started"), [entry("settled", pays=5)], None)
        db.executemany(schema.INSERT, map(schema.to_record, rows))
    return folder


def test_a_log_of_format_1_is_read_and_verified(old: Path) -> None:
    with closing(LogReader.open(old)) as reader:
        assert [row.kind for row in reader.rows()] == ["started", "settled"]
    verdict = verify(old / "events.db")
    assert verdict.first_bad is not None  # rows, and no witness
    assert verdict.first_bad.what.startswith("witness is missing: removed, or left out of a copy")


def test_a_log_of_format_1_is_gone_on_with_in_a_new_file(old: Path, tmp_path: Path) -> None:
    write_witness(old)
    before = (old / "events.db").read_bytes()

    with closing(EventLog.open(old)) as log:
        assert (log.is_over, log.head.seq) == (True, 2)
        row = log.begin_day(AT, {"date": "2026-05-04"})
        assert (row.seq, json.loads(bytes(row.body))["previous"]["file"]) == (3, "events.db")
        log.append(AT, entry("settled"))
        assert [each.seq for each in log.rows()] == [1, 2, 3, 4]

    assert (old / "events.db").read_bytes() == before
    verdict = verify(old)
    assert (verdict.ok, verdict.events, verdict.days) == (True, 4, 2)


def test_a_log_of_format_1_that_was_killed_is_put_together_first(old: Path) -> None:
    with closing(sqlite3.connect(old / "events.db", isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        head = Head(*db.execute("SELECT seq, hash FROM event ORDER BY seq DESC").fetchone())
        (row,) = link(head, AT, entry("settled", pays=9), (), None)
        db.execute(schema.INSERT, schema.to_record(row))
        killed = shutil.copytree(old, old.parent / "killed")  # the last row is in the -wal only
    write_witness(killed)

    with closing(EventLog.open(killed)) as log:
        assert log.head.seq == 3
        log.begin_day(AT, {"date": "2026-05-04"})

    assert not beside(killed / "events.db", "-wal").exists()
    verdict = verify(killed)
    assert (verdict.ok, verdict.events) == (True, 4)


def test_a_changed_log_of_format_1_is_found(old: Path) -> None:
    write_witness(old)
    with closing(EventLog.open(old)) as log:
        log.begin_day(AT, {"date": "2026-05-04"})
    with closing(sqlite3.connect(old / "events.db", isolation_level=None)) as db:
        db.execute("DROP TRIGGER event_stays")
        db.execute("""UPDATE event SET body = '{"pays":9}' WHERE seq = 2""")
        db.execute(schema._OBJECTS_1["trigger", "event_stays"])

    bad = verify(old).first_bad
    assert bad is not None
    assert bad.seq == 2


def write_witness(folder: Path) -> None:
    with closing(sqlite3.connect(database(folder))) as db:
        head = Head(*db.execute("SELECT seq, hash FROM event ORDER BY seq DESC").fetchone())
    noted = witness.Witness.open(folder / "witness", None)
    noted.note(head)
    noted.close()


# While somebody reads


def test_a_day_that_is_read_just_now_ends_later_and_the_log_goes_on(days: Path) -> None:
    with closing(EventLog.open(days)) as log:
        log.append(AT, entry("settled"))
        with closing(sqlite3.connect(database(days), isolation_level=None)) as other:
            other.execute("BEGIN")
            other.execute("SELECT count(*) FROM event").fetchone()
            log.append(AT, entry("settled"))  # which that reader doesn't see
            with pytest.raises(DayInUse, match="ends when they are done"):
                log.begin_day(AT, {"date": "2026-05-04"})
            assert log.append(AT, entry("settled"))[0].seq == 20
            other.execute("ROLLBACK")
            assert log.begin_day(AT, {"date": "2026-05-04"}).seq == 22
    assert verify(days).ok


def test_a_reader_goes_on_over_the_end_of_a_day(days: Path) -> None:
    with closing(EventLog.open(days)) as log, closing(LogReader.open(days)) as reader:
        rows = reader.rows()
        seen = [next(rows).seq]
        log.append(AT, entry("settled"))
        log.begin_day(AT, {"date": "2026-05-04"})
        log.append(AT, entry("settled"))

        seen += [row.seq for row in rows]
        assert seen == list(range(1, 18))
        assert [row.seq for row in reader.rows(17)] == [18, 19, 20, 21]
        assert verify(days).ok
    assert verify(days).ok


def test_a_log_is_verified_while_days_end(tmp_path: Path, start_child) -> None:
    folder = tmp_path / "log"
    writer = start_child("roll_for_ever", folder)
    last = ""
    for _ in range(15):
        last = writer.stdout.readline()
        verdict = verify(folder)
        assert verdict.ok, verdict
        assert verdict.events >= int(last.split()[0])


def test_a_day_that_ended_just_after_it_was_verified_is_read_again(
    days: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(EventLog.open(days)) as log:
        looks = count()

        def days_a_little_later(folder: Path) -> tuple[DayFile, ...]:
            if next(looks) > 3 and log.head.seq < 20:  # once for all days, once at each one's start
                log.append(AT, entry("settled"))
                log.begin_day(AT, {"date": "2026-05-04"})
            return days_in(folder)

        monkeypatch.setattr(
            sys.modules["controller.eventlog.verify"], "days_in", days_a_little_later
        )
        verdict = verify(days)
        assert log.head.seq > 19
    assert verdict.ok, verdict
    assert verdict.days == len(days_in(days)) > 3


# A disk that is full just then


@pytest.mark.parametrize("room", range(0, 140_000, 6_000))
def test_a_day_that_could_not_be_begun_is_begun_when_there_is_room(days: Path, room: int) -> None:
    with closing(EventLog.open(days)) as log:
        log.append(AT, entry("settled"))
        with room_for_files(room), suppress(LogWriteFailed):
            log.begin_day(AT, {"date": "2026-05-04"})
        if log.head.seq < 20:
            log.begin_day(AT, {"date": "2026-05-04"})
        log.append(AT, entry("stopped"))
        assert [row.kind for row in log.rows(17)] == [
            "settled",
            "day-closed",
            "day-opened",
            "stopped",
        ]
    verdict = verify(days)
    assert verdict.ok, verdict
    assert (verdict.days, verdict.notes) == (4, ())
    assert [file.name for file in key_folder(days).iterdir()] == ["day-0004.key"]


@pytest.mark.parametrize("room", range(0, 48_000, 3_000))
def test_a_first_day_whose_file_could_not_be_made_anew_is_begun_when_there_is_room(
    tmp_path: Path, room: int
) -> None:
    """It was named after the calendar; meanwhile another day has begun, and then another."""
    folder = tmp_path / "log"
    with closing(EventLog.open(folder, date="2026-05-08")) as log:
        with room_for_files(room):
            for date in ("2026-05-09", "2026-05-10"):
                with suppress(LogWriteFailed):
                    log.begin_day(AT, {"date": date})
                    break
        if log.head.seq == 0:
            assert log.is_over
            date = "2026-05-11"
            log.begin_day(AT, {"date": date})
        log.append(AT, entry("settled"))

    assert [path.name for path in paths(folder)] == [f"day-0001-{date}.db"]
    verdict = verify(folder)
    assert (verdict.ok, verdict.events, verdict.notes) == (True, 2, ())
    EventLog.open(folder).close()


@contextmanager
def room_for_files(size: int) -> Iterator[None]:
    """Let no file grow beyond the size: the disk is full for it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
