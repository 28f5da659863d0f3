"""The reader of write logs and the states of a cut disk, against a disk that is a few sectors long.

They need no PC, no root and no QEMU but in one test; so they run with the ordinary tests.
"""

import random
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pc.cuts import moments
from tests.pc.cuts.crash import SECTOR, Disk, Left, left_of, promised, write
from tests.pc.cuts.moments import between, cuts
from tests.pc.cuts.write_log import (
    DISCARD,
    FLUSH,
    FUA,
    MAGIC,
    MARK,
    Entry,
    NotAWriteLog,
    WriteLog,
)

few = settings(max_examples=40, deadline=None)
"""Each example writes files."""

SECTORS = 16
"""Of the disk."""


class Told(NamedTuple):
    """What a disk is told: some sectors of one letter each, written from one on; or a flush."""

    first: int
    letters: bytes
    flags: int = 0


def writes(flags: int = 0) -> st.SearchStrategy[Told]:
    return st.builds(
        lambda first, letters: Told(first, letters[: SECTORS - first], flags),
        st.integers(0, SECTORS - 1),
        st.lists(st.integers(1, 255), min_size=1, max_size=8).map(bytes),
    )


told = st.lists(
    st.one_of(writes(), writes(), writes(FUA), writes(DISCARD), st.just(Told(0, b"", FLUSH))),
    max_size=20,
)
lefts = st.sampled_from(Left)
seeds = st.integers(0, 2**32)


def logged(folder: Path, what: Sequence[Told]) -> WriteLog:
    """Write a log as a disk would; only here is the format written."""
    path = folder / "writes.log"
    with path.open("wb") as file:
        file.write(struct.pack("<QQQI", MAGIC, 1, 0, SECTOR).ljust(SECTOR, b"\0"))
        for each in what:
            entry = struct.pack("<QQQQ", each.first, len(each.letters), each.flags, 0)
            file.write(entry.ljust(SECTOR, b"\0"))
            if not each.flags & DISCARD:
                file.write(content(each))
    return WriteLog(path)


def content(each: Told) -> bytes:
    letters = bytes(len(each.letters)) if each.flags & DISCARD else each.letters
    return b"".join(bytes([letter]) * SECTOR for letter in letters)


def cut(folder: Path, log: WriteLog, entries: Sequence[Entry], left: Left, seed: int) -> bytes:
    """Return a letter for each sector of the disk after a cut."""
    image = folder / "image"
    image.write_bytes(bytes(SECTORS * SECTOR))
    Disk(image, log).promise(entries)
    write(image, left_of(log, entries, left, random.Random(seed)))
    data = image.read_bytes()
    assert len(data) == SECTORS * SECTOR
    for start in range(0, len(data), SECTOR):
        assert len(set(data[start : start + SECTOR])) == 1, "a sector is whole or not there"
    return data[::SECTOR]


def carried_out(what: Sequence[Told]) -> list[list[int]]:
    """Return the letters that each sector has had, the last one last."""
    had = [[0] for _ in range(SECTORS)]
    for each in what:
        for place, letter in enumerate(content(each)[::SECTOR]):
            had[each.first + place].append(letter)
    return had


def last_flush(what: Sequence[Told]) -> int:
    return max((place + 1 for place, each in enumerate(what) if each.flags & FLUSH), default=0)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("disk")


