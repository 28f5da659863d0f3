"""A log is opened with care: begun, gone on with, or refused with the reason."""

import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import (
    START,
    Entry,
    EventLog,
    Head,
    LogAltered,
    LogHeld,
    LogWriteFailed,
    NewerFormat,
    NotALog,
    canonical,
    schema,
    verify,
)
from controller.eventlog import witness as witness_file
from controller.eventlog.chain import head_of, link
from controller.eventlog.checkpoints import NONE_BEFORE
from controller.eventlog.day import _prepare
from controller.eventlog.dayrows import TAIL
from controller.eventlog.files import key_folder
from controller.eventlog.lock import WriterLock
from controller.eventlog.signing import SigningKey
from tests.logs import A_DAY, database

AT = "2026-05-09T07:35:25.123456Z"


def entry(kind: str = "note", **body: object) -> Entry:
    return Entry(1, kind, canonical(body))


def write_witness(folder: Path, *slots: Head | None) -> None:
    size = witness_file.SLOT_BYTES
    lines = (witness_file.encode(slot) if slot else b"torn" for slot in slots)
    (folder / "witness").write_bytes(b"".join(line.ljust(size, b"\0") for line in lines))


def raw(folder: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(database(folder), isolation_level=None, timeout=0))


def test_folder_and_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "log"
    with closing(EventLog.open(folder)) as log:
        log.append(AT, entry())
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    name = database(folder).name
    names = [name, f"{name}-wal", f"{name}-shm", database(folder).with_suffix(".checkpoints").name]
    assert modes == dict.fromkeys([*names, "witness", "lock", "public-keys"], 0o600)
    keys = key_folder(folder)
    assert stat.S_IMODE(keys.stat().st_mode) == 0o700
    assert [stat.S_IMODE(file.stat().st_mode) for file in keys.iterdir()] == [0o600]


def test_a_closed_log_goes_on_where_it_ended(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        assert log.head.seq == 13
        (row,) = log.append(AT, entry("started"))
    with closing(EventLog.open(folder)) as log:
        assert log.head == (14, row.hash)
        assert log.last_of("started") == row
    assert verify(folder).ok


def test_commits_are_synced_and_journalled_ahead(tmp_path: Path) -> None:
    with closing(EventLog.open(tmp_path / "log")) as log:
        assert schema.number(log._day._db, "synchronous") == 2
        assert log._day._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_log_is_held_once_even_within_one_process(folder: Path) -> None:
    with closing(EventLog.open(folder)):
        with pytest.raises(LogHeld, match=f"held by process {os.getpid()};") as caught:
            EventLog.open(folder)
        assert caught.value.pid == os.getpid()
    EventLog.open(folder).close()


def test_a_holder_that_has_not_said_who_it_is_is_named_by_the_kernel(folder: Path) -> None:
    with closing(EventLog.open(folder)):
        os.truncate(folder / "lock", 0)
        with pytest.raises(LogHeld, match=f"held by process {os.getpid()};") as caught:
            EventLog.open(folder)
        assert caught.value.pid == os.getpid()


def test_a_log_that_could_not_be_opened_is_let_go(folder: Path) -> None:
    (folder / "witness").rename(folder / "aside")
    with pytest.raises(LogAltered):
        EventLog.open(folder)
    (folder / "aside").rename(folder / "witness")

    EventLog.open(folder).close()


def test_no_file_stays_open(folder: Path) -> None:
    before = open_files()
    EventLog.open(folder).close()
    write_witness(folder, None, None)
    with pytest.raises(LogAltered):
        EventLog.open(folder)
    lock = WriterLock.take(folder / "lock")
    with pytest.raises(LogHeld):
        EventLog.open(folder)
    lock.release()

    assert open_files() == before


def open_files() -> set[str]:
    """Return what this process's file descriptors stand for, by number."""
    return {f"{fd.name} {fd.readlink()}" for fd in Path("/proc/self/fd").iterdir() if fd.exists()}


@pytest.mark.parametrize("left_behind", [[], [A_DAY], [A_DAY, "witness"]])
def test_a_log_whose_creation_was_cut_short_is_created(tmp_path: Path, left_behind) -> None:
    for name in left_behind:
        (tmp_path / name).touch()

    with closing(EventLog.open(tmp_path)) as log:
        assert log.append(AT, entry())[0].seq == 1
    assert verify(tmp_path).ok


def test_a_log_created_without_its_witness_gets_one(tmp_path: Path) -> None:
    EventLog.open(tmp_path).close()
    (tmp_path / "witness").unlink()

    EventLog.open(tmp_path).close()

    assert witness_file.read(tmp_path / "witness") == (START, START)


def test_a_newer_format_is_refused_politely(folder: Path) -> None:
    with raw(folder) as db:
        db.execute("PRAGMA user_version = 3")
        db.execute("CREATE TABLE signature (seq INTEGER) STRICT")

    with pytest.raises(NewerFormat, match="written in format 3, this program knows format 2"):
        EventLog.open(folder)


def test_a_database_of_another_program_is_not_touched(tmp_path: Path) -> None:
    with raw(tmp_path) as db:
        db.execute("CREATE TABLE card (rank)")
    before = (database(tmp_path)).read_bytes()

    with pytest.raises(NotALog, match="another program"):
        EventLog.open(tmp_path)
    assert (database(tmp_path)).read_bytes() == before


def test_a_file_that_is_no_database_is_not_touched(tmp_path: Path) -> None:
    (database(tmp_path)).write_text("no database, " * 1000)

    with pytest.raises(NotALog, match="not a database"):
        EventLog.open(tmp_path)
    assert (database(tmp_path)).read_text() == "no database, " * 1000


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "log").touch()

    with pytest.raises(LogWriteFailed, match="a file stands where a folder should be"):
        EventLog.open(tmp_path / "log")


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        ("DROP TRIGGER event_stays", "trigger event_stays is missing"),
        ("DROP INDEX event_kind", "index event_kind is missing"),
        ("CREATE TABLE more (a)", "table more was added"),
        ("PRAGMA user_version = 0", "format version changed from 2 to 0"),
        ("PRAGMA user_version = 3", "format version changed from 2 to 3"),
        ("PRAGMA application_id = 7", "application id changed"),
    ],
)
def test_a_log_with_another_shape_does_not_open(folder: Path, damage: str, what: str) -> None:
    with raw(folder) as db:
        db.execute(damage)

    with pytest.raises(LogAltered, match=what):
        EventLog.open(folder)


