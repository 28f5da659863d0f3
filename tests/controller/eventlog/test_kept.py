"""The copy of the checkpoints beside a day's file, and files that go on without end."""

import resource
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from controller.eventlog import Entry, EventLog, LogAltered, LogReader, canonical, schema, verify
from controller.eventlog.files import days_in
from tests.logs import beside, copy_log

AT = "2026-05-09T07:35:25.123456Z"
ENDLESS = 2**40
MIB = 2**20


@pytest.fixture(scope="module")
def two_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("two-days") / "log"
    with closing(EventLog.open(folder)) as log:
        for day in (1, 2):
            log.begin_day(AT, {"date": f"2026-05-0{day}"})
            for pays in range(4):
                log.append(AT, Entry(1, "settled", canonical({"pays": pays})))
                log.append(AT, Entry(1, "card-out", canonical({"card": "AS"})))
    return folder


@pytest.fixture
def folder(two_days: Path, tmp_path: Path) -> Path:
    return copy_log(two_days, tmp_path / "log")


def kept(folder: Path, day: int = 1) -> Path:
    return days_in(folder)[day - 1].checkpoints


def relined(file: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: [b"\n", *lines], None),  # a line of which a power cut left nothing
        (lambda lines: [b"\0" * 40 + b"\n", *lines], None),
        (lambda lines: [*lines, lines[-1][:90]], None),
        (lambda lines: [*lines[:-1], lines[-1][:90] + b"\0" * 3000], None),  # its block
        (lambda lines: [b"\0" * 3000 + b"\n", *lines[1:]], None),  # and a line added behind
        (lambda lines: [b"\0" * 3000 + lines[4], lines[5]], None),
        (lambda lines: [lines[0], b"\0" * 3000 + lines[3][90:], *lines[4:]], None),  # two blocks
        (lambda lines: [lines[0], b"\0" * 3000 + b"the end\n"], "line 2 is no checkpoint"),
        (lambda lines: [lines[0], lines[3][90:]], "line 2 is no checkpoint"),
        (lambda lines: [*lines, b"\0" * 70000], "line 7 is longer than any"),
        (lambda lines: [*lines, b"\0" * 1000 + b"0" * 1100 + b"\n"], "line 7 is longer than any"),
        (lambda lines: [lines[0][:90] + b"\n", *lines[1:]], None),
        (lambda lines: [lines[0][:90] + lines[1], *lines[2:]], None),  # after a full disk
        (lambda lines: [b'{"x":1}\n', *lines], "line 1 is no checkpoint"),
        (lambda lines: [*lines, b"the end\n"], "line 7 is no checkpoint"),
        (lambda lines: [lines[0], b"[" * 900 + b"\n", *lines[1:]], "line 2 is no checkpoint"),
        (lambda lines: [lines[0], lines[0], *lines[1:]], "line 2 is of event 1, the one before it"),
        (lambda lines: [*lines, lines[0]], "line 7 is of event 1, the one before it of 10"),
        (lambda lines: [lines[1], lines[0], *lines[2:]], "line 2 is of event 1"),
        (
            lambda lines: [lines[0].replace(b'"seq":1,', b'"seq":3,'), *lines[1:]],
            "line 2 is of event 2",
        ),
        (lambda lines: [*lines, b" " * 1024], "line 7 is longer than any"),
    ],
)
def test_lines_that_no_writer_writes_are_told(folder: Path, change, words: str | None) -> None:
    relined(kept(folder), change)

    verdict = verify(folder)
    assert verdict.ok is (words is None)
    if words and verdict.first_bad:
        assert words in verdict.first_bad.what


@pytest.mark.parametrize("day", [1, 2])
def test_lines_of_another_day_are_told(folder: Path, day: int) -> None:
    other = kept(folder, 3 - day).read_bytes()
    kept(folder, day).write_bytes(other)

    bad = verify(folder).first_bad
    assert bad is not None
    assert "kept beside the file" in bad.what


def test_lines_of_the_day_before_beside_the_days_own_are_told(folder: Path) -> None:
    kept(folder, 2).write_bytes(kept(folder, 1).read_bytes() + kept(folder, 2).read_bytes())
    bad = verify(folder).first_bad
    assert bad is not None
    assert (bad.seq, bad.what) == (1, "the checkpoint kept beside the file is not of this day")


