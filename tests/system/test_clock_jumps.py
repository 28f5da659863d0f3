"""A wall clock that is set while a table runs, or while it does not: told, and nothing else.

The controller's wall clock is another than ours, by a library that is loaded before its own.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system.processes import eventually, tablekeeper
from tests.system.shims import WallClock, running_under
from tests.system.table import Running

HOUR = 3600
DAY = 24 * HOUR
OFF = 1000
"""Milliseconds by which a jump may be told wrong: both clocks ran on meanwhile."""


@pytest.fixture
def clock(folder: Path) -> WallClock:
    return WallClock(folder)


@pytest.fixture
def table(folder: Path, clock: WallClock) -> Iterator[Running]:
    with running_under(folder, clock.environment) as it:
        yield it


def told(table: Running) -> dict[str, Any]:
    """Wait for the step of the clock; return the body of its event."""
    (stepped, *_) = table.watch.event("clock-stepped")
    body: dict[str, Any] = stepped["body"]
    return body


def jumped(body: dict[str, Any], seconds: int) -> bool:
    return bool(abs(body["by"] - seconds * 1000) < OFF)


def test_an_hour_forward_is_recorded_and_troubles_nobody(table: Running, clock: WallClock) -> None:
    table.deal()
    clock.set(HOUR)
    body = told(table)

    assert jumped(body, HOUR)
    assert body["behind"] == 0
    assert body["before"] < body["after"]
    assert table.watch.view["alarms"] == []
    table.finish()


def test_an_hour_back_is_an_alarm_and_the_round_goes_on(table: Running, clock: WallClock) -> None:
    table.deal()
    before = table.layout()
    clock.set(-HOUR)
    body = told(table)

    assert jumped(body, -HOUR)
    assert abs(body["behind"] - HOUR * 1000) < 30_000
    (alarm,) = table.watch.view["alarms"]
    assert "the clock went back by 1 h, to " in alarm
    assert "times in the log repeat" in alarm
    assert table.layout() == before
    table.finish()
    answer = {"do": "answer-alarm", "words": "the technician set the clock"}
    assert table.watch.request(ask=answer, by="casino-supervisor")["accepted"]
    assert table.watch.view["alarms"] == []


def test_two_days_forward_are_an_alarm(table: Running, clock: WallClock) -> None:
    clock.set(2 * DAY)
    body = told(table)

    assert jumped(body, 2 * DAY)
    assert "forward by" in table.watch.until(lambda view: view["alarms"], "alarm")["alarms"][0]


def test_a_log_with_times_that_go_back_is_intact_and_goes_on(
    table: Running, clock: WallClock
) -> None:
    table.deal()
    clock.set(-DAY)
    told(table)
    table.finish()
    table.kill()
    clock.set(5 * DAY)
    table.start()
    table.go_on()
    table.deal()
    clock.set(-400 * DAY)
    told(table)
    table.finish()
    assert table.stop() == 0

    times = [row["at"] for row in table.rows()]
    assert times != sorted(times)
    done = tablekeeper("log", "verify", table.state)
    assert (done.returncode, "intact" in done.stdout) == (0, True), done.stdout


def test_a_clock_that_was_set_while_no_controller_ran_is_told_at_its_start(
    table: Running, clock: WallClock
) -> None:
    table.stop()
    last = table.rows()[-1]
    clock.set(HOUR)
    table.start()
    (forward,) = [row["body"] for row in table.rows("clock-stepped")]
    assert jumped(forward, HOUR)
    assert forward["within"] > 0, "in the same start of the machine it is known how long it was off"
    table.kill()
    clock.set(-HOUR)
    table.start()

    body = table.rows("clock-stepped")[-1]["body"]
    assert jumped(body, -2 * HOUR)
    assert body["behind"] > HOUR * 1000
    assert body["after"] < last["at"]
    assert table.watch.view["alarms"] != []
    assert "! clock: the clock of this PC shows" in seen(table)


def seen(table: Running) -> str:
    """Return the self-test of the view as lines."""
    tested = table.watch.look()["self_test"]
    return "\n".join(f"{'✓' if one['ok'] else '!'} {one['name']}: {one['words']}" for one in tested)


def test_a_clock_that_cannot_be_right_is_told_and_the_table_opens(
    table: Running, clock: WallClock
) -> None:
    table.stop()
    clock.set(-20 * 365 * DAY)
    table.start()

    assert "set it" in seen(table)
    table.go_on()
    table.deal()
    table.finish()


def test_6_3_a_notice_stands_for_20_minutes_whatever_the_wall_clock_shows(
    table: Running, clock: WallClock
) -> None:
    table.watch.request(ask={"do": "notice", "minimum": 2500}, by="casino-supervisor")
    for offset in (HOUR, -HOUR, 3 * DAY):
        clock.set(offset)
        told(table)
        refused = table.watch.request(
            ask={"do": "limits", "minimum": 2500, "maximum": 50_000}, by="casino-supervisor"
        )
        assert (refused["accepted"], refused["rule"]) == (False, "6.3")
        assert "20 more" in refused["why"]
    table.kill()
    clock.set(7 * DAY)
    table.start()

    eventually(
        lambda: table.watch.look()["house"]["notice"] == {"minimum": 2500, "minutes_left": 20},
        "the notice has 20 minutes left",
    )
