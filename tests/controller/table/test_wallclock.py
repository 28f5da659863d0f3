"""What of a wall clock that jumped somebody at the table must know."""

import pytest

from controller.events import AnswerAlarm, Check, ClockStepped, SelfTested
from controller.outcomes import Alarm, Flagged
from controller.table.decision import Decision
from controller.table.wallclock import DAY_MS, HOUR_MS, MINUTE_MS, duration
from tests.controller.table.tale import Tale, dealt, kinds, refused


def stepped(tale: Tale, by: int, behind: int = 0) -> Decision:
    """Let the clock step by so many milliseconds."""
    return tale.take(
        ClockStepped(
            by=by,
            within=2000,
            before="2026-11-30T12:00:00.000000Z",
            after="2026-11-30T11:00:00.000000Z",
            at=0,
            behind=behind,
        )
    )


@pytest.mark.parametrize("by", [HOUR_MS, DAY_MS - 1, -5000])
def test_a_step_that_stays_ahead_of_the_log_troubles_nobody(by: int) -> None:
    tale = dealt("KS 9H 5D")
    before = tale.state

    assert kinds(stepped(tale, by)) == []
    assert tale.state == before


def test_a_few_seconds_that_come_twice_are_noted() -> None:
    tale = Tale()
    (note,) = stepped(tale, -5000, behind=3000).outcomes

    assert isinstance(note, Flagged)
    assert "back by 5.0 s" in note.what
    assert "3.0 s before what is recorded" in note.what
    assert tale.state.alarms == ()


@pytest.mark.parametrize(
    ("by", "behind", "words"),
    [
        (-HOUR_MS, MINUTE_MS, "1 min before what is recorded: times in the log repeat"),
        (DAY_MS, 0, "the clock went forward by 1 d, to 2026-11-30T11:00:00 UTC"),
        (-400 * DAY_MS, 399 * DAY_MS, "the clock went back by 400 d"),
    ],
)
def test_a_minute_that_comes_twice_or_a_day_is_an_alarm_until_a_supervisor_answers(
    by: int, behind: int, words: str
) -> None:
    tale = dealt("KS 9H 5D")
    before = tale.state
    (alarm,) = stepped(tale, by, behind).outcomes

    assert isinstance(alarm, Alarm)
    assert words in alarm.what
    assert "Order and minutes in the log stay right" in alarm.what
    assert tale.state.play == before.play
    assert not refused(tale.pedal()), "the round goes on meanwhile"
    assert refused(tale.ask(AnswerAlarm("seen")))
    assert not refused(tale.ask(AnswerAlarm("it was set"), "casino-supervisor"))
    assert tale.state.alarms == ()


def test_a_self_test_changes_nothing() -> None:
    tale = dealt("KS 9H 5D")
    before = tale.state
    checks = (Check("clock", ok=False, words="wrong"),)

    test = SelfTested(checks=checks, after="2026-11-30T12:00:00.000000Z", at=0)

    assert kinds(tale.take(test)) == []
    assert tale.state == before


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (0, "0.0 s"),
        (-2500, "2.5 s"),
        (59_999, "60.0 s"),
        (60_000, "1 min"),
        (-3_599_999, "1 h"),
        (3_780_000, "1 h 3 min"),
        (90_061_000, "1 d 1 h"),
    ],
)
def test_a_span_of_time_is_said_by_its_two_largest_units(milliseconds: int, words: str) -> None:
    assert duration(milliseconds) == words
