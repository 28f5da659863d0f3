"""Gaming days: which one it is now, when the next begins, and what its first row says."""

import os
import platform
import pwd
import sqlite3
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from importlib.metadata import version
from typing import Any, Final

import msgspec

from controller.clock import boot_id, wall_now
from controller.eventlog.checkpoints import DAY_OPENED
from controller.eventlog.log import Log
from controller.eventlog.schema import FORMAT
from controller.settings import TableSettings
from controller.table.decide import DECIDER
from controller.table.state import TableState, is_between_rounds

BACK: Final = timedelta(days=1)
"""A clock that was set back by less than this begins no day: it would be the same one again."""


def gaming_day(now: datetime, starts: time) -> date:
    """Return the gaming day of a local time: until ``starts`` it is still the day before."""
    since_midnight = timedelta(hours=starts.hour, minutes=starts.minute)
    return (now.replace(tzinfo=None) - since_midnight).date()


def local_now() -> datetime:
    """Return the local wall clock."""
    return wall_now().astimezone()


class Days:
    """The gaming days of a table, for its owner."""

    def __init__(
        self, settings: TableSettings, log: Log, now: Callable[[], datetime] = local_now
    ) -> None:
        """Take up the day that the log is in."""
        self._settings = settings
        self._now = now
        self._day = _day_of(log)

    def is_due(self, state: TableState | None) -> bool:
        """Tell whether a day must be begun now: never in the middle of a round."""
        if self._day is None:
            return True
        if state is not None and not is_between_rounds(state):
            return False
        today = gaming_day(self._now(), self._settings.day_starts)
        return today > self._day or self._day - today > BACK

    def header(self) -> dict[str, Any]:
        """Return what the first row of the day that begins now says."""
        today = gaming_day(self._now(), self._settings.day_starts)
        return {
            "date": today.isoformat(),
            "day_starts": self._settings.day_starts.strftime("%H:%M"),
            "table": self._settings.name,
            "who": {"user": _user(), "machine": platform.node()},
            "versions": {
                "tablekeeper": version("tablekeeper"),
                "decider": DECIDER,
                "format": FORMAT,
                "python": platform.python_version(),
                "sqlite": sqlite3.sqlite_version,
            },
            "config": self._settings.digest,
            "boot": boot_id(),
        }

    def begun(self, header: dict[str, Any]) -> None:
        """Take note that the day with this header is on disk."""
        self._day = date.fromisoformat(header["date"])


def _day_of(log: Log) -> date | None:
    """Return the day that the log is in, None if none was begun or it is over."""
    row = log.last_of(DAY_OPENED)
    if row is None or log.is_over:
        return None
    return date.fromisoformat(msgspec.json.decode(row.body)["date"])


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
