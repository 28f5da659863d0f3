"""The wall clock, held against the clock that counts from the machine's start.

Nothing here depends on the wall clock, but people read it in the log.  So a clock that was set,
or runs too fast or slow, is an event: whoever looks for what happened at nine can see that nine
came twice.

Held against each other are the two clocks at one look and at the next (a step), over an hour
(drift), and, at start, now and when the log last told both in its present day.  After another start
of the machine nobody knows how long it was off: only a clock that shows less than the log does is
told then.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import msgspec

from controller.clock import Reading, read_clocks, utc_of, wall_of
from controller.errors import SettingsError
from controller.eventlog.log import Log
from controller.eventlog.row import Row
from controller.events import ClockStepped, SelfTested
from controller.table.record import STARTED

LOOK_EVERY: Final = 2.0
"""Seconds between looks."""

STEP_MS: Final = 2000
"""By as much, from one look to the next, a clock was set and does not merely run unevenly."""

DRIFT_PPM: Final = 500
"""Millionths by which a wall clock may be off: as fast as the kernel lets it be slewed."""

HOUR_MS: Final = 3_600_000

_TELLING: Final = tuple(str(kind.__struct_config__.tag) for kind in (SelfTested, ClockStepped))
"""The kinds of row that tell both clocks."""


class ClockWatch:
    """The looks at both clocks; ``latest`` is the latest time in the log since the last step."""

    def __init__(
        self, now: Reading, latest: int, clocks: Callable[[], Reading] = read_clocks
    ) -> None:
        """Take how both clocks stand at first."""
        self._last = self._hour = now
        self._latest = latest
        self._clocks = clocks

    def recorded(self, at: str) -> None:
        """Note the time of a row that was recorded."""
        self._latest = max(self._latest, wall_of(at))

    def look(self, now: Reading) -> ClockStepped | None:
        """Return what happened to the wall clock since the last look, or over an hour."""
        last, self._last = self._last, now
        found = None
        if abs(_moved(last, now)) >= STEP_MS:
            found = stepped(last, now, self._latest)
        elif now.mono - self._hour.mono >= HOUR_MS:
            if is_drift(self._hour, now):
                found = stepped(self._hour, now, self._latest)
            self._hour = now
        if found is not None:
            self._hour = now
            self._latest = now.wall
        return found

    async def run(self, tell: Callable[[ClockStepped], None]) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            found = self.look(self._clocks())
            if found is not None:
                tell(found)


def stepped(before: Reading, now: Reading, latest: int) -> ClockStepped:
    """Return the event of a wall clock that is not where it would be had it gone on."""
    return ClockStepped(
        by=_moved(before, now),
        within=now.mono - before.mono,
        before=utc_of(now.wall - _moved(before, now)),
        after=utc_of(now.wall),
        at=now.mono,
        behind=max(0, latest - now.wall),
    )


def is_drift(before: Reading, now: Reading) -> bool:
    """Tell whether the wall clock ran further off than one that is steered can."""
    return abs(_moved(before, now)) * 1_000_000 > (now.mono - before.mono) * DRIFT_PPM


def at_start(log: Log, now: Reading, boot: str) -> ClockStepped | None:
    """Return what happened to the wall clock while no controller ran, as far as can be known.

    ``boot`` tells this start of the machine from every other (`controller.clock.boot_id`).
    """
    last = last_row(log)
    if last is None:
        return None
    latest = time_of(last)
    told = _told(log, boot)
    if told is not None:
        moved = abs(_moved(told, now))
        return stepped(told, now, latest) if moved >= STEP_MS and is_drift(told, now) else None
    if now.wall >= latest:
        return None
    return stepped(Reading(latest, now.mono), now, latest)


def last_row(log: Log) -> Row | None:
    """Return the last row of the log; None if it has none."""
    return next(log.rows(since=log.head.seq - 1), None) if log.head.seq else None


def time_of(row: Row) -> int:
    """Return when a row was recorded, in milliseconds since 1970.

    Raises:
        SettingsError: the row does not say; only somebody who altered the log can have written it.
    """
    return _time(row, row.at)


def _time(row: Row, at: str) -> int:
    try:
        return wall_of(at)
    except (ValueError, TypeError):  # TypeError: one without a zone
        what = f"event {row.seq} of the log has the time {at[:40]!r}, which is none"
        raise SettingsError(f"{what}: verify the log, and call a supervisor") from None


def _told(log: Log, boot: str) -> Reading | None:
    """Return both clocks as the last run told them; None if that was before the machine started."""
    started = log.last_of(STARTED)
    if started is None or not boot or msgspec.json.decode(started.body)["boot"] != boot:
        return None
    rows = [row for kind in _TELLING if (row := log.last_of(kind)) and row.seq > started.seq]
    if not rows:
        return None
    row = max(rows, key=lambda row: row.seq)
    body = msgspec.json.decode(row.body)
    return Reading(_time(row, body["after"]), body["at"])


def _moved(before: Reading, now: Reading) -> int:
    return (now.wall - before.wall) - (now.mono - before.mono)
