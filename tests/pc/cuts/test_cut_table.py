"""The power of a table is cut at any moment: it has every row that was told, and goes on.

The disk is one whose writes are logged; from the log are made the states that a cut may leave.
"""

import itertools
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from controller.eventlog.files import days_in
from tests.pc.cuts.cut_table import CutTable, Person
from tests.pc.cuts.dealing import play, step
from tests.pc.cuts.judged import Verdict
from tests.pc.cuts.recording import Recording, recording
from tests.pc.cuts.table_of_cuts import TableOfCuts, bad
from tests.system.processes import eventually

SEED = 1
NEXT_DAY_WITHIN = 90.0

CARELESS = """\
import sqlite3

class Careless(sqlite3.Connection):
    def execute(self, sql, *values):
        return super().execute(sql.replace("synchronous = FULL", "synchronous = OFF"), *values)

def connect(*values, _connect=sqlite3.connect, **named):
    return _connect(*values, factory=Careless, **named)

sqlite3.connect = connect
"""
"""Lets a database tell that something is on the disk before it is."""

Judge = Callable[[str, Recording], list[Verdict]]


@pytest.fixture
def cut(states: int, table_of_cuts: TableOfCuts) -> Judge:
    """Cut the power of what was recorded, and return what was found."""

    def cut(case: str, recorded: Recording) -> list[Verdict]:
        verdicts = recorded.cut(states, SEED)
        table_of_cuts.add(case, verdicts)
        return verdicts

    return cut


def start(table: CutTable) -> None:
    table._start_devices()
    table.start()


def test_at_its_first_start(in_memory: Path, cut: Judge) -> None:
    with recording(in_memory) as recorded:
        recorded.begin()
        start(recorded.table)
        play(recorded.table.watch)
    assert not bad(cut("first start", recorded))


def test_while_it_deals(in_memory: Path, cut: Judge) -> None:
    with recording(in_memory) as recorded:
        start(recorded.table)
        recorded.begin()
        for _ in range(6):
            play(recorded.table.watch)
        assert recorded.table.stop() == 0
    verdicts = cut("dealing", recorded)
    assert not bad(verdicts)
    assert sum(verdict.acknowledged for verdict in verdicts) > len(verdicts)


def test_a_database_that_does_not_wait_for_the_disk_is_found_out(
    in_memory: Path, few_states: int, table_of_cuts: TableOfCuts
) -> None:
    """If nothing were found here, the other tests would show nothing either."""
    (in_memory / "careless").mkdir()
    (in_memory / "careless" / "sitecustomize.py").write_text(CARELESS)
    environment = {"PYTHONPATH": str(in_memory / "careless")}
    with recording(in_memory, environment=environment) as recorded:
        start(recorded.table)
        recorded.begin()
        for _ in range(6):
            play(recorded.table.watch)
    verdicts = recorded.cut(few_states, SEED)
    table_of_cuts.add("control: does not wait for the disk", verdicts)
    assert sum(bool(verdict.lost or verdict.dead) for verdict in verdicts) > len(verdicts) / 2
    assert any(verdict.lost for verdict in verdicts)


def test_as_a_day_begins(in_memory: Path, cut: Judge) -> None:
    soon = datetime.now().astimezone() + timedelta(minutes=1, seconds=8)
    with recording(in_memory, more=f'day_starts = "{soon:%H:%M}"\n') as recorded:
        table = recorded.table
        start(table)
        play(table.watch)
        play(table.watch)
        begins = soon.replace(second=0, microsecond=0)
        time.sleep(max(0.0, (begins - datetime.now().astimezone()).total_seconds() - 2))
        recorded.begin()
        eventually(lambda: len(days_in(table.state / "log")) == 2, "the next day begins")
        play(table.watch)
    assert not bad(cut("day rollover", recorded))


def test_as_operators_are_changed(in_memory: Path, cut: Judge) -> None:
    with recording(in_memory) as recorded:
        start(recorded.table)
        recorded.begin()
        _change(recorded)
    assert not bad(cut("operators", recorded))


def _change(recorded: Recording) -> None:
    """Add people, give them another PIN, disable one; a round is dealt meanwhile."""
    table = recorded.table
    rounds = itertools.count()

    def say(kind: str, person: Person, *words: str, pin: str = "") -> None:
        recorded.people.append(Person(recorded.now(), person.name))  # is changed from now on
        done = table.operators(*words, pin=pin)
        assert done.returncode == 0, done.stderr
        table.watch.event(kind)
        recorded.people.append(person._replace(length=recorded.now()))
        for _ in range(next(rounds) % 3):
            step(table.watch, table.watch.look())

    for name, role in (("ines", "game-supervisor"), ("cleo", "casino-supervisor")):
        first, second = f"83920{len(name)}74651", f"5719{len(role)}3846"
        say("operator-added", Person(0, name, first), "add", name, role, pin=first)
        say("operator-new-pin", Person(0, name, second), "pin", name, pin=second)
    last = recorded.people[-1]
    say("operator-disabled", last._replace(may=False), "disable", last.name)
    play(table.watch)


def test_with_a_second_copy_on_another_disk(in_memory: Path, cut: Judge) -> None:
    with recording(in_memory, second=True) as recorded:
        start(recorded.table)
        for _ in range(4):
            play(recorded.table.watch)
        assert recorded.table.stop() == 0
    assert not bad(cut("second copy", recorded))
