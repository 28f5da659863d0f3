"""The folders beside the log, as the doctor compares them with it; it changes nothing."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.doctor import outranked
from controller.doctor.finding import Finding
from controller.doctor.machine import Machine
from controller.doctor.patient import Patient
from controller.doctor.user import User
from controller.eventlog import EventLog
from controller.eventlog.mirror import Mirror
from controller.events import CopyFollows, OperatorAdded, OperatorDisabled
from controller.operators.store import Store
from controller.service.carried import Carried
from controller.settings import read_settings
from controller.table.record import entry
from tests.controller.doctor.tree import Tree, serial

AT = "2026-05-09T07:35:25.123456Z"


def copy_of(state: Path) -> Path:
    return state.parent / "copy"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder as a table leaves it: ines, a day that is over, a second copy."""
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    copy_of(state).mkdir()
    store = Store(state)
    store.add("ines", "game-supervisor", "83920174651")
    (change,) = store.changes()
    told = {"who": "ines", "role": "game-supervisor", "pid": 1, "uid": 1}
    with closing(EventLog.open(state / "log")) as log:
        log.begin_day(AT, {"date": "2026-05-01"})
        shutil.copy(state / "log-key" / "day-0001.key", tmp_path)
        log.append(AT, entry(0, OperatorAdded(**told, change=1, mark=change.mark)))
        log.begin_day(AT, {"date": "2026-05-02", **Carried(log).as_plain()})
        with closing(Mirror(state / "log", copy_of(state))) as mirror:
            seq = mirror.keep_in_step().seq
        log.append(AT, entry(0, CopyFollows(folder=str(copy_of(state)), seq=seq)))
    store.recorded(change.number)
    return state


def said(state: Path) -> list[Finding]:
    tree = Tree(state.parent / "config")
    file = tree.config(serial("/dev/x"), state=state)
    text = file.read_text().replace("[table]\n", f'[table]\nmirror = "{copy_of(state)}"\n', 1)
    file.write_text(text)
    me = User("you", os.geteuid(), frozenset({os.getegid()}))
    before = {path: path.stat().st_mtime_ns for path in state.rglob("*")}
    found = list(outranked.check(Patient(Machine(), read_settings(file), {}, me)))
    assert {path: path.stat().st_mtime_ns for path in state.rglob("*")} == before
    return found


def trouble(state: Path) -> list[str]:
    return [f"{one.about}: {one.what}" for one in said(state) if one.level == "trouble"]


def test_what_agrees_is_ok(state: Path) -> None:
    assert {one.level for one in said(state)} == {"ok"}


def test_an_operator_whom_the_log_has_as_disabled(state: Path) -> None:
    told = {"who": "ines", "role": "game-supervisor", "pid": 1, "uid": 1}
    with closing(EventLog.open(state / "log")) as log:
        log.append(AT, entry(0, OperatorDisabled(**told, change=2)))

    (one,) = [one for one in said(state) if one.level == "trouble"]
    assert one.what.startswith("ines is disabled in the log and not in the file")
    assert "tablekeeper operators disable ines --config " in one.mend


@pytest.mark.parametrize("how", ["deleted", "emptied"])
def test_a_file_that_lacks_people(state: Path, how: str) -> None:
    if how == "deleted":
        (state / "operators.db").unlink()
    else:
        with closing(sqlite3.connect(state / "operators.db")) as db, db:
            db.execute("DELETE FROM operator")

    (one,) = trouble(state)
    assert one.startswith("operators: ines (game-supervisor) is missing from the file")


@pytest.mark.parametrize("how", ["another", "none"])
def test_another_pepper(state: Path, how: str) -> None:
    if how == "none":
        (state / "pepper").unlink()
    else:
        (state / "pepper").write_text("ab" * 32 + "\n")

    (one,) = trouble(state)
    assert one.startswith("operators: nobody can sign in: ")


@pytest.mark.parametrize("how", ["emptied", "day taken out", "gone"])
def test_a_second_copy_that_lacks_what_it_had(state: Path, how: str) -> None:
    copy = copy_of(state)
    if how == "gone":
        shutil.rmtree(copy)
    elif how == "emptied":
        for file in copy.iterdir():
            file.unlink()
    else:
        min(copy.glob("day-*.db")).unlink()

    (one,) = trouble(state)
    words = {
        "emptied": "it has them up to 0",
        "day taken out": "not the files of day 1",
        "gone": "it is not there",
    }
    assert one.startswith("second copy: ")
    assert words[how] in one


def test_a_private_key_of_a_day_that_is_over(state: Path) -> None:
    shutil.copy(state.parent / "day-0001.key", state / "log-key")

    (one,) = trouble(state)
    assert one.startswith("log keys: the private key of day 1 lies here")


def test_a_state_without_a_log_has_nothing_to_compare(state: Path) -> None:
    shutil.rmtree(state / "log")

    assert said(state) == []
