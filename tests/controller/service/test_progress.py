"""Waiting is in order, a slow disk is slow, and deciding for seconds is being stuck."""

from typing import Any

import pytest

from controller.eventlog import Entry, MemoryLog, Row, canonical
from controller.service.progress import DECIDED_WITHIN, Followed, Progress

AT = "2026-05-09T07:35:25.123456Z"
EVENT = Entry(round=1, kind="stopped", body=canonical({}))


class Clock:
    """A clock that is set by hand, in seconds."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def progress(clock: Clock) -> Progress:
    return Progress(clock)


def test_waiting_for_work_is_in_order_for_ever(progress: Progress, clock: Clock) -> None:
    progress.deciding()
    progress.waiting()
    clock.now += 1e6

    assert not progress.is_stuck
    assert progress.recording_for == 0


def test_deciding_for_long_is_being_stuck_until_it_ends(progress: Progress, clock: Clock) -> None:
    progress.deciding()
    clock.now += DECIDED_WITHIN
    assert not progress.is_stuck
    clock.now += 0.1
    assert progress.is_stuck

    progress.recording()
    assert not progress.is_stuck


class SlowLog(MemoryLog):
    """A log on a disk that takes its time."""

    def __init__(self, clock: Clock, progress: Progress) -> None:
        super().__init__()
        self.clock, self.progress = clock, progress
        self.seen: list[tuple[bool, float]] = []

    def append(self, *arguments: Any, **more: Any) -> tuple[Row, ...]:
        for seconds in (0.0, 2.0, 3600.0):
            self.clock.now += seconds
            self.seen.append((self.progress.is_stuck, self.progress.recording_for))
        return super().append(*arguments, **more)


def test_a_disk_that_takes_its_time_is_slow_and_never_stuck(
    progress: Progress, clock: Clock
) -> None:
    log = SlowLog(clock, progress)
    progress.deciding()
    (row,) = Followed(log, progress).append(AT, EVENT)

    assert row.seq == 1
    assert [stuck for stuck, _ in log.seen] == [False] * 3
    assert [seconds for _, seconds in log.seen] == [0.0, 2.0, 3602.0]
    assert progress.recording_for == 0


def test_a_disk_that_refuses_leaves_nobody_waiting(progress: Progress, clock: Clock) -> None:
    log = MemoryLog()
    log.close()
    with pytest.raises(ValueError, match="closed"):
        Followed(log, progress).append(AT, EVENT)
    clock.now += 3600

    assert progress.recording_for == 0
