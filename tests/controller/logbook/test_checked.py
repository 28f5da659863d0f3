"""``log rounds``, ``show`` and ``export`` hold each row that they read against the one before."""

import os
import pty
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import Entry, EventLog, LogReader, canonical
from controller.eventlog.files import days_in, key_folder
from controller.logbook.which import MOST_SHOWN, NOT_CHECKED
from tests.controller.logbook.logs import Ask, altered

ASKED = (["rounds"], ["rounds", "--json"], ["show"], ["export"], ["export", "--format", "csv"])
AT = "2026-05-09T07:35:25.123456Z"
FOLLOWS_NOT = "it does not follow from the row before it"


def rows_of(state: Path, round_: int) -> list[int]:
    with closing(LogReader.open(state)) as reader:
        return [row.seq for row in reader.rows() if row.round == round_]


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
@pytest.mark.parametrize(
    "change",
    [
        "body = replace(body, '}', ',\"z\":1}')",
        "at = '2026-05-09T07:35:25.123456Z'",
        "round = round + 1",
        "kind = 'flagged'",
        "cause = 1",
        "hash = CASE substr(hash, 1, 1) WHEN 'e' THEN 'd' ELSE 'e' END || substr(hash, 2)",
    ],
)
def test_a_row_that_was_changed_is_told_and_shown(
    ask: Ask, own: Path, words: list[str], change: str
) -> None:
    (_, seq, *_) = rows_of(own, 2)
    with altered(own) as db:
        before = db.execute("SELECT * FROM event").fetchall()
        db.execute(f"UPDATE event SET {change} WHERE seq = ?", (seq,))  # noqa: S608 - ours
        assert db.execute("SELECT * FROM event").fetchall() != before

    said = ask(*words, own)
    assert said.status == 1
    assert f"!!! THE LOG WAS ALTERED OR DAMAGED: event {seq}: {FOLLOWS_NOT}" in said.err
    assert said.err.splitlines()[-1] == NOT_CHECKED
    assert said.out


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_round_is_held_against_the_row_before_it(ask: Ask, own: Path, number: int) -> None:
    first = rows_of(own, number)[0]
    with altered(own) as db:
        db.execute("UPDATE event SET hash = lower(hex(randomblob(32))) WHERE seq = ?", (first - 1,))

    said = ask("show", number, own)
    assert (said.status, f"event {first}: {FOLLOWS_NOT}" in said.err) == (1, True)


def test_a_row_that_is_read_twice_is_told_once(ask: Ask, own: Path) -> None:
    seq = rows_of(own, 4)[-2]  # in the round that goes on, which is decided again
    with altered(own) as db:
        db.execute("UPDATE event SET at = ? WHERE seq = ?", (AT, seq))
    assert ask("rounds", own).err.count("does not follow") == 1


def test_of_many_rows_that_do_not_follow_the_first_are_named(ask: Ask, own: Path) -> None:
    with altered(own) as db:
        db.execute("UPDATE event SET at = ?", (AT,))
    said = ask("export", own)
    assert said.err.count("it does not follow") == MOST_SHOWN
    assert "more events do not follow" in said.err


def test_the_first_row_of_a_day_is_held_against_the_day_before(ask: Ask, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    with closing(EventLog.open(folder)) as log:
        for day in (1, 2):
            log.begin_day(AT, {"date": f"2026-05-0{day}"})
            log.append(AT, Entry(1, "settled", canonical({"pays": 500})))
    second = days_in(folder)[1].path
    assert ask("export", folder).err == ""
    with closing(LogReader.open(folder)) as reader:
        first = reader.days()[1].first

    with closing(sqlite3.connect(second, isolation_level=None)) as db:
        db.execute("DROP TRIGGER event_stays")
        db.execute("UPDATE event SET at = ? WHERE seq = ?", (AT.replace("6Z", "5Z"), first))
    assert f"event {first}: {FOLLOWS_NOT}" in ask("export", folder).err


def test_a_key_that_was_not_handed_over_is_noted(ask: Ask, tmp_path: Path) -> None:
    folder = tmp_path / "log"
    with closing(EventLog.open(folder)) as log:
        log.begin_day(AT, {"date": "2026-05-01"})
    shutil.rmtree(key_folder(folder))
    with closing(EventLog.open(folder, new_key=True)) as log:
        log.begin_day(AT, {"date": "2026-05-02"})

    said = ask("export", folder)
    assert said.status == 0
    assert said.err.startswith("note: day 2 is signed by a key that the day before did not hand")


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_at_a_terminal_it_is_said_what_was_not_checked(own: Path, words: list[str]) -> None:
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "controller", "log", *words, own],
            stdout=subprocess.PIPE,
            stderr=theirs,
            check=False,
        )
        said = os.read(ours, 4096).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 0
    assert said.replace("\r\n", "\n") == f"{NOT_CHECKED}\n"
    assert NOT_CHECKED.encode() not in done.stdout