@pytest.mark.parametrize("left", [0, 1, 3])
def test_lines_that_are_missing_are_noted(folder: Path, left: int) -> None:
    """A power cut and a full disk may lose them: it is no alteration, and no silence."""
    relined(
        kept(folder), lambda lines: [*lines[: left - left // 2], *lines[len(lines) - left // 2 :]]
    )

    verdict = verify(folder)
    assert verdict.ok
    (note,) = verdict.notes
    assert f"{kept(folder).name} has {left} of the 6 checkpoints" in note


# Without end


@contextmanager
def little_memory() -> Iterator[None]:
    """Give this process 256 MiB more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 256 * MIB, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def endless(file: Path) -> None:
    """Let a file go on behind what is in it, without taking room on the disk."""
    file.chmod(0o600)
    with file.open("r+b") as stream:
        stream.truncate(ENDLESS)


@pytest.mark.parametrize(
    "name", ["public-keys", "witness", "{0}.checkpoints", "{1}.checkpoints", "{0}.db", "{1}.db"]
)
def test_a_file_that_goes_on_without_end_takes_no_time_and_no_room(folder: Path, name: str) -> None:
    idle = max(seconds(lambda: verify(folder)), 0.05)
    endless(folder / name.format(*(day.path.stem for day in days_in(folder))))

    with little_memory():
        assert seconds(lambda: verify(folder)) < 40 * idle
        with closing(LogReader.open(folder)) as reader:
            assert len(list(reader.rows())) == 19
    # What stands behind a database, or behind the two slots, is read by nobody.
    assert verify(folder).ok is (name in {"witness", "{1}.db"})


@pytest.mark.parametrize("end", ["", "-wal"])
def test_what_is_read_through_a_copy_may_go_on_without_end(folder: Path, end: str) -> None:
    with closing(EventLog.open(folder)) as log:
        log.append(AT, Entry(1, "settled", canonical({"pays": 9})))
        copy = copy_log(folder, folder.with_name("copy"))
    last = days_in(copy)[1].path
    beside(last, "-shm").unlink()
    idle = max(seconds(lambda: verify(copy)), 0.05)
    endless(beside(last, end))

    with little_memory():
        assert seconds(lambda: verify(copy)) < 40 * idle
    verdict = verify(copy)
    assert (verdict.ok, verdict.events) == (True, 20)


@pytest.mark.parametrize("line", [b"x" * 2 * MIB, b'{"day":1,"key":"' + b"a" * 2 * MIB])
def test_a_line_without_end_in_the_list_of_keys_is_told(folder: Path, line: bytes) -> None:
    (folder / "public-keys").write_bytes((folder / "public-keys").read_bytes() + line)

    bad = verify(folder).first_bad
    assert bad is not None
    assert bad.what == "public-keys: line 3 was changed: it is not the key of a day"
    with pytest.raises(LogAltered, match="line 3 was changed"):
        EventLog.open(folder)


def test_a_list_of_more_keys_than_days_is_told(folder: Path) -> None:
    true = (folder / "public-keys").read_bytes()
    more = (b'{"day":%d,"key":"%064x","by":""}\n' % (day, day) for day in range(3, 200_000))
    (folder / "public-keys").write_bytes(true + b"".join(more))

    bad = verify(folder).first_bad
    assert bad is not None
    assert bad.what == "public-keys: it has more than 40,000 lines"


def test_a_value_without_end_is_told(folder: Path) -> None:
    with closing(sqlite3.connect(days_in(folder)[1].path, isolation_level=None)) as db:
        db.execute("DROP TRIGGER event_stays")
        db.execute("UPDATE event SET body = hex(zeroblob(40000000)) WHERE seq = 12")
        db.execute(schema.OBJECTS["trigger", "event_stays"])

    with little_memory():
        bad = verify(folder).first_bad
    assert bad is not None
    assert 11 <= bad.seq <= 12  # it is met with while the row before it is fetched
    assert "too big" in bad.what
