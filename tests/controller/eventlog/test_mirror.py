"""A second copy on another disk: the same rows, verified by itself, and a witness of the first."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import (
    Entry,
    EventLog,
    LogAltered,
    LogReader,
    canonical,
    daycopy,
    schema,
    verify,
)
from controller.eventlog.errors import CopySetBack, MirrorFailed, SetBack
from controller.eventlog.files import days_in, sha256_of
from controller.eventlog.mirror import Mirror
from tests import forger
from tests.logs import database

AT = "2026-05-09T07:35:25.123456Z"


def entry(kind: str = "note", **body: object) -> Entry:
    return Entry(1, kind, canonical(body))


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    with closing(EventLog.open(tmp_path / "log")) as log:
        log.begin_day(AT, {"date": "2026-05-01"})
        yield log


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "mirror").mkdir()
    return tmp_path / "mirror"


@pytest.fixture
def mirror(log: EventLog, tmp_path: Path, target: Path) -> Iterator[Mirror]:
    with closing(Mirror(tmp_path / "log", target)) as mirror:
        yield mirror


def a_round(log: EventLog) -> None:
    log.append(AT, entry("card-out", card="AS"), [entry("dealt")])
    log.append(AT, entry("asked"), [entry("settled", pays=500)])
    log.append(AT, entry("note"))


def same(one: Path, other: Path) -> bool:
    with closing(LogReader.open(one)) as first, closing(LogReader.open(other)) as second:
        return list(first.rows()) == list(second.rows())


def test_the_copy_follows_row_by_row_and_day_by_day(log, mirror, tmp_path, target) -> None:
    for day in range(3):
        for _ in range(3):
            a_round(log)
            assert mirror.keep_in_step() == log.head
            assert same(tmp_path / "log", target)
            assert verify(target).ok
        log.begin_day(AT, {"date": f"2026-05-0{day + 2}"})
    mirror.keep_in_step()

    for original, copy in zip(days_in(tmp_path / "log")[:3], days_in(target)[:3], strict=True):
        assert original.path.read_bytes() == copy.path.read_bytes()
    assert verify(target).days == 4


def test_the_copy_has_no_private_key(log, mirror, target) -> None:
    a_round(log)
    mirror.keep_in_step()

    assert not [path for path in target.rglob("*") if path.suffix == ".key"]


def test_a_copy_that_was_away_is_brought_up_to_date(log, tmp_path, target) -> None:
    for day in range(4):
        if day != 2:  # the disk was away for a day
            with closing(Mirror(tmp_path / "log", target)) as mirror:
                mirror.keep_in_step()
        a_round(log)
        log.begin_day(AT, {"date": f"2026-05-1{day}"})
    with closing(Mirror(tmp_path / "log", target)) as mirror:
        assert mirror.keep_in_step() == log.head

    assert same(tmp_path / "log", target)
    assert verify(target).ok


def test_a_disk_that_is_not_there_is_said(log, mirror, target) -> None:
    target.rmdir()
    with pytest.raises(MirrorFailed, match="plug in or mount its disk"):
        mirror.keep_in_step()


def test_a_disk_that_is_full_is_said_and_gone_on_with(log, mirror, target) -> None:
    mirror.keep_in_step()
    pages = schema.number(mirror._open._db, "page_count")
    mirror._open._db.execute(f"PRAGMA max_page_count = {pages}")
    log.append(AT, entry(pad="x" * 50_000))
    with pytest.raises(MirrorFailed, match="the disk is full"):
        mirror.keep_in_step()
    mirror.close()

    assert mirror.keep_in_step() == log.head
    assert verify(target).ok


def test_a_disk_that_has_something_else_than_was_written_exchanges_nothing(
    log, mirror, tmp_path, target, monkeypatch
) -> None:
    a_round(log)
    mirror.keep_in_step()
    log.begin_day(AT, {"date": "2026-05-02"})

    def sha256_of_rotten(path: Path) -> str:
        if path.suffix == ".new":
            path.chmod(0o600)
            path.write_bytes(path.read_bytes()[:-1] + b"?")
        return sha256_of(path)

    with monkeypatch.context() as patched:
        patched.setattr(daycopy, "sha256_of", sha256_of_rotten)
        with pytest.raises(MirrorFailed):
            mirror.keep_in_step()
    assert verify(target).ok  # the day is there as it was followed
    assert not list(target.glob("*.new"))
    with closing(Mirror(tmp_path / "log", target)) as again:
        again.keep_in_step()
    assert same(tmp_path / "log", target)


def test_a_log_cut_off_is_found_by_its_copy(log, mirror, tmp_path, target) -> None:
    """Database, checkpoints and witness are all cut: only the copy knows."""
    a_round(log)
    earlier = shutil.copytree(tmp_path / "log", tmp_path / "earlier")
    a_round(log)
    mirror.keep_in_step()

    with (
        closing(Mirror(earlier, target)) as other,
        pytest.raises(LogAltered, match="cut off: the second copy has 11") as caught,
    ):
        other.keep_in_step()
    assert caught.value.seq == 7


def test_rows_after_the_last_checkpoint_rewritten_are_found_by_the_copy(
    log, mirror, tmp_path, target
) -> None:
    a_round(log)
    mirror.keep_in_step()
    log.close()
    file = database(tmp_path / "log")
    rows = forger.rewrite(file, lambda row: row if row.seq < 6 else forger_note(row))
    forger.note(tmp_path / "log", rows)
    assert verify(tmp_path / "log").ok  # nothing of it was signed

    with (
        closing(Mirror(tmp_path / "log", target)) as again,
        pytest.raises(LogAltered, match="the second copy has another row here"),
    ):
        again.keep_in_step()


def forger_note(row):
    return forger.body_replaced("{}", '{"text":"forged"}')(row)


def test_a_copy_is_written_like_the_log_and_guards_itself(log, mirror, target) -> None:
    a_round(log)
    mirror.keep_in_step()

    with closing(sqlite3.connect(database(target))) as db, pytest.raises(sqlite3.IntegrityError):
        db.execute("DELETE FROM event")


# What it has had


def test_a_copy_that_lags_or_is_in_step_lacks_nothing_of_what_it_has_had(
    log, mirror, tmp_path, target
) -> None:
    a_round(log)
    had = mirror.keep_in_step().seq
    a_round(log)

    assert mirror.lacking(had) is None
    assert mirror.lacking(0) is None
    with closing(Mirror(tmp_path / "log", target)) as anew:
        assert anew.lacking(had) is None


def test_a_copy_that_was_emptied_lacks_all(log, mirror, tmp_path, target) -> None:
    a_round(log)
    had = mirror.keep_in_step().seq
    for file in target.iterdir():
        file.unlink()

    assert mirror.lacking(had) == SetBack(had, 0, ())
    with closing(Mirror(tmp_path / "log", target)) as anew:
        assert anew.lacking(had) == SetBack(had, 0, ())
        with pytest.raises(CopySetBack):
            anew.keep_in_step(had)
        assert not list(target.iterdir())
        anew.keep_in_step()
        assert anew.lacking(had) is None


@pytest.mark.parametrize("is_open", [True, False])
def test_a_copy_lacks_the_days_that_were_taken_out(log, mirror, tmp_path, target, is_open) -> None:
    for day in (2, 3, 4):
        a_round(log)
        log.begin_day(AT, {"date": f"2026-05-0{day}"})
    had = mirror.keep_in_step().seq
    if not is_open:
        mirror.close()
    for day in days_in(target)[1:3]:
        day.path.unlink()

    assert mirror.lacking(had) == SetBack(had, had, (2, 3))


def test_a_copy_that_was_put_back_lacks_what_came_since(log, tmp_path, target) -> None:
    with closing(Mirror(tmp_path / "log", target)) as mirror:
        a_round(log)
        earlier = mirror.keep_in_step().seq
    shutil.copytree(target, tmp_path / "earlier")
    with closing(Mirror(tmp_path / "log", target)) as mirror:
        a_round(log)
        log.begin_day(AT, {"date": "2026-05-02"})
        had = mirror.keep_in_step().seq
    shutil.rmtree(target)
    shutil.move(tmp_path / "earlier", target)

    with closing(Mirror(tmp_path / "log", target)) as mirror:
        assert mirror.lacking(had) == SetBack(had, earlier, ())
