"""What the log knows of the operators: by its rows, carried from day to day, and of older logs."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import EventLog
from controller.eventlog.files import days_in
from controller.events import (
    Event,
    OperatorAdded,
    OperatorDisabled,
    OperatorGotPin,
    SignedIn,
    SignInRefused,
)
from controller.operators.roll import Roll
from controller.operators.standing import Kept, Operator, Standing
from controller.service.carried import Carried
from controller.table.record import entry

AT = "2026-05-09T07:35:25.123456Z"
WHO = {"who": "ines", "role": "game-supervisor", "pid": 42, "uid": 7}
MO = {**WHO, "who": "mo", "role": "dealer"}


def record(log: EventLog, *events: Event) -> None:
    for event in events:
        log.append(AT, entry(0, event))


def begin(log: EventLog, day: int, *, carrying: bool = True) -> None:
    carried = Carried(log).as_plain() if carrying else {}
    log.begin_day(AT, {"date": f"2026-05-{day:02}", **carried})


def file(*kept: Kept, pending: tuple[str, ...] = ()) -> Standing:
    return Standing(kept, frozenset(pending))


def ines(mark: str = "m1", **other: object) -> Kept:
    failures = other.pop("failures", 0)
    return Kept(Operator("ines", **{"role": "game-supervisor", **other}), mark, failures)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def log(folder: Path) -> Iterator[EventLog]:
    with closing(EventLog.open(folder, date="2026-05-01")) as log:
        begin(log, 1)
        yield log


def archived(folder: Path) -> None:
    """Move away all days but the last."""
    for day in days_in(folder)[:-1]:
        day.path.rename(folder.parent / day.path.name)
        day.checkpoints.rename(folder.parent / day.checkpoints.name)


def reopened(folder: Path) -> Roll:
    with closing(EventLog.open(folder)) as log:
        return Roll.of(log)


def words(roll: Roll, standing: Standing) -> str:
    return "; ".join(map(str, roll.differences(standing)))


def test_who_agrees_is_let_in(log: EventLog) -> None:
    record(log, OperatorAdded(**WHO, change=1, mark="m1"))
    roll = Roll.of(log)

    assert roll.differences(file(ines())) == ()
    assert roll.objection(file(ines()), "ines") == ""


def test_what_is_known_is_carried_from_day_to_day(log: EventLog, folder: Path) -> None:
    record(
        log,
        OperatorAdded(**WHO, change=1, mark="m1"),
        OperatorAdded(**MO, change=2, mark="m2"),
        OperatorGotPin(**MO, change=3, mark="m3"),
        SignInRefused(**MO, why="wrong-pin"),
        OperatorDisabled(**WHO, change=4),
    )
    for day in (2, 3, 4):
        begin(log, day)
    record(log, SignInRefused(**MO, why="wrong-pin"))
    log.close()
    archived(folder)

    roll = reopened(folder)

    assert roll.is_disabled("ines")
    assert roll.failures("mo") == 2
    assert roll.has(OperatorGotPin(**MO, change=3, mark="another"))
    assert not roll.has(OperatorGotPin(**MO, change=5))
    mo = Kept(Operator("mo", "dealer", pins=2), "m2", 2)
    assert "the PIN of mo in the file" in words(roll, file(ines(disabled=True), mo))


@pytest.mark.parametrize("days", [1, 3])
def test_an_older_versions_log_is_read_from_its_first_day(folder: Path, days: int) -> None:
    """Its first rows say nothing of operators, and its changes have no marks."""
    with closing(EventLog.open(folder, date="2026-05-01")) as log:
        begin(log, 1, carrying=False)
        record(log, OperatorAdded(**WHO, change=1), OperatorAdded(**MO, change=2))
        record(log, OperatorGotPin(**WHO, change=3), OperatorDisabled(**MO, change=4))
        for day in range(2, days + 1):
            begin(log, day, carrying=False)

    roll = reopened(folder)

    mo = Kept(Operator("mo", "dealer", disabled=True), "", 0)
    assert roll.differences(file(ines("m9", pins=2), mo)) == ()
    assert "the PIN of ines" in words(roll, file(ines("m9", pins=1), mo))
    assert "mo is disabled in the log" in words(
        roll, file(ines("m9", pins=2), Kept(Operator("mo", "dealer"), "", 0))
    )
    mal = Kept(Operator("mal", "dealer"), "", 0)
    assert "the log knows nobody" in words(roll, file(ines("m9", pins=2), mo, mal))


def test_where_an_older_logs_days_are_in_an_archive_the_file_is_taken_once(folder: Path) -> None:
    with closing(EventLog.open(folder, date="2026-05-01")) as log:
        begin(log, 1, carrying=False)
        record(log, OperatorAdded(**WHO, change=1))
        begin(log, 2, carrying=False)
        record(log, OperatorAdded(**MO, change=2), OperatorDisabled(**MO, change=3))
    archived(folder)
    roll = reopened(folder)
    standing = file(ines("m9"), Kept(Operator("mo", "dealer"), "m2", 0))
    assert roll.objection(standing, "ines") == ""

    roll.adopt(standing)

    assert [one.name for one in roll.differences(standing)] == ["mo"]  # known, and disabled
    assert "the PIN of ines" in words(roll, file(ines("m8"), standing.kept[1]))
    mal = Kept(Operator("mal", "dealer"), "", 0)
    assert "the log knows nobody" in roll.objection(file(ines("m9"), mal), "mal")


def test_a_change_that_still_waits_is_no_difference(log: EventLog) -> None:
    record(log, OperatorAdded(**WHO, change=1, mark="m1"))
    roll = Roll.of(log)

    assert roll.differences(file(ines("m2"), pending=("ines",))) == ()
    assert roll.differences(file(ines("m2"))) != ()


def test_wrong_pins_are_counted_until_one_is_right_or_new(log: EventLog) -> None:
    wrong = SignInRefused(**WHO, why="wrong-pin")
    record(log, OperatorAdded(**WHO, change=1, mark="m1"), wrong, wrong)
    assert Roll.of(log).failures("ines") == 2
    record(log, SignedIn(**WHO))
    assert Roll.of(log).failures("ines") == 0
    record(log, wrong, SignInRefused(**WHO, why="locked"))
    assert Roll.of(log).failures("ines") == 1
    assert "0 by the file, 1 by the log" in words(Roll.of(log), file(ines()))
    assert words(Roll.of(log), file(ines(failures=2))) == ""
    record(log, OperatorGotPin(**WHO, change=2, mark="m2"))
    assert Roll.of(log).failures("ines") == 0


def test_a_disabled_name_is_never_anybodys_again(log: EventLog) -> None:
    record(
        log,
        OperatorAdded(**WHO, change=1, mark="m1"),
        OperatorDisabled(**WHO, change=2),
        OperatorAdded(**WHO, change=3, mark="m3"),
        OperatorGotPin(**WHO, change=4, mark="m4"),
    )

    assert "ines is disabled in the log" in Roll.of(log).objection(file(ines("m4")), "ines")


def test_a_memory_of_nobody_objects_to_everybody_it_is_asked_about() -> None:
    assert "the log knows nobody" in Roll().objection(file(ines()), "ines")
    assert Roll().objection(file(ines(disabled=True)), "ines") == ""
