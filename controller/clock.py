"""The two clocks of a table: one for people, one for order."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

FIRST_YEAR: Final = 2026
"""The year of this version: a wall clock that shows an earlier one is wrong."""

LAST_YEAR: Final = 2261
"""The last year that the interpreter can tell whole: a clock that shows a later one is wrong."""

TOGETHER_MS: Final = 50
"""Both clocks were read at one time if no more than this passed between."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_NS: Final = 2**63 - 1
_LATEST: Final = datetime.max.replace(tzinfo=UTC)
_FORM: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


class Reading(NamedTuple):
    """Both clocks at one time, in milliseconds: since 1970, and since the machine started."""

    wall: int
    mono: int


def wall_now() -> datetime:
    """Return the wall clock, in UTC; one that shows what no program can tell shows the last."""
    return _EPOCH + timedelta(microseconds=_wall_ns() // 1000)


def utc_now() -> str:
    """Return the wall clock for people: UTC, to the microsecond, as the log writes it."""
    return wall_now().strftime(_FORM)


def _wall_ns() -> int:
    try:
        return time.time_ns()
    except OverflowError:
        return _LAST_NS


def mono_ms() -> int:
    """Return the milliseconds since the machine started; it never goes back or jumps."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000


def read_clocks() -> Reading:
    """Return both clocks at one time, however busy the machine is."""
    while True:
        before = mono_ms()
        wall = _wall_ns() // 1_000_000
        if mono_ms() - before <= TOGETHER_MS:
            return Reading(wall, before)


def utc_of(wall: int) -> str:
    """Return milliseconds since 1970 as the log writes times; no later than it can write.

    >>> utc_of(1_778_312_125_123)
    '2026-05-09T07:35:25.123000Z'
    """
    try:
        return (_EPOCH + timedelta(milliseconds=wall)).strftime(_FORM)
    except OverflowError:
        return _LATEST.strftime(_FORM)


def wall_of(at: str) -> int:
    """Return a time of the log as milliseconds since 1970.

    >>> wall_of("2026-05-09T07:35:25.123456Z")
    1778312125123
    """
    return (datetime.fromisoformat(at) - _EPOCH) // timedelta(milliseconds=1)


def boot_id() -> str:
    """Return what tells this start of the machine from every other; empty if it cannot."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""
