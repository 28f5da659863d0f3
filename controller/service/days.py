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
import structlog

from controller.clock import boot_id, wall_now
from controller.eventlog.chain import Head
from controller.eventlog.checkpoints import DAY_OPENED
from controller.eventlog.log import Log
from controller.eventlog.row import Row
from controller.eventlog.schema import FORMAT
from controller.eventlog.writtendown import line_to_write_down
from controller.outcomes import Dealt
from controller.service.carried import Carried
from controller.settings import TableSettings
from controller.table.decide import DECIDER
from controller.table.owner import Taken
from controller.table.state import TableState, is_between_rounds

BACK: Final = timedelta(days=1)
"""A clock that was set back by less than this begins no day: it would be the same one again."""

log = structlog.get_logger()


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
        self._number, self._day = _day_of(log)
        self.carried = Carried(log)
        """What the log knows of the folders beside it."""
        self.write_down = ""
        """How far the log had come when the day began while the table runs; empty after a card."""

    def is_due(self, state: TableState | None) -> bool:
        """Tell whether a day must be begun now: never in a round, nor where there is no room."""
        if self._day is None:
            return True
        if state is not None and (not is_between_rounds(state) or state.no_room):
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
            **self.carried.as_plain(),
        }

    def begun(self, row: Row) -> None:
        """Take note that a day has begun with this row, and tell the line that is worth keeping."""
        self._number, self._day = _told_by(row)
        self.write_down = self.line_at(row)
        log.info("a gaming day begins", write_down=self.write_down)

    def line_at(self, row: Row) -> str:
        """Return the line to write down of a log that ends with this row of the day."""
        date_ = self._day.isoformat() if self._day else ""
        head = Head(row.seq, row.hash)
        return line_to_write_down(head, self._settings.name, self._number, date_)

    def recorded(self, taken: Taken) -> None:
        """Take note of what is on disk: once cards are dealt, dealers look at other things."""
        self.carried.recorded(taken.rows)
        if any(isinstance(one, Dealt) for one in taken.outcomes):
            self.write_down = ""


def _day_of(log: Log) -> tuple[int, date | None]:
    """Return the day that the log is in, None if none was begun or it is over."""
    row = log.last_of(DAY_OPENED)
    return (0, None) if row is None or log.is_over else _told_by(row)


def _told_by(row: Row) -> tuple[int, date]:
    """Return a day's number and date, as its first row says them."""
    header = msgspec.json.decode(row.body)
    return header.get("day", 0), date.fromisoformat(header["date"])


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
