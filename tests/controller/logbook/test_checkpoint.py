"""What somebody wrote down (``log checkpoint``) outlasts the files: ``log verify --checkpoint``."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from controller.eventlog import Entry, EventLog, Head, LogReader, canonical, schema
from controller.eventlog.files import days_in, key_folder
from controller.eventlog.signing import SigningKey, read_public
from controller.eventlog.writtendown import WrittenDown
from tests import forger
from tests.controller.logbook.logs import Ask, Said
from tests.logs import copy_log

Verify = Callable[..., Said]

INTACT, ALTERED, BAD_USAGE, NOT_CLOSED = 0, 1, 2, 3
ROUNDS_A_DAY = 3


def at(second: int) -> str:
    return f"2026-05-09T07:{second // 60:02}:{second % 60:02}.000000Z"


def record(log: EventLog, count: int) -> None:
    for _ in range(count):
        log.append(
            at(log.head.seq % 3600), Entry(1, "settled", canonical({"pays": 1000, "box": 2}))
        )


def day(log: EventLog, number: int) -> None:
    log.begin_day(at(log.head.seq), {"date": f"2026-05-{8 + number:02}", "table": "BJ 3"})
    record(log, ROUNDS_A_DAY)


@pytest.fixture(scope="module")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a log of three days that nobody may change: copy it."""
    folder = tmp_path_factory.mktemp("three-days") / "log"
    with closing(EventLog.open(folder, date="2026-05-09")) as log:
        for number in (1, 2, 3):
            day(log, number)
        log.append(at(3599), Entry(0, "stopped", canonical({})))
    return folder