@few
@given(what=told)
def test_a_log_is_read_as_it_was_written(place: Path, what: list[Told]) -> None:
    log = logged(place, what)
    assert [
        (entry.at // SECTOR, entry.size // SECTOR, entry.flags, log.content(entry))
        for entry in log.entries
    ] == [(each.first, len(each.letters), each.flags, content(each)) for each in what]


@few
@given(what=told, data=st.data())
def test_a_log_that_is_cut_off_has_what_is_whole(
    place: Path, what: list[Told], data: st.DataObject
) -> None:
    whole = logged(place, what)
    length = data.draw(st.integers(SECTOR, whole.path.stat().st_size))
    with whole.path.open("r+b") as file:
        file.truncate(length)
    assert WriteLog(whole.path).entries == whole.until(length)


@pytest.mark.parametrize("text", [b"", b"x" * SECTOR])
def test_what_is_no_log_is_told(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "writes.log"
    path.write_bytes(text)
    with pytest.raises(NotAWriteLog, match=r"writes\.log"):
        WriteLog(path)


def test_a_mark_is_passed_over(tmp_path: Path) -> None:
    log = logged(tmp_path, [])
    with log.path.open("ab") as file:
        file.write(struct.pack("<QQQQ", 0, 0, MARK, 5).ljust(SECTOR, b"\0"))
        file.write(b"words".ljust(SECTOR, b"\0"))
        file.write(struct.pack("<QQQQ", 0, 0, FLUSH, 0).ljust(SECTOR, b"\0"))
    (entry,) = WriteLog(log.path).entries
    assert entry.flushes


@few
@given(what=told, left=lefts, seed=seeds)
def test_what_was_promised_is_there_and_nothing_that_was_never_written(
    place: Path, what: list[Told], left: Left, seed: int
) -> None:
    log = logged(place, what)
    after = cut(place, log, log.entries, left, seed)
    since = last_flush(what)
    before = carried_out(what[:since])
    pending = carried_out(what[since:])
    for sector, letter in enumerate(after):
        assert letter in {before[sector][-1], *pending[sector][1:]}


@few
@given(what=told, left=lefts, seed=seeds)
def test_what_lasts_by_itself_is_there_if_nothing_else_was_written_there(
    place: Path, what: list[Told], left: Left, seed: int
) -> None:
    log = logged(place, what)
    after = cut(place, log, log.entries, left, seed)
    since = last_flush(what)
    pending = carried_out(what[since:])
    for each in what[since:]:
        for sector in range(each.first, each.first + len(each.letters)):
            if each.flags & FUA and len(pending[sector]) == 2:
                assert after[sector] == pending[sector][-1]


@few
@given(what=told, seed=seeds)
def test_nothing_or_all_of_the_rest(place: Path, what: list[Told], seed: int) -> None:
    kept = [each for each in what if not each.flags & FUA]
    log = logged(place, kept)
    none, everything = (cut(place, log, log.entries, left, seed) for left in (Left.NONE, Left.ALL))
    assert list(none) == [had[-1] for had in carried_out(kept[: last_flush(kept)])]
    assert list(everything) == [had[-1] for had in carried_out(kept)]


@few
@given(what=st.lists(writes(), min_size=1, max_size=8), seed=seeds)
def test_the_first_part_is_what_a_disk_had_at_some_moment(
    place: Path, what: list[Told], seed: int
) -> None:
    log = logged(place, what)
    after = list(cut(place, log, log.entries, Left.FIRST, seed))
    moments_of_it = [
        [had[-1] for had in carried_out([*what[:number], Told(each.first, each.letters[:sectors])])]
        for number, each in enumerate(what)
        for sectors in range(len(each.letters) + 1)
    ]
    assert after in moments_of_it


@few
@given(what=told, lefts=st.lists(lefts, min_size=1, max_size=4), data=st.data())
def test_a_disk_brought_forward_step_by_step_is_one_brought_forward_at_once(
    place: Path, what: list[Told], lefts: list[Left], data: st.DataObject
) -> None:
    log = logged(place, what)
    numbers = sorted(data.draw(st.lists(st.integers(0, len(what)), min_size=1, max_size=4)))
    steps, at_once = place / "steps", place / "at-once"
    for image in (steps, at_once):
        image.write_bytes(bytes(SECTORS * SECTOR))
    disk = Disk(steps, log)
    for number in numbers:
        disk.promise(log.entries[:number])
    Disk(at_once, log).promise(log.entries[: numbers[-1]])
    assert steps.read_bytes() == at_once.read_bytes()


def test_torn_sectors_and_lost_earlier_writes_do_occur(tmp_path: Path) -> None:
    what = [Told(0, b"aaaa"), Told(0, b"", FLUSH), Told(0, b"bbbb"), Told(8, b"cccc")]
    log = logged(tmp_path, what)
    seen = {
        left: {cut(tmp_path, log, log.entries, left, seed) for seed in range(40)} for left in Left
    }
    assert len(seen[Left.NONE]) == len(seen[Left.ALL]) == 1
    assert len(seen[Left.SOME]) == 4
    assert any(after[:4] not in {b"aaaa", b"bbbb"} for after in seen[Left.TORN])
    assert any(after[:4] not in {b"aaaa", b"bbbb"} for after in seen[Left.FIRST])
    assert any(after[:4] == b"aaaa" and after[8:12] == b"cccc" for after in seen[Left.SOME])


def test_half_a_superblock_is_never_left(tmp_path: Path) -> None:
    log = logged(tmp_path, [Told(0, b"aaaaaa")])
    seen = {
        cut(tmp_path, log, log.entries, left, seed)
        for left in (Left.TORN, Left.FIRST)
        for seed in range(40)
    }
    assert all(after[2] == after[3] for after in seen)
    assert len({after[1:5] for after in seen}) > 4


# --- several disks --------------------------------------------------------------------------------


def two(folder: Path) -> list[WriteLog]:
    logs = []
    for name in ("one", "other"):
        (folder / name).mkdir()
        logs.append(logged(folder / name, [Told(0, b"a"), Told(0, b"", FLUSH), Told(1, b"b")]))
    return logs


def test_there_is_a_moment_between_any_two_writes_whose_order_is_known(tmp_path: Path) -> None:
    one, other = two(tmp_path)
    ends = [entry.end for entry in one.entries]
    start = SECTOR
    seen = [(start, start), (ends[1], start), (ends[1], ends[0]), (ends[2], ends[2])]
    assert between([one, other], seen) == [
        (start, start),
        (ends[0], start),  # one disk was written to twice: in this order
        (ends[1], start),
        (ends[1], ends[0]),
        (ends[2], ends[2]),  # both were: nobody knows
    ]


def test_the_logs_are_looked_at_while_they_grow(tmp_path: Path) -> None:
    paths = [tmp_path / "one", tmp_path / "other"]
    for path in paths:
        path.write_bytes(b"")
    with moments.looked_at(paths) as seen:
        paths[0].write_bytes(b"a")
        while seen[-1] != (1, 0):
            pass
        paths[1].write_bytes(b"ab")
        while seen[-1] != (1, 2):
            pass
    assert list(dict.fromkeys(seen)) == [(0, 0), (1, 0), (1, 2)]


@few
@given(count=st.integers(1, 60), seed=seeds)
def test_cuts_are_in_order_spread_and_of_all_kinds(count: int, seed: int) -> None:
    some = cuts([(number,) for number in range(200)], count, random.Random(seed))
    assert len(some) == count
    places = [cut.moment[0] for cut in some]
    assert places == sorted(places)
    for number, at in enumerate(places):
        assert number * 200 // count <= at <= (number + 1) * 200 // count
    kinds = [cut.left for cut in some]
    assert max(map(kinds.count, Left)) - min(map(kinds.count, Left)) <= 1


# --- QEMU's own -----------------------------------------------------------------------------------


@pytest.mark.skipif(
    shutil.which("qemu-io") is None, reason="needs qemu-io: apt-get install qemu-utils"
)
def test_what_qemu_writes_is_read(tmp_path: Path) -> None:
    image, log = tmp_path / "image", tmp_path / "writes.log"
    image.write_bytes(bytes(SECTORS * SECTOR))
    log.touch()
    options = (
        "driver=blklogwrites",
        *("file.driver=file", f"file.filename={image}"),
        *("log.driver=file", f"log.filename={log}"),
    )
    said = (
        "write -P 97 0 1k",
        "flush",
        "write -P 98 512 512",
        "write -z 1k 512",
        "write -f -P 99 4k 512",
    )
    command = ["qemu-io", "--image-opts", ",".join(options)]
    for words in said:
        command += ["-c", words]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    read = WriteLog(log)
    until = next(place for place, entry in enumerate(read.entries) if entry.flushes) + 1
    assert promised(read.entries[:until]) == until
    assert cut(tmp_path, read, read.entries[:until], Left.NONE, 0) == b"aa".ljust(SECTORS, b"\0")
    wanted = bytearray(SECTORS)
    wanted[:2], wanted[8] = b"ab", ord("c")
    assert cut(tmp_path, read, read.entries, Left.ALL, 0) == bytes(wanted)
    assert read.entries[-1].flushes  # what has to last by itself is flushed, where a file can't
