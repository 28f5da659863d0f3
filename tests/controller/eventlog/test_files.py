"""One function says which files a log has, and everybody who reads, writes or checks asks it."""

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import Entry, EventLog, LogAltered, LogReader, canonical, verify
from controller.eventlog.errors import MirrorFailed
from controller.eventlog.files import days_in, files_in
from controller.eventlog.mirror import Mirror
from tests import forger
from tests.logs import copy_log
from tests.planted import PLANTS, last

AT = "2026-05-09T07:35:25.123456Z"


@pytest.fixture(scope="module")
def two_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("two-days") / "log"
    with closing(EventLog.open(folder)) as log:
        for day in (1, 2):
            log.begin_day(AT, {"date": f"2026-05-0{day}"})
            log.append(AT, Entry(1, "settled", canonical({"pays": 500})))
    return folder


@pytest.fixture
def folder(two_days: Path, tmp_path: Path) -> Path:
    return copy_log(two_days, tmp_path / "log")


@pytest.mark.parametrize("plant", PLANTS)
def test_what_is_no_file_of_a_log_is_said_and_a_log_with_it_is_not_gone_on_with(
    folder: Path, plant: str
) -> None:
    do, words = PLANTS[plant]
    do(folder)

    bad = verify(folder).first_bad
    assert bad is not None
    assert words in bad.what
    with pytest.raises(LogAltered, match=words):
        EventLog.open(folder)


@pytest.mark.parametrize("plant", [name for name in PLANTS if "its own" not in name])
def test_a_second_copy_is_not_made_of_it(folder: Path, tmp_path: Path, plant: str) -> None:
    (tmp_path / "copy").mkdir()
    do, words = PLANTS[plant]
    do(folder)

    mirror = Mirror(folder, tmp_path / "copy")
    with closing(mirror), pytest.raises(LogAltered, match=words):
        mirror.keep_in_step()
    assert list((tmp_path / "copy").iterdir()) == []


def test_a_second_copy_with_a_link_in_a_files_place_is_not_written_through_it(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "copy").mkdir()
    (tmp_path / "precious").write_text("keep me")
    (tmp_path / "copy" / last(folder).name).symlink_to(tmp_path / "precious")

    with closing(Mirror(folder, tmp_path / "copy")) as mirror, pytest.raises(MirrorFailed):
        mirror.keep_in_step()
    assert (tmp_path / "precious").read_text() == "keep me"


def test_forged_rows_in_a_second_file_for_a_day_are_not_read_beside_the_real_ones(
    folder: Path, tmp_path: Path
) -> None:
    forged = last(copy_log(folder, tmp_path / "forged"))
    forger.rewrite(forged, forger.body_replaced('"pays":500', '"pays":900'))
    shutil.copy(forged, folder / "day-0002-2031-11-01.db")

    with closing(LogReader.open(folder)) as reader:
        assert [row.seq for row in reader.rows()] == [1, 2, 3, 4, 5]
        assert not any(b'"pays":900' in bytes(row.body) for row in reader.rows())
        assert "there are two files for day 2" in str(reader.files.odd)


def test_a_second_file_that_comes_while_a_log_is_read_is_not_read(folder: Path) -> None:
    with closing(LogReader.open(folder)) as reader:
        PLANTS["an earlier date"][0](folder)
        assert [row.seq for row in reader.rows()] == [1, 2, 3, 4, 5]


def test_a_second_file_for_a_day_in_an_archive_is_found(folder: Path, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    day = days_in(folder)[0]
    (archive / day.path.name).write_bytes(day.path.read_bytes())
    assert verify(folder, elsewhere=[archive]).ok

    (archive / day.path.name).rename(archive / "day-0001-2031-05-01.db")
    bad = verify(folder, elsewhere=[archive]).first_bad
    assert bad is not None
    assert "there are two files for day 1" in bad.what


def test_an_earlier_day_with_another_name_is_not_what_the_next_one_names(folder: Path) -> None:
    """Also where the day has no row that says its date."""
    first = days_in(folder)[0]
    first.path.rename(folder / "day-0001-2031-05-01.db")
    first.checkpoints.rename(folder / "day-0001-2031-05-01.checkpoints")

    assert not verify(folder).ok
    with pytest.raises(LogAltered, match=r"day-0001-2031-05-01\.db: .* was day-0001-2026-05-01"):
        EventLog.open(folder)


def test_a_day_of_another_number_is_told_by_its_first_row(folder: Path) -> None:
    day = days_in(folder)[1]
    days_in(folder)[0].path.unlink()
    day.path.rename(folder / "day-0001-2026-05-02.db")

    bad = verify(folder).first_bad
    assert bad is not None
    assert bad.what == "day-0001-2026-05-02.db: its first row is that of day 2"


def test_a_day_with_a_number_beyond_all_days_takes_no_time(folder: Path) -> None:
    day = days_in(folder)[1]
    day.path.rename(folder / "day-300000000-2026-05-02.db")

    bad = verify(folder).first_bad
    assert bad is not None
    assert bad.what == "the file of day 2 is missing"


def test_a_file_named_before_its_days_date_was_known_gets_that_date(tmp_path: Path) -> None:
    with closing(EventLog.open(tmp_path / "log", date="2026-05-08")) as log:
        log.begin_day(AT, {"date": "2026-05-09"})
        log.append(AT, Entry(1, "settled", canonical({"pays": 500})))

    assert [day.path.name for day in days_in(tmp_path / "log")] == ["day-0001-2026-05-09.db"]
    assert verify(tmp_path / "log").ok
    EventLog.open(tmp_path / "log").close()


def test_what_else_lies_there_is_no_part_of_it(folder: Path) -> None:
    (folder / "notes").mkdir()
    (folder / "README").write_text("mine")
    os.mkfifo(folder / "pipe")

    assert files_in(folder).odd == ()
    assert verify(folder).ok
