"""Times as an auditor writes them, in the table PC's own time zone, and as a log writes them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from controller.clock import wall_now
from controller.errors import UsageError

ALLOWED: Final = 'a day (2026-11-30), a day and a time ("2026-11-30 14:05"), today or yesterday'

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT: Final = re.compile(
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)?"
)
_FROM_TODAY: Final = {"today": 0, "yesterday": -1}


class Span(NamedTuple):
    """From when until when, both as the log writes times (so that text compares as time does)."""

    since: str = ""
    until: str = "~"
    """Sorts after every time."""

    def holds(self, at: str) -> bool:
        """Tell whether a time of the log lies in it."""
        return self.since <= at <= self.until

    def meets(self, first: str, last: str) -> bool:
        """Tell whether something that went on from ``first`` to ``last`` was going on in it."""
        return first <= self.until and last >= self.since


def span(since: str | None, until: str | None, now: datetime | None = None) -> Span:
    """Return what lies between two times; a day as ``until`` is meant to its end.

    ``now`` says which day today is; the wall clock does if it is not given.

    Raises:
        UsageError: one of them is no time, or they are in the wrong order; says what is allowed.
    """
    today = now or wall_now()
    found = Span()
    if since is not None:
        found = found._replace(since=_logged(_begin("--since", since, today)))
    if until is not None:
        end = _begin("--until", until, today)
        if _is_day(until):
            end = _end_of(end)
        found = found._replace(until=_logged(end))
    if found.since > found.until:
        raise UsageError(f"--since {since} is after --until {until}")
    return found


def local(at: str) -> datetime | None:
    """Return a time of the log in local time; None if it is none, as in an altered log."""
    try:
        return datetime.fromisoformat(at).astimezone()
    except (ValueError, OverflowError):
        return None


def clock(at: str) -> str:
    """Return the local time of day of a time of the log, ``14:05:10``."""
    here = local(at)
    return here.strftime("%H:%M:%S") if here else "??:??:??"


def date_and_clock(at: str) -> str:
    """Return the local day and time of a time of the log, ``2026-11-30 14:05:10``."""
    here = local(at)
    return here.strftime("%Y-%m-%d %H:%M:%S") if here else "????-??-?? ??:??:??"


def _is_day(text: str) -> bool:
    return text in _FROM_TODAY or _DAY.fullmatch(text) is not None


def _begin(option: str, text: str, now: datetime) -> datetime:
    """Return the moment, or the first one of the day."""
    try:
        if text in _FROM_TODAY:
            day = now.astimezone() + timedelta(days=_FROM_TODAY[text])
            return _midnight(day)
        if _is_day(text) or _MOMENT.fullmatch(text):
            return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        pass  # 2026-11-31
    raise UsageError(f"{option} {text!r} is no time: write {ALLOWED}")


def _end_of(midnight: datetime) -> datetime:
    """Return the last moment of a local day, which may have 23 or 25 hours."""
    try:
        return _midnight(midnight + timedelta(days=1, hours=2)) - timedelta(microseconds=1)
    except OverflowError:  # after it there are no days
        return datetime.max.replace(tzinfo=UTC)


def _midnight(day: datetime) -> datetime:
    # Without a zone first: the day's own offset at midnight may be another than now.
    naive = day.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    return naive.astimezone()


def _logged(moment: datetime) -> str:
    # With four digits of the year, always: text is to compare as time does.
    plain = moment.astimezone(UTC).replace(tzinfo=None)
    return f"{plain.isoformat(timespec='microseconds')}Z"