@pytest.mark.parametrize("seq", [1, 7, 13])
def test_a_changed_row_near_the_end_keeps_the_log_shut(folder: Path, tamper, seq: int) -> None:
    with tamper(folder) as db:
        db.execute("UPDATE event SET round = round + 1 WHERE seq = ?", (seq,))

    with pytest.raises(LogAltered, match="does not fit its hash") as caught:
        EventLog.open(folder)
    assert caught.value.seq == seq


def test_a_gap_near_the_end_keeps_the_log_shut(folder: Path, tamper) -> None:
    with tamper(folder) as db:
        db.execute("DELETE FROM event WHERE seq = 9")

    with pytest.raises(LogAltered, match="row missing") as caught:
        EventLog.open(folder)
    assert caught.value.seq == 9


def test_the_row_before_the_end_is_looked_for(tmp_path: Path, tamper) -> None:
    with closing(EventLog.open(tmp_path)) as log:
        log.append(AT, entry(), [entry()] * (TAIL + 3))
    with tamper(tmp_path) as db:
        db.execute("DELETE FROM event WHERE seq = 4")

    with pytest.raises(LogAltered, match="row missing"):
        EventLog.open(tmp_path)


def test_a_spoiled_file_keeps_the_log_shut(folder: Path, spoil) -> None:
    spoil(database(folder))

    with pytest.raises(LogAltered, match="damaged"):
        EventLog.open(folder)


def test_a_lost_database_is_not_begun_anew(folder: Path) -> None:
    (database(folder)).unlink()

    with pytest.raises(LogAltered, match="gone or empty: the witness saw 13 events"):
        EventLog.open(folder)
    assert not (database(folder)).exists()


def test_an_emptied_database_is_not_begun_anew(folder: Path) -> None:
    os.truncate(database(folder), 0)

    with pytest.raises(LogAltered, match="gone or empty: the witness saw 13 events"):
        EventLog.open(folder)
    assert (database(folder)).read_bytes() == b""


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"table #3 ?mode=ro&x=%41 \xc3\xa9 \xff")

    with closing(EventLog.open(folder)) as log:
        log.append(AT, entry())
        assert verify(folder).ok
    assert verify(folder).events == 1
    assert {path.parent for path in Path(folder).rglob("*")} == {folder}


