"""A second copy that is not what was written: torn, it is filled again; altered, it is left."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import Entry, EventLog, LogAltered, LogReader, canonical, verify, witness
from controller.eventlog.chain import Head
from controller.eventlog.errors import CopySetBack, MirrorFailed
from controller.eventlog.files import PUBLIC_KEYS, WITNESS, days_in
from controller.eventlog.mirror import Mirror
from tests import forger

AT = "2026-05-09T07:35:25.123456Z"


def entry(kind: str = "note", **body: object) -> Entry:
    return Entry(1, kind, canonical(body))


def made(folder: Path) -> Path:
    """Make a log of two days that are over and one that is open, and its copy; return that."""
    copy = folder / "copy"
    copy.mkdir(parents=True)
    with (
        closing(EventLog.open(folder / "log")) as log,
        closing(Mirror(folder / "log", copy)) as mirror,
    ):
        for day in (1, 2, 3):
            log.begin_day(AT, {"date": f"2026-05-0{day}", "of": str(folder)})
            for number in range(4):
                log.append(AT, entry("card-out", card="AS", pad="x" * 3000), [entry("dealt")])
                log.append(AT, entry("asked"), [entry("settled", pays=number)])
            log.append(AT, entry("note"))
            mirror.keep_in_step()
    return copy


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    made(folder)
    return folder


@pytest.fixture
def log(kept: Path, tmp_path: Path) -> Path:
    return shutil.copytree(kept / "log", tmp_path / "log")


@pytest.fixture
def copy(kept: Path, tmp_path: Path) -> Path:
    return shutil.copytree(kept / "copy", tmp_path / "copy")


def day(copy: Path, number: int) -> Path:
    return days_in(copy)[number - 1].path


def written(path: Path, data: bytes) -> None:
    path.chmod(0o600)
    path.write_bytes(data)


def half(path: Path) -> None:
    written(path, path.read_bytes()[: path.stat().st_size // 2])


def zeros_at_the_end(path: Path) -> None:
    data = path.read_bytes()
    written(path, data[: len(data) // 2].ljust(len(data), b"\0"))


def zeros(path: Path) -> None:
    written(path, bytes(path.stat().st_size))


def sealed_again(tear: Callable[[Path], None], path: Path) -> None:
    tear(path)
    path.chmod(0o400)


def only_wal(copy: Path) -> None:
    day(copy, 3).rename(day(copy, 3).with_name(f"{day(copy, 3).name}-wal"))


def hot_journal(copy: Path) -> None:
    """Leave what a power cut leaves of a first transaction: nothing but what undoes it."""
    file = day(copy, 3)
    file.unlink()
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA cache_spill = 1")
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN IMMEDIATE")
        db.execute("CREATE TABLE one (text)")
        db.executemany("INSERT INTO one VALUES (?)", [("x" * 3000,)] * 20)
        for path in (file, file.with_name(f"{file.name}-journal")):
            shutil.copy(path, path.with_name(f"{path.name}.cut"))
        db.execute("ROLLBACK")
    for path in (file, file.with_name(f"{file.name}-journal")):
        path.with_name(f"{path.name}.cut").replace(path)


def seen_more(copy: Path) -> None:
    """Cut off the open day's last rows, which the witness has seen, and their bytes' -wal."""
    day(copy, 3).unlink()


TORN: dict[str, Callable[[Path], object]] = {
    "half of a day that is over": lambda copy: sealed_again(half, day(copy, 1)),
    "half of the day before": lambda copy: sealed_again(half, day(copy, 2)),
    "no byte of a day that is over": lambda copy: sealed_again(
        lambda path: written(path, b""), day(copy, 1)
    ),
    "zeros at the end of the day before": lambda copy: sealed_again(zeros_at_the_end, day(copy, 2)),
    "nothing but zeros for the day before": lambda copy: sealed_again(zeros, day(copy, 2)),
    "a day that is over taken out": lambda copy: day(copy, 1).unlink(),
    "half of the open day": lambda copy: half(day(copy, 3)),
    "no byte of the open day": lambda copy: written(day(copy, 3), b""),
    "zeros at the end of the open day": lambda copy: zeros_at_the_end(day(copy, 3)),
    "nothing but zeros for the open day": lambda copy: zeros(day(copy, 3)),
    "a -wal and no day": only_wal,
    "a hot journal": hot_journal,
    "the witness ahead": seen_more,
    "half a list of checkpoints": lambda copy: half(day(copy, 2).with_suffix(".checkpoints")),
    "no list of checkpoints": lambda copy: day(copy, 3).with_suffix(".checkpoints").unlink(),
    "an empty witness": lambda copy: written(copy / WITNESS, b""),
    "zeros for a witness": lambda copy: zeros(copy / WITNESS),
    "no witness": lambda copy: (copy / WITNESS).unlink(),
    "half the keys": lambda copy: half(copy / PUBLIC_KEYS),
    "zeros for keys": lambda copy: zeros(copy / PUBLIC_KEYS),
    "no keys": lambda copy: (copy / PUBLIC_KEYS).unlink(),
    "what was being written": lambda copy: half(
        Path(shutil.copy(day(copy, 2), f"{day(copy, 2)}.new"))
    ),
}


@pytest.mark.parametrize("tear", TORN.values(), ids=TORN)
def test_a_torn_copy_is_filled_again(log: Path, copy: Path, tear) -> None:
    tear(copy)
    with closing(Mirror(log, copy)) as mirror, closing(LogReader.open(log)) as reader:
        assert mirror.keep_in_step() == reader.head
        rows = list(reader.rows())

    assert verify(copy).ok
    with closing(LogReader.open(copy)) as reader:
        assert list(reader.rows()) == rows
    for one, other in zip(days_in(log)[:2], days_in(copy), strict=False):
        assert one.path.read_bytes() == other.path.read_bytes()
    assert not [path for path in copy.iterdir() if ".new" in path.name]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_what_is_torn_of_what_it_has_had_is_told_before_it_is_filled(
    log: Path, copy: Path, number: int
) -> None:
    with closing(LogReader.open(log)) as reader:
        had = reader.head.seq
    half(day(copy, number))
    if number < 3:
        day(copy, number).chmod(0o400)
    before = contents(copy)
    with closing(Mirror(log, copy)) as mirror:
        with pytest.raises(CopySetBack) as told:
            mirror.keep_in_step(had)
        assert contents(copy) == before
        assert told.value.lacks.days == ((number,) if number < 3 else ())
        mirror.keep_in_step()
        assert mirror.mended
    assert verify(copy).ok


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def reworded(path: Path) -> None:
    """Write another body into one row of a day's file, as somebody with an editor would."""
    data = path.read_bytes()
    assert b'"pays":2' in data
    written(path, data.replace(b'"pays":2', b'"pays":7'))