@pytest.fixture
def folder(three_days: Path, tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return copy_log(three_days, tmp_path / "state" / "log")


@pytest.fixture
def verify(ask: Ask) -> Verify:
    return lambda *arguments: ask("verify", *arguments)


def written_at(folder: Path, seq: int) -> str:
    """Return what somebody wrote down when the log had come so far."""
    with closing(LogReader.open(folder)) as reader:
        (row,) = reader.rows(seq - 1, until=seq)
    return str(WrittenDown.of(Head(row.seq, row.hash)))


def last_seq(folder: Path) -> int:
    with closing(LogReader.open(folder)) as reader:
        return reader.head.seq


def rolled_back(folder: Path, tmp_path: Path) -> None:
    """Put folder, key and witness back as they were before the third day."""
    earlier = tmp_path / "earlier" / "log"
    earlier.parent.mkdir()
    with closing(EventLog.open(earlier, date="2026-05-09")) as log:
        day(log, 1)
        day(log, 2)
    for one in (folder, key_folder(folder)):
        shutil.rmtree(one)
    copy_log(earlier, folder)


def all_made_anew(folder: Path, tmp_path: Path) -> None:
    """Change what was paid on each day; hashes, keys, hand-overs and witness all agree."""
    true = read_public(folder / "public-keys")
    own = {one.day: SigningKey.create(tmp_path / "own", one.day) for one in true}
    forger.resign(folder, own, forger.body_replaced('"pays":1000', '"pays":9000'))
    lines = [
        msgspec.structs.replace(one, key=own[one.day].public, by="")
        if one.day == 1
        else own[one.day - 1].hand_over(one.day, own[one.day].public)
        for one in true
    ]
    forger.list_keys(folder, lines)


# --- the line -------------------------------------------------------------------------------------


def test_one_line_says_whose_it_is_and_is_taken_back_as_it_stands(
    folder: Path, verify: Verify, ask: Ask
) -> None:
    done = ask("checkpoint", folder.parent)

    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("BJ 3, day 3 (2026-05-11): ")
    assert done.out.count("\n") == 1
    assert verify("--checkpoint", done.out.strip(), folder).status == INTACT
    assert done.out.strip() in verify(folder).out.splitlines()[-1]


def test_a_log_without_events_has_nothing_to_write_down(tmp_path: Path, ask: Ask) -> None:
    EventLog.open(tmp_path / "log").close()

    done = ask("checkpoint", tmp_path)

    assert (done.status, done.out) == (BAD_USAGE, "")


def test_a_log_that_is_being_written_is_compared(folder: Path, verify: Verify, ask: Ask) -> None:
    with closing(EventLog.open(folder)) as log:
        line = ask("checkpoint", folder).out.strip()
        log.append(at(3599), Entry(0, "started", canonical({})))
        record(log, 5)

        done = verify("--checkpoint", line, folder)

        assert (done.status, "has the hash that was written down" in done.out) == (NOT_CLOSED, True)


# --- what it finds --------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["option", "file", "whole line", "full hash"])
def test_a_log_put_back_to_an_earlier_state_ends_before(
    folder: Path, tmp_path: Path, by: str, verify: Verify, ask: Ask
) -> None:
    seq = last_seq(folder)
    written = written_at(folder, seq)
    if by == "file":
        kept = tmp_path / "kept"
        kept.write_text(f"# of the night shift\n\n{written}\n")
        written = str(kept)
    elif by == "whole line":
        written = ask("checkpoint", folder).out
    elif by == "full hash":
        written = f"{seq}:{verify(folder).out.split('head ')[1].split()[0]}"
    rolled_back(folder, tmp_path)
    assert verify(folder).status == INTACT

    done = verify("--checkpoint", written, folder)

    assert done.status == ALTERED
    assert f"the log ends before event {seq}, which was written down" in done.out


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_log_rewritten_with_all_that_goes_with_it_had_another_hash(
    folder: Path, tmp_path: Path, place: int, verify: Verify
) -> None:
    seqs = [2, 7, last_seq(folder)]
    written = written_at(folder, seqs[place])
    all_made_anew(folder, tmp_path)
    assert verify(folder).status == INTACT

    done = verify("--checkpoint", written, folder)

    assert done.status == ALTERED
    assert f"event {seqs[place]} had another hash when it was written down" in done.out
    assert "write down:" not in done.out


def test_what_was_before_the_first_change_still_holds(
    folder: Path, tmp_path: Path, verify: Verify
) -> None:
    """The forger has today's key only: yesterday's checkpoint holds, and today's does not."""
    today = days_in(folder)[-1]
    with closing(sqlite3.connect(today.path)) as db:
        first, last = db.execute("SELECT min(seq), max(seq) FROM event").fetchone()
    earlier, later = written_at(folder, first), written_at(folder, last)
    key = SigningKey.load(key_folder(folder), 3)
    rows = forger.rewrite(
        today.path, forger.body_replaced('"pays":1000', '"pays":9000'), sign=key.sign
    )
    forger.note(folder, rows)

    assert verify("--checkpoint", earlier, folder).status == INTACT
    done = verify("--checkpoint", earlier, "--checkpoint", later, folder)
    assert done.status == ALTERED
    assert f"ALTERED at event {last}: " in done.out
    assert f"{first} events before it are intact" in done.out


def test_another_tables_log_is_told(folder: Path, tmp_path: Path, verify: Verify) -> None:
    other = tmp_path / "other" / "log"
    other.parent.mkdir()
    with closing(EventLog.open(other)) as log:
        record(log, 20)

    done = verify("--checkpoint", written_at(folder, 5), other)

    assert (done.status, "or it is another table's log" in done.out) == (ALTERED, True)


def test_days_in_an_archive_are_compared(folder: Path, tmp_path: Path, verify: Verify) -> None:
    written = [written_at(folder, seq) for seq in (2, last_seq(folder))]
    options = [word for one in written for word in ("--checkpoint", one)]
    archive = tmp_path / "archive"
    archive.mkdir()
    first = days_in(folder)[0]
    for path in (first.path, first.checkpoints):
        path.rename(archive / path.name)

    done = verify(*options, folder, archive)

    assert done.status == INTACT, done.out
    assert done.out.count("has the hash that was written down") == len(written)


def test_one_days_file_says_which_checkpoints_it_does_not_cover(
    folder: Path, verify: Verify
) -> None:
    first, second, third = days_in(folder)
    with closing(LogReader.open(second.path)) as reader:
        seqs = [row.seq for row in reader.rows()]
    inside, before, after = (written_at(folder, seq) for seq in (seqs[1], 1, last_seq(folder)))
    options = [word for one in (inside, before, after) for word in ("--checkpoint", one)]

    done = verify(*options, second.path)

    assert done.status == INTACT
    assert f"event {seqs[1]} has the hash that was written down" in done.out
    for seq in (1, last_seq(folder)):
        assert f"the checkpoint at event {seq} was NOT compared" in done.out
    assert f"the events {seqs[0]} to {seqs[-1]}" in done.out
    assert verify("--checkpoint", f"{seqs[1]}:{'0' * 20}", second.path).status == ALTERED
    assert third != first


def test_a_log_of_format_1_is_compared(
    folder: Path, tmp_path: Path, verify: Verify, ask: Ask
) -> None:
    old = tmp_path / "old" / "log"
    old.mkdir(parents=True)
    made = tmp_path / "made" / "log"
    made.parent.mkdir()
    with closing(EventLog.open(made)) as log:
        record(log, 9)
    as_format_1(days_in(made)[0].path, old / "events.db")
    (old / "witness").write_bytes((made / "witness").read_bytes())
    assert verify(old).status == INTACT

    line = ask("checkpoint", old).out.strip()

    assert verify("--checkpoint", line, old).status == INTACT
    seq = int(line.partition(":")[0])
    assert verify("--checkpoint", f"{seq}:{'0' * 20}", old).status == ALTERED
    assert verify("--checkpoint", f"{seq + 1}:{'0' * 20}", old).status == ALTERED


def as_format_1(day: Path, file: Path) -> None:
    with closing(sqlite3.connect(day)) as db:
        rows = db.execute(f"{schema.SELECT} ORDER BY seq").fetchall()
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        for sql in schema._OBJECTS_1.values():
            db.execute(sql)
        db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        db.execute("PRAGMA user_version = 1")
        db.executemany(schema.INSERT, rows)


def test_the_verdict_as_json_says_it_too(folder: Path, tmp_path: Path, verify: Verify) -> None:
    seq = last_seq(folder)
    written = written_at(folder, seq)
    rolled_back(folder, tmp_path)

    found = json.loads(verify("--json", "--checkpoint", written, folder).out)

    assert (found["ok"], found["first_bad"]["seq"]) == (False, found["events"] + 1)
    assert str(seq) in found["first_bad"]["what"]


# --- what is no checkpoint ------------------------------------------------------------------------


def a_fifo(path: Path) -> str:
    os.mkfifo(path / "pipe")
    return str(path / "pipe")


def a_file(text: bytes) -> Callable[[Path], str]:
    def write(path: Path) -> str:
        (path / "kept").write_bytes(text)
        return str(path / "kept")

    return write


@pytest.mark.parametrize(
    ("give", "words"),
    [
        (lambda _: "12", "neither SEQ:HASH"),
        (lambda _: "12:", "neither SEQ:HASH"),
        (lambda _: "x-12:" + "a" * 20, "neither SEQ:HASH"),
        (lambda _: "12:" + "g" * 20, "neither SEQ:HASH"),
        (lambda _: "9" * 100_000 + ":" + "a" * 20, "no log has an event 999999999999999999…"),
        (lambda _: "12:" + "a" * 100_000, "a hash has 64 digits"),
        (lambda _: "12:" + "a" * 15, "15 digits of a hash are too few"),
        (lambda _: "12:aaaa-aaaa-aaaa-aaaa-aaaa=0000", "it was mistyped"),
        (lambda _: "", "neither SEQ:HASH"),
        (lambda _: "/dev/zero", "neither SEQ:HASH"),
        (a_fifo, "neither SEQ:HASH"),
        (str, "neither SEQ:HASH"),
        (a_file(b""), "there is no checkpoint in this file"),
        (a_file(b"# none\n"), "there is no checkpoint in this file"),
        (a_file(b"12:" + b"a" * 20 + b"\nsomething\n"), "line 2: there is no checkpoint"),
        (a_file(b"12:" + b"a" * 20 + b"=0000\n"), "line 1: it was mistyped"),
        (a_file(b"\xff\xfe"), "it can't be read"),
        (a_file(b"1" * 2_000_000), "too large"),
    ],
)
def test_what_is_no_checkpoint_is_called_so(
    folder: Path, tmp_path: Path, give: Callable[[Path], str], words: str, verify: Verify
) -> None:
    done = verify("--checkpoint", give(tmp_path), folder)

    assert (done.status, done.out) == (BAD_USAGE, "")
    assert words in done.err
    assert len(done.err) < 1000
