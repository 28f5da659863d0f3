"""The room on the disk: when somebody is told that it will not last, and in which words."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.service.diskwatch import (
    DAY_MS,
    HOUR_MS,
    MB,
    WARN_DAYS,
    DiskWatch,
    Look,
    look,
)
from controller.settings import ROOM_FILES

ROOM = 100 * MB
PLENTY = 500_000 * MB
MINUTE_MS = 60_000


def warned(*looks: Look) -> list[str]:
    """Return what is said after each look."""
    told: Iterator[Look] = iter(looks)
    watch = DiskWatch(Path("/nowhere"), ROOM, lambda: next(told))
    said = []
    for _ in looks:
        watch.look()
        said.append(watch.warning)
    return said


def growing(a_day: int, *, free: int, hours: int, every: int = MINUTE_MS) -> list[Look]:
    """Return the looks at a log that grows by so many bytes a day, on a disk with so much left."""
    ticks = range(0, hours * HOUR_MS + 1, every)
    return [Look(at, free, log=MB + a_day * at // DAY_MS, day=0) for at in ticks]


def test_a_disk_with_room_is_not_spoken_of() -> None:
    assert set(warned(*growing(50 * MB, free=PLENTY, hours=30, every=HOUR_MS))) == {""}


def test_a_log_that_grows_is_told_in_days_after_an_hour() -> None:
    said = warned(*growing(50 * MB, free=600 * MB, hours=2))

    assert set(said[:60]) == {""}, "a first busy minute says nothing of a day"
    assert said[60] == (
        "The disk of the table is nearly full: about 12 days left;"
        " free space or move sealed days away"
    )


def test_a_sealed_day_tells_how_much_a_day_is_at_once() -> None:
    (said,) = warned(Look(at=0, free=500 * MB, log=90 * MB, day=80 * MB))

    assert "about 6 days left" in said


@pytest.mark.parametrize(("now", "sealed"), [(1, 100), (100, 1)])
def test_the_faster_of_both_counts(now: int, sealed: int) -> None:
    looks = [one._replace(day=sealed * MB) for one in growing(now * MB, free=500 * MB, hours=3)]

    assert "about 5 days left" in warned(*looks)[-1]


@pytest.mark.parametrize(
    ("free", "words"),
    [
        (79 * MB, "less than a day left"),
        (159 * MB, "about 1 day left"),
        (160 * MB, "about 2 days left"),
        (WARN_DAYS * 80 * MB - 1, "about 13 days left"),
        (WARN_DAYS * 80 * MB, ""),
    ],
)
def test_the_days_are_whole_days_that_are_left_for_sure(free: int, words: str) -> None:
    (said,) = warned(Look(at=0, free=free, log=90 * MB, day=80 * MB))

    assert words in said
    assert bool(said) == bool(words)


def test_a_disk_that_others_fill_is_told_of_though_no_day_is_known() -> None:
    said = warned(Look(0, 2 * ROOM, log=MB, day=0), Look(1, 2 * ROOM - 1, log=MB, day=0))

    assert said[0] == ""
    assert "nearly full: 199 MB left" in said[1]


def test_room_that_was_made_ends_the_warning() -> None:
    assert warned(Look(0, MB, log=MB, day=0), Look(1, PLENTY, log=MB, day=0))[1] == ""


def test_only_the_last_day_of_a_long_run_counts() -> None:
    busy = growing(200 * MB, free=1000 * MB, hours=24, every=HOUR_MS)
    last = busy[-1]
    quiet = [last._replace(at=last.at + n * HOUR_MS) for n in range(1, 26)]
    said = warned(*busy, *quiet)

    assert "about 5 days left" in said[len(busy) - 1]
    assert said[-1] == ""


def test_a_sealed_day_that_was_moved_away_is_no_growth_backwards() -> None:
    looks = growing(50 * MB, free=PLENTY, hours=3, every=HOUR_MS)
    looks.append(looks[-1]._replace(log=0, at=looks[-1].at + HOUR_MS))

    assert warned(*looks)[-1] == ""


@given(st.lists(st.builds(Look, *[st.integers(0, 10**15)] * 4), max_size=30))
def test_whatever_is_seen_there_are_words_for_it(looks: list[Look]) -> None:
    in_order = sorted(looks, key=lambda one: one.at)

    for words in warned(*in_order):
        assert words == "" or words.endswith("free space or move sealed days away")


# --- at a real disk -------------------------------------------------------------------------------


@pytest.fixture
def day_files(tmp_path: Path) -> Callable[..., Path]:
    def make(*sizes: int) -> Path:
        folder = tmp_path / "log"
        folder.mkdir()
        for number, size in enumerate(sizes, start=1):
            (folder / f"day-{number:04}-2026-11-{number:02}.db").write_bytes(b"x" * size)
        (folder / "day-0001-2026-11-01.db-wal").write_bytes(b"x" * 9999)
        return tmp_path

    return make


def test_the_largest_sealed_day_is_not_the_one_that_is_written(
    day_files: Callable[..., Path],
) -> None:
    seen = look(day_files(300, 500, 400, 7000), now=77)

    assert (seen.at, seen.log, seen.day) == (77, 8200, 500)


def test_a_single_file_is_no_sealed_day(day_files: Callable[..., Path]) -> None:
    seen = look(day_files(300), now=0)

    assert (seen.log, seen.day) == (300, 0)


def test_what_is_free_is_what_the_disk_says(tmp_path: Path) -> None:
    disk = os.statvfs(tmp_path)
    seen = look(tmp_path, now=0)

    assert 0 < seen.free <= disk.f_blocks * disk.f_frsize


def test_a_disk_that_cannot_be_looked_at_is_told(tmp_path: Path) -> None:
    watch = DiskWatch(tmp_path / "gone", ROOM)
    watch.look()

    assert watch.warning == "The disk of the table cannot be looked at: No such file or directory"


# --- files (inodes) -------------------------------------------------------------------------------


def test_a_disk_on_which_few_files_can_be_made_is_told_of_though_there_are_bytes() -> None:
    plenty = Look(at=0, free=PLENTY, log=MB, day=0)
    said = warned(
        plenty._replace(files=2 * ROOM_FILES),
        plenty._replace(files=2 * ROOM_FILES - 1),
        plenty._replace(files=0),
        plenty._replace(files=10**6),
    )

    assert [said[0], said[3]] == ["", ""]
    for words, left in zip(said[1:3], (199, 0), strict=True):
        assert words == (
            f"The disk of the table is nearly full: only {left} more files (inodes) can be made;"
            " free space or move sealed days away"
        )


def test_a_disk_that_knows_no_number_of_files_is_not_full_of_them() -> None:
    assert warned(Look(at=0, free=PLENTY, log=MB, day=0, files=None)) == [""]


def test_bytes_are_told_of_first() -> None:
    (said,) = warned(Look(at=0, free=MB, log=MB, day=0, files=1))

    assert "1 MB left" in said


def test_what_lies_in_the_place_of_a_day_holds_no_look_up(day_files: Callable[..., Path]) -> None:
    folder = day_files(300)
    os.mkfifo(folder / "log" / "day-0002-2026-11-02.db")
    (folder / "log" / "day-0003-2026-11-03.db").symlink_to("nowhere")

    assert look(folder, now=0).day == 300
