"""What the first row of a day says of the log."""

import sqlite3

import msgspec

from controller.eventlog.checkpoints import DAY_OPENED


class Before(msgspec.Struct, frozen=True):
    """The file of the day before, as it was when it was sealed."""

    file: str
    sha256: str
    seq: int
    hash: str


class Header(msgspec.Struct, frozen=True):
    """What a first row says; it says more, which is for people and for the table."""

    day: int
    key: str
    previous: Before | None = None


def header_of(db: sqlite3.Connection) -> Header | None:
    """Return what a day's first row says, None if it is no such row."""
    found = db.execute("SELECT kind, body FROM event ORDER BY seq LIMIT 1").fetchone()
    if found is None or found[0] != DAY_OPENED:
        return None
    try:
        return msgspec.json.decode(found[1], type=Header)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
