"""How fast the log grows, by what lies on the disk and how long it took to get there."""

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from controller.eventlog import LogReader, Row

LEAST: Final = timedelta(days=1)
"""What a log must span before anything can be said of its growth."""


def times_of(state: Path) -> tuple[datetime, datetime] | None:
    """Return the times of a log's first and last row, None if it has none.

    Raises:
        EventLogError: there is no log, or it cannot be read.
    """
    with contextlib.closing(LogReader.open(state)) as reader:
        last = reader.head.seq
        first = _first(reader.rows())
        newest = _first(reader.rows(since=last - 1)) if last else None
    if first is None or newest is None:
        return None
    return _time(first), _time(newest)


def size_of(log: Path) -> int:
    """Return the bytes that the log's files take."""
    return sum(file.stat().st_size for file in log.iterdir() if file.is_file())


def bytes_a_day(size: int, first: datetime, last: datetime) -> float | None:
    """Return the growth, None if the log is too young to tell."""
    span = last - first
    return size / (span / timedelta(days=1)) if span >= LEAST else None


def _first(rows: Iterator[Row]) -> Row | None:
    return next(rows, None)


def _time(row: Row) -> datetime:
    try:
        return datetime.fromisoformat(row.at).astimezone(UTC)
    except OverflowError:  # one that is none in this zone
        raise ValueError(f"event {row.seq}: {row.at!r} is no time") from None
