"""A copy that is not whole says what it lacks; a whole one is read wherever it lies."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import Entry, EventLog, LogReader, NotALog, aside, canonical, verify
from controller.eventlog.files import days_in, key_folder
from tests.controller.logbook.logs import Ask
from tests.logs import beside, database

AT = "2026-05-09T07:35:25.123456Z"
ROWS = 12


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    return Ask(capsys)


def fill(log: EventLog) -> None:
    log.begin_day(AT, {"date": "2026-05-09"})
    log.append(AT, Entry(0, "started", canonical({"table": "BJ 3"})))
    for number in range((ROWS - 2) // 2):
        paid = Entry(1, "settled", canonical({"pays": number}))
        log.append(AT, Entry(1, "card-out", canonical({"card": "AS"})), [paid])


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Path]:
    """Return the folder of a log that a table is writing."""
    with closing(EventLog.open(tmp_path / "state" / "log")) as log:
        fill(log)
        yield tmp_path / "state" / "log"


def copied(folder: Path, to: Path, *without: str) -> Path:
    """Copy a log, without the files whose names end so."""
    to.mkdir()
    for file in folder.iterdir():
        if not file.name.endswith(without or "?"):
            shutil.copy(file, to / file.name)
    return to


def with_key(folder: Path, to: Path) -> Path:
    """Copy a log that it can be gone on with."""
    shutil.copytree(key_folder(folder), key_folder(to))
    return copied(folder, to)


def listed(folder: Path) -> list[tuple[str, bytes]]:
    return sorted((file.name, file.read_bytes()) for file in folder.iterdir())


# What is missing is named


READ = (["rounds"], ["show"], ["export"])


def test_a_copy_without_its_wal_is_said_to_lack_it(running: Path, tmp_path: Path, ask: Ask) -> None:
    """The rows are in the file that is not there; what stands beside tells that there were any."""
    copy = copied(running, tmp_path / "copy", "-wal", "-shm")

    said = ask("verify", copy)
    assert (said.status, "cut off" in said.out) == (1, True)
    assert f"{database(running).name}-wal, which is not here" in said.out
    for words in READ:
        said = ask(*words, copy)
        assert (said.status, f"the witness saw {ROWS}" in said.err) == (1, True)


@pytest.mark.parametrize("name", [None, "day.db"])
def test_a_file_alone_that_has_no_rows_without_its_wal_is_half_a_copy(
    running: Path, tmp_path: Path, ask: Ask, name: str | None
) -> None:
    file = database(running)
    alone = tmp_path / "alone" / (name or file.name)
    alone.parent.mkdir()
    shutil.copy(file, alone)

    for path in (alone, alone.parent) if name is None else (alone,):
        for words in (["verify"], *READ):
            said = ask(*words, path)
            assert (said.status, said.out.splitlines()[1:]) == (2, [])
            assert "there is no row in it, and it seems to be half a copy" in said.err
            assert f"{alone.name}-wal, which is not here" in said.err
            assert "copy the whole folder while the table is stopped" in said.err


def test_a_file_that_nothing_tells_of_may_lack_rows_and_says_so(
    running: Path, tmp_path: Path, ask: Ask
) -> None:
    """It was put together before; what came since stands in the file that is not there."""
    with closing(EventLog.open(with_key(running, tmp_path / "log"))) as log:
        log.begin_day(AT, {"date": "2026-05-10"})
        log.append(AT, Entry(0, "stopped", canonical({})))
    file = copied(tmp_path / "log", tmp_path / "copy", "witness") / database(tmp_path / "log").name

    verdict = verify(file)
    assert (verdict.ok, verdict.half, verdict.events) == (True, True, 2)
    said = ask("verify", file)
    assert (said.status, "if this is a copy, rows may be missing" in said.out) == (3, True)
    for words in READ:
        said = ask(*words, file)
        assert f"note: while a table runs, its last rows stand in {file.name}-wal" in said.err


def test_the_file_of_a_day_that_is_over_is_whole_by_itself(running: Path, tmp_path: Path) -> None:
    with closing(EventLog.open(with_key(running, tmp_path / "log"))) as log:
        log.begin_day(AT, {"date": "2026-05-10"})
    verdict = verify(days_in(tmp_path / "log")[0].path)
    assert (verdict.ok, verdict.half, verdict.events) == (True, False, ROWS + 1)


def test_the_last_days_file_is_held_against_the_witness_beside_it(
    running: Path, tmp_path: Path
) -> None:
    with closing(EventLog.open(with_key(running, tmp_path / "log"))) as log:
        log.begin_day(AT, {"date": "2026-05-10"})
        log.append(AT, Entry(0, "started", canonical({})))
        file = database(tmp_path / "log")
        assert verify(file).ok
        copy = copied(tmp_path / "log", tmp_path / "copy", "-wal", "-shm")
        verdict = verify(copy / file.name)
    assert not verdict.ok
    assert verdict.half


@pytest.mark.parametrize("lacks", ["witness", "public-keys", ".checkpoints"])
def test_a_copy_that_lacks_a_file_is_said_to_lack_it(
    running: Path, tmp_path: Path, ask: Ask, lacks: str
) -> None:
    copy = copied(running, tmp_path / "copy", lacks)

    words = f"{lacks} is missing: removed, or left out of a copy (copy the whole folder"
    said = ask("verify", copy)
    assert (said.status, words in said.out) == (1, True)
    for asked in READ:
        said = ask(*asked, copy)
        assert (said.status, words in said.err) == (1, True)


def test_all_that_a_copy_lacks_is_said_at_once(running: Path, tmp_path: Path, ask: Ask) -> None:
    copy = copied(running, tmp_path / "copy", "witness", "public-keys", ".checkpoints")
    words = f"witness, public-keys, {database(running).stem}.checkpoints are missing"
    assert words in ask("rounds", copy).err
    assert words in ask("verify", copy).out


def test_a_copy_without_the_list_in_shm_is_whole(running: Path, tmp_path: Path) -> None:
    copy = copied(running, tmp_path / "copy", "-shm")
    before = listed(copy)
    assert (verify(copy).ok, verify(copy).events) == (True, ROWS)
    with closing(LogReader.open(copy)) as reader:
        assert len(list(reader.rows())) == ROWS
    assert listed(copy) == before


# What was copied while it was written


def flip(file: Path, place: int) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 1
    file.write_bytes(data)


HEADER, FRAME = 32, 24 + 4096


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (0, "its beginning does not hold, so that nothing in it counts"),
        (17, "its beginning does not hold, so that nothing in it counts"),
        (HEADER + 8 + 3, "page 1 in it "),
        (HEADER + 16, "page 1 in it does not follow from what is before, and later ones do"),
        (HEADER + 3 * FRAME + 100, "page 4 in it does not follow from what is before"),
        (HEADER + 5 * FRAME + 4 + 3, "page 6 in it does not follow from what is before"),
    ],
)
def test_a_wal_in_which_rows_that_were_recorded_do_not_count_is_told(
    running: Path, tmp_path: Path, ask: Ask, place: int, words: str
) -> None:
    copy = copied(running, tmp_path / "copy", "witness")
    flip(beside(database(copy), "-wal"), place)

    bad = verify(copy).first_bad
    assert bad is not None
    assert words in bad.what
    assert "it was changed, or copied while the table was writing it" in bad.what
    said = ask("rounds", copy)
    assert (said.status, words in said.err) == (1, True)


def test_the_beginning_of_an_earlier_wal_does_not_belong_to_a_later_one(tmp_path: Path) -> None:
    with closing(EventLog.open(tmp_path / "log")) as log:
        fill(log)
        wal = beside(database(tmp_path / "log"), "-wal")
        earlier = wal.read_bytes()[:HEADER]
        log._day._db.execute("PRAGMA wal_checkpoint(RESTART)")
        log.append(AT, Entry(1, "settled", canonical({"pays": 1})))
        assert verify(tmp_path / "log").ok  # what is left from before is no fault
        copy = copied(tmp_path / "log", tmp_path / "copy", "-shm")
        wal = beside(database(copy), "-wal")
        wal.write_bytes(earlier + wal.read_bytes()[HEADER:])

    bad = verify(copy).first_bad
    assert bad is not None
    assert "page 1 in it was written after the file was begun anew" in bad.what


@pytest.mark.parametrize(
    "left",
    [b"\0", b"\0" * (FRAME + 1), b"x" * 3 * FRAME, "the last page", "two pages"],
    ids=["a byte", "zeros", "other bytes", "the last page", "two pages"],
)
def test_a_transaction_that_a_power_cut_tore_is_no_alteration(
    running: Path, tmp_path: Path, left: str | bytes
) -> None:
    """What was never confirmed: pages at the end that are not whole, or not all there."""
    copy = copied(running, tmp_path / "copy", "-shm")
    wal = beside(database(copy), "-wal")
    whole = wal.read_bytes()
    pages = {"the last page": whole[-FRAME:], "two pages": whole[-2 * FRAME :]}
    wal.write_bytes(whole + (left if isinstance(left, bytes) else pages[left]))

    assert (verify(copy).ok, verify(copy).events) == (True, ROWS)


def test_a_log_is_verified_while_its_wal_grows_and_is_begun_anew(
    tmp_path: Path, start_child
) -> None:
    writer = start_child("append_for_ever", tmp_path / "log")
    writer.stdout.readline()
    for _ in range(20):
        verdict = verify(tmp_path / "log")
        assert verdict.ok, verdict


# Where nothing can be written


@pytest.fixture
def public() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as top:
        Path(top).chmod(0o755)
        yield Path(top)


@pytest.mark.parametrize("without", [(), ("-shm",)])
def test_what_a_killed_table_left_is_read_from_a_disc_that_cannot_be_written(
    running: Path, public: Path, without_rights, without: tuple[str, ...]
) -> None:
    copy = copied(running, public / "log", *without)
    before = listed(copy)
    for file in copy.iterdir():
        file.chmod(0o444)
    copy.chmod(0o555)

    with without_rights():
        verdict = verify(copy)
        with closing(LogReader.open(copy)) as reader:
            assert len(list(reader.rows())) == ROWS
    assert (verdict.ok, verdict.events) == (True, ROWS)
    assert listed(copy) == before


def test_a_day_whose_turn_was_broken_off_is_read(running: Path, tmp_path: Path, ask: Ask) -> None:
    """A hot journal: the file has to be put back before it is read, which is done in a copy."""
    copy = copied(running, tmp_path / "copy", "-shm")
    EventLog.open(with_key(running, tmp_path / "log")).close()
    file = database(tmp_path / "log")
    code = (
        "import os, sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "db.execute('PRAGMA journal_mode = DELETE')\n"
        "db.execute('PRAGMA cache_size = 1')\n"
        "db.execute('BEGIN IMMEDIATE')\n"
        "db.execute('CREATE TABLE broken AS SELECT hex(zeroblob(300000)) AS x')\n"
        "os._exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, file], check=False).returncode == 9
    assert beside(file, "-journal").stat().st_size
    before = listed(tmp_path / "log")

    said = ask("verify", tmp_path / "log")
    assert (said.status, f"intact: {ROWS} events" in said.out) == (3, True)
    assert "read-only" not in said.out + said.err
    assert ask("export", tmp_path / "log").status == 0
    assert listed(tmp_path / "log") == before
    assert verify(copy).ok


def test_no_room_for_a_copy_is_said(
    running: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = copied(running, tmp_path / "copy", "-shm")
    monkeypatch.setattr(tempfile, "tempdir", "/dev/full")
    assert verify(copy).ok  # another place does

    monkeypatch.setattr(aside, "OTHERWISE", ("/dev/full",))
    with pytest.raises(NotALog, match=r"read through a copy in /dev/full: .*TMPDIR=FOLDER"):
        verify(copy)


def test_no_copy_is_left(running: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = copied(running, tmp_path / "copy", "-shm")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    assert verify(copy).ok
    assert list((tmp_path / "tmp").iterdir()) == []