def test_one_thread_may_open_a_log_and_another_use_it(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        log = one.submit(EventLog.open, tmp_path).result()
        (row,) = other.submit(log.append, AT, entry()).result()
        assert one.submit(lambda: list(log.rows())).result() == [row]
        other.submit(log.close).result()


def test_opening_a_long_log_reads_its_end_only(tmp_path: Path, tamper) -> None:
    EventLog.open(tmp_path).close()
    fake, rows = Head(60_000, "ab" * 32), None
    with tamper(tmp_path) as db:
        db.execute(
            "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            " INSERT INTO event SELECT i, ?, 1, 'note', NULL, ?, ? FROM n",
            (fake.seq, AT, '{"pad":"' + "x" * 200 + '"}', fake.hash),
        )
        rows = link(fake, AT, entry("started"), [entry()] * TAIL, None)
        db.executemany(schema.INSERT, map(schema.to_record, rows))
        signed = SigningKey.load(key_folder(tmp_path), 1).sign(head_of(rows), NONE_BEFORE)
        db.execute(schema.INSERT_CHECKPOINT, (signed.seq, signed.before, signed.signature))
    write_witness(tmp_path, head_of(rows), None)
    size = (database(tmp_path)).stat().st_size

    before = bytes_read()
    with closing(EventLog.open(tmp_path)) as log:
        assert log.last_of("started") == rows[0]
        assert log.last_of("stopped") is None
        log.append(AT, entry())
        assert [row.seq for row in log.rows(fake.seq + TAIL)] == [fake.seq + TAIL + 1, log.head.seq]
        assert bytes_read() - before < 500_000 < size / 20


def bytes_read() -> int:
    (line,) = (line for line in Path("/proc/self/io").read_text().splitlines() if "rchar" in line)
    return int(line.split()[1])


def test_a_disk_that_cannot_keep_a_journal_ahead_is_refused(tmp_path: Path) -> None:
    with (
        closing(sqlite3.connect(":memory:", isolation_level=None)) as db,
        pytest.raises(LogWriteFailed, match="use a local one"),
    ):
        _prepare(db, database(tmp_path))


# Against the witness


def heads_of(folder: Path) -> list[Head]:
    with raw(folder) as db:
        return [Head(*found) for found in db.execute("SELECT seq, hash FROM event ORDER BY seq")]


def test_the_witness_is_told_after_each_commit(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        for _ in range(3):
            before = log.head
            log.append(AT, entry(), [entry()])
            assert set(witness_file.read(folder / "witness") or ()) == {before, log.head}


@pytest.mark.parametrize("behind", [1, 2, 12])
def test_a_log_ahead_of_its_witness_opens_and_the_witness_catches_up(
    folder: Path, behind: int
) -> None:
    heads = heads_of(folder)
    write_witness(folder, heads[-1 - behind], START)

    EventLog.open(folder).close()

    assert set(witness_file.read(folder / "witness") or ()) == {heads[-1], heads[-1 - behind]}


@pytest.mark.parametrize("torn", [0, 1])
def test_a_torn_slot_is_no_obstacle_and_is_mended(folder: Path, torn: int) -> None:
    slots = list(witness_file.read(folder / "witness") or ())
    slots[torn] = None
    write_witness(folder, *slots)

    EventLog.open(folder).close()

    assert heads_of(folder)[-1] in (witness_file.read(folder / "witness") or ())
    assert None not in (witness_file.read(folder / "witness") or ())


@pytest.mark.parametrize("kept", [12, 1, 0])
def test_a_log_behind_its_witness_does_not_open(folder: Path, tamper, kept: int) -> None:
    with tamper(folder) as db:
        db.execute("DELETE FROM event WHERE seq > ?", (kept,))

    with pytest.raises(LogAltered, match=f"rows after {kept} cut off: the witness saw 13"):
        EventLog.open(folder)


def test_a_log_with_rows_and_no_witness_does_not_open(folder: Path) -> None:
    (folder / "witness").unlink()

    with pytest.raises(LogAltered, match="witness file was removed"):
        EventLog.open(folder)
    assert not (folder / "witness").exists()


def test_a_recomputed_chain_is_not_what_the_witness_saw(folder: Path, tamper) -> None:
    with tamper(folder) as db:
        db.execute("DELETE FROM event WHERE seq = 13")
        head = Head(*db.execute("SELECT seq, hash FROM event WHERE seq = 12").fetchone())
        forged = link(head, AT, entry("note", text="nothing happened"), (), None)
        db.executemany(schema.INSERT, map(schema.to_record, forged))

    with pytest.raises(LogAltered, match="another hash"):
        EventLog.open(folder)