def rewritten(copy: Path) -> None:
    """Change a row of the open day and compute every hash after it anew."""
    forger.rewrite(
        day(copy, 3),
        lambda row: forger.body_replaced('"pays":2', '"pays":7')(row),
    )


def unguarded(copy: Path) -> None:
    with closing(sqlite3.connect(day(copy, 3))) as db:
        db.execute("DROP TRIGGER event_is_kept")


def other_log(copy: Path) -> None:
    shutil.rmtree(copy)
    other = made(copy.parent / "other")
    other.rename(copy)


def another_key(copy: Path) -> None:
    path = copy / PUBLIC_KEYS
    lines = path.read_bytes().splitlines(keepends=True)
    written(path, b"".join([lines[0].replace(b'"key":"', b'"key":"00', 1), *lines[1:]]))


def another_checkpoint(copy: Path) -> None:
    path = day(copy, 3).with_suffix(".checkpoints")
    written(path, path.read_bytes().replace(b'"signature":"', b'"signature":"0', 1))


def another_sight(copy: Path) -> None:
    line = witness.encode(Head(5, "7" * 64)).ljust(witness.SLOT_BYTES, b"\0")
    written(copy / WITNESS, line * 2)


ALTERED: dict[str, Callable[[Path], object]] = {
    "another row in the open day": lambda copy: reworded(day(copy, 3)),
    "another row in the day before": lambda copy: sealed_again(reworded, day(copy, 2)),
    "another row and all hashes after it": rewritten,
    "a guard taken off": unguarded,
    "another log's copy": other_log,
    "another key": another_key,
    "another checkpoint": another_checkpoint,
    "another sight": another_sight,
    "a text for the open day": lambda copy: written(day(copy, 3), b"Dear sirs,\n" * 100),
}


