"""What the first row of a day says of the log."""

import sqlite3

import msgspec

from controller.eventlog.chain import Head
from controller.eventlog.checkpoints import DAY_OPENED
from controller.eventlog.files import DayFile, name_of
from controller.eventlog.row import UNREADABLE


class Before(msgspec.Struct, frozen=True):
    """The file of the day before, as it was when it was sealed."""

    file: str
    sha256: str
    seq: int
    hash: str

    @property
    def head(self) -> Head:
        """How far the log had come."""
        return Head(self.seq, self.hash)


class Header(msgspec.Struct, frozen=True):
    """What a first row says; it says more, which is for people and for the table."""

    day: int
    key: str
    previous: Before | None = None
    date: str | None = None

    def misnames(self, day: DayFile, before: DayFile | None) -> str | None:
        """Say what is wrong with the name of the file that begins so, or of the one before it."""
        if day.number != self.day:
            return f"{day.path.name}: its first row is that of day {self.day}"
        if self.date is not None and day.path.name != name_of(self.day, self.date):
            return f"{day.path.name}: its first row says that it is of {self.date}"
        if before and self.previous and before.path.name != self.previous.file:
            return f"{before.path.name}: the day after it says that it was {self.previous.file}"
        return None


def header_of(db: sqlite3.Connection) -> Header | None:
    """Return what a day's first row says, None if it is no such row."""
    found = db.execute("SELECT kind, body FROM event ORDER BY seq LIMIT 1").fetchone()
    return read_header(*found) if found else None


def read_header(kind: str, body: str) -> Header | None:
    """Return what a first row of this kind and body says, None if it opens no day."""
    if kind != DAY_OPENED:
        return None
    try:
        return msgspec.json.decode(body, type=Header)
    except (*UNREADABLE, UnicodeEncodeError):
        return None
