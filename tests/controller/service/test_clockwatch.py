"""The wall clock held against the machine's: steps, drift, and what a start can know."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from controller.clock import Reading, utc_of, wall_of
from controller.eventlog.memory import MemoryLog
from controller.events import ClockStepped, Event, SelfTested
from controller.service.clockwatch import (
    DRIFT_PPM,
    HOUR_MS,
    LOOK_EVERY,
    STEP_MS,
    ClockWatch,
    at_start,
)
from controller.table.record import entry
from tests.controller.table.tale import PONTOON, started

LOOK_MS = int(LOOK_EVERY * 1000)
NOON = wall_of("2026-11-30T12:00:00.000000Z")
FIRST = Reading(NOON, 5_000)
BOOT = "this start"


def later(reading: Reading, passed: int, *, moved: int = 0) -> Reading:
    """Return both clocks after some time, in which the wall clock was moved as well."""
    return Reading(reading.wall + passed + moved, reading.mono + passed)


def watched(*moves: int, every: int = LOOK_MS) -> list[ClockStepped]:
    """Return what a watch tells when the wall clock is moved by so much before each look."""
    now = FIRST
    watch = ClockWatch(now, latest=NOON)
    told = []
    for moved in moves:
        now = later(now, every, moved=moved)
        told.append(watch.look(now))
    return [one for one in told if one is not None]


# --- while it runs --------------------------------------------------------------------------------


def test_a_clock_that_goes_on_as_it_should_is_no_event() -> None:
    assert watched(*[0] * 5000) == []


def test_a_step_is_told_once_with_what_the_clock_would_have_shown() -> None:
    (step,) = watched(0, 0, -HOUR_MS, 0, 0)

    assert (step.by, step.within) == (-HOUR_MS, LOOK_MS)
    assert step.before == "2026-11-30T12:00:06.000000Z"
    assert step.after == "2026-11-30T11:00:06.000000Z"
    assert step.behind == HOUR_MS - 3 * LOOK_MS, "behind noon, the latest time recorded"


@given(st.integers(-STEP_MS + 1, STEP_MS - 1))
def test_what_a_clock_is_steered_by_is_no_step(moved: int) -> None:
    assert watched(moved) == []


@given(st.integers(STEP_MS, 10**11), st.sampled_from([1, -1]))
def test_any_larger_step_is_told_exactly(size: int, way: int) -> None:
    if NOON + size * way > 0:
        (step,) = watched(size * way)
        assert step.by == size * way
        assert wall_of(step.after) - wall_of(step.before) == size * way


def test_a_clock_that_runs_too_fast_is_told_after_an_hour() -> None:
    looks = HOUR_MS // LOOK_MS
    bearable, too_much = DRIFT_PPM * LOOK_MS // 1_000_000, DRIFT_PPM * LOOK_MS // 1_000_000 + 1

    assert watched(*[bearable] * looks * 2) == []
    (one, other) = watched(*[too_much] * looks * 2)
    assert one.within == other.within == HOUR_MS
    assert one.by == looks * too_much


def test_many_small_steps_come_out_as_drift() -> None:
    looks = HOUR_MS // LOOK_MS
    (drift,) = watched(*[-STEP_MS + 1, 0, -STEP_MS + 1, *[0] * looks])

    assert drift.by == -2 * (STEP_MS - 1)
    assert drift.within == HOUR_MS


def test_a_step_is_not_told_again_as_drift() -> None:
    assert len(watched(0, HOUR_MS, *[0] * (3 * HOUR_MS // LOOK_MS))) == 1


def test_a_machine_that_slept_has_both_clocks_go_on() -> None:
    assert watched(0, 0, every=8 * HOUR_MS) == []


def test_a_second_step_back_is_held_against_what_was_recorded_since_the_first() -> None:
    watch = ClockWatch(FIRST, latest=NOON)
    back = later(FIRST, 2000, moved=-HOUR_MS)
    first = watch.look(back)
    watch.recorded(utc_of(back.wall + 500))
    second = watch.look(later(back, 1000, moved=-10_000))

    assert first is not None
    assert second is not None
    assert (first.behind, second.behind) == (HOUR_MS - 2000, 9500)


def test_rows_that_were_recorded_after_a_step_back_do_not_hide_it() -> None:
    watch = ClockWatch(FIRST, latest=NOON)
    stepped = later(FIRST, 1000, moved=-HOUR_MS)
    watch.recorded(utc_of(stepped.wall))
    step = watch.look(later(stepped, 1000))

    assert step is not None
    assert step.behind == HOUR_MS - 2000


# --- at a start -----------------------------------------------------------------------------------


def log_of(*events: tuple[Reading, Event]) -> MemoryLog:
    """Return a log in which the events were recorded when the clocks were so."""
    log = MemoryLog()
    for when, event in events:
        log.append(utc_of(when.wall), entry(1, event))
    return log


def opened(when: Reading, boot: str = BOOT) -> list[tuple[Reading, Event]]:
    """Return what every run records first."""
    start = started(PONTOON)
    return [
        (when, msgspec.structs.replace(start, boot=boot, mono=when.mono)),
        (when, SelfTested(checks=(), after=utc_of(when.wall), at=when.mono, mono=when.mono)),
    ]


def test_a_new_log_tells_nothing() -> None:
    assert at_start(MemoryLog(), FIRST, BOOT) is None


def test_a_clock_that_was_set_meanwhile_is_told_exactly_in_the_same_start_of_the_machine() -> None:
    now = later(FIRST, 600_000, moved=-HOUR_MS)
    step = at_start(log_of(*opened(FIRST)), now, BOOT)

    assert step is not None
    assert (step.by, step.within) == (-HOUR_MS, 600_000)
    assert step.behind == HOUR_MS - 600_000


def test_a_step_that_is_recorded_is_not_told_again_at_the_next_start() -> None:
    after = later(FIRST, 2000, moved=-HOUR_MS)
    watch = ClockWatch(FIRST, latest=NOON)
    step = watch.look(after)
    assert step is not None
    log = log_of(*opened(FIRST), (after, step))

    assert at_start(log, later(after, 60_000), BOOT) is None


def test_a_disk_that_took_an_hour_to_record_the_clocks_is_no_step_of_them() -> None:
    start, tested = opened(FIRST)
    late = later(FIRST, HOUR_MS)
    taken_late = msgspec.structs.replace(tested[1], mono=late.mono)
    log = log_of(start, (late, taken_late))

    assert at_start(log, later(late, 60_000), BOOT) is None


def test_ten_days_of_a_clock_that_is_steered_are_no_step() -> None:
    days = 240 * HOUR_MS
    now = later(FIRST, days, moved=days * (DRIFT_PPM - 1) // 1_000_000)

    assert at_start(log_of(*opened(FIRST)), now, BOOT) is None


def test_after_another_start_of_the_machine_only_a_clock_behind_the_log_is_told() -> None:
    log = log_of(*opened(FIRST))
    ahead = Reading(NOON + 90 * 24 * HOUR_MS, 20)
    behind = Reading(NOON - HOUR_MS, 20)

    assert at_start(log, ahead, "another start") is None
    assert at_start(log, ahead, "") is None
    step = at_start(log, behind, "another start")
    assert step is not None
    assert (step.by, step.within, step.behind) == (-HOUR_MS, 0, HOUR_MS)


def test_a_run_that_was_cut_off_before_its_self_test_tells_nothing_of_another_machine_start() -> (
    None
):
    start_only = opened(Reading(NOON + 1000, 100), "another start")[:1]
    log = log_of(*opened(FIRST), *start_only)

    assert at_start(log, Reading(NOON + HOUR_MS, 6000), "another start") is None


@given(st.lists(st.integers(-(10**9), 10**9), max_size=20))
def test_all_steps_together_are_where_the_clock_is_in_the_end(moves: list[int]) -> None:
    """What is told, and what is too small to be told, adds up: nothing is told twice."""
    told = sum(step.by for step in watched(*moves))
    silent = sum(move for move in moves if abs(move) < STEP_MS)

    assert told + silent == sum(moves)