@pytest.mark.parametrize("change", ALTERED.values(), ids=ALTERED)
def test_an_altered_copy_is_told_and_left_and_says_nothing_of_the_log(
    log: Path, copy: Path, change
) -> None:
    change(copy)
    before = contents(copy)
    with closing(Mirror(log, copy)) as mirror, pytest.raises(MirrorFailed) as told:
        mirror.keep_in_step()

    assert "it was altered: " in told.value.why
    assert "keep it for a supervisor" in told.value.why
    assert contents(copy) == before


def test_a_log_put_back_by_a_day_is_found_by_its_copy(log: Path, copy: Path) -> None:
    for path in log.glob("day-0003*"):
        path.unlink()

    with closing(Mirror(log, copy)) as mirror, pytest.raises(LogAltered, match="has day-0003"):
        mirror.keep_in_step()


def test_a_day_cut_short_in_the_log_is_found_by_its_copy(log: Path, copy: Path) -> None:
    """The copy has that day whole, sealed and signed."""
    for path in log.glob("day-000[23]*"):
        path.unlink()
    with closing(sqlite3.connect(day(copy, 2))) as db:
        last = db.execute("SELECT max(seq) FROM event").fetchone()[0]
    shutil.copy(day(copy, 2), log)
    file = day(log, 2)
    file.chmod(0o600)
    with closing(sqlite3.connect(file)) as db:
        forger.unguard(db)
        db.execute("DELETE FROM event WHERE seq > 25")
        db.commit()
        forger.guard(db)
    for path in (*copy.glob("day-0003*"), copy / WITNESS):
        path.unlink()

    with closing(Mirror(log, copy)) as mirror, pytest.raises(LogAltered, match=f"has {last}"):
        mirror.keep_in_step()


def test_a_day_that_somebody_reads_is_exchanged_later(tmp_path: Path) -> None:
    copy = made(tmp_path)
    with (
        closing(EventLog.open(tmp_path / "log")) as log,
        closing(Mirror(tmp_path / "log", copy)) as mirror,
        closing(sqlite3.connect(day(copy, 3), isolation_level=None)) as reader,
    ):
        mirror.keep_in_step()
        log.append(AT, entry())
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM event").fetchone()
        log.begin_day(AT, {"date": "2026-05-04"})
        assert mirror.keep_in_step().seq == log.head.seq - 1  # all of the day that is over
        assert verify(copy).ok
        reader.execute("ROLLBACK")
        assert mirror.keep_in_step() == log.head
    assert verify(copy).days == 4


@pytest.mark.parametrize("spoil", [half, zeros_at_the_end])
def test_what_rots_in_the_log_is_told_and_does_not_get_into_the_copy(
    log: Path, copy: Path, spoil
) -> None:
    sealed_again(spoil, day(log, 2))
    half(copy / PUBLIC_KEYS)
    day(copy, 2).with_suffix(".checkpoints").unlink()
    before = day(copy, 2).read_bytes()

    with closing(Mirror(log, copy)) as mirror, pytest.raises(MirrorFailed, match="verify the log"):
        mirror.keep_in_step()
    assert day(copy, 2).read_bytes() == before


def test_a_byte_that_is_none_of_a_row_is_not_copied_over_a_good_one(log: Path, copy: Path) -> None:
    file = day(log, 2)
    data = bytearray(file.read_bytes())
    data[60:64] = b"\0\0\0\7"  # the number that a program may leave in a database's beginning
    sealed_again(lambda path: written(path, bytes(data)), file)
    with closing(Mirror(log, copy)) as mirror:
        mirror.keep_in_step()
        assert verify(copy).ok
    day(copy, 2).unlink()
    with (
        closing(Mirror(log, copy)) as mirror,
        pytest.raises(MirrorFailed, match="changed after it was sealed"),
    ):
        mirror.keep_in_step()
