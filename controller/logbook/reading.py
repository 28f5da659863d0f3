"""Rows of a log, also of one that is damaged: what can't be read is told where it should be.

Whoever looks into an altered log needs what is left of it.  Whether what is left is as it was
recorded is another question, which `controller.eventlog.verify` answers.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from controller.eventlog import EventLogError, Readable, Row

EACH: Final = 512
"""So many events after one that can't be read are tried one by one, then in growing steps."""


class Gap(NamedTuple):
    """Events that can't be read; ``last`` is None where nobody can tell how many."""

    first: int
    last: int | None
    what: str

    def words(self) -> str:
        """Return the line that nobody should overlook."""
        if self.last is None:
            events = f"all events from {self.first} on"
        elif self.last == self.first:
            events = f"event {self.first}"
        else:
            events = f"events {self.first} to {self.last}"
        return f"!!! THE LOG WAS ALTERED OR DAMAGED: {events}: {self.what} !!!"


def rows_and_gaps(
    reader: Readable, since: int = 0, until: int | None = None
) -> Iterator[Row | Gap]:
    """Yield the rows with ``since < seq <= until`` that are there now, and what lacks between.

    It keeps a few hundred rows in memory at most.
    """
    try:
        last = reader.head.seq
    except EventLogError as fault:
        yield Gap(since + 1, None, what_of(fault))
        return
    last = last if until is None else min(until, last)
    while since < last:
        try:
            for row in reader.rows(since, until=last):
                if row.seq > since + 1:
                    yield Gap(since + 1, row.seq - 1, "they are missing")
                yield row
                since = row.seq
        except EventLogError as fault:
            for item in _past(reader, since, last, what_of(fault)):
                yield item
                since = item.seq if isinstance(item, Row) else (item.last or last)
        else:
            if since < last:
                yield Gap(since + 1, last, "they are missing")
            return


def what_of(fault: EventLogError) -> str:
    """Return what is wrong, without the path and what to do about it."""
    return str(getattr(fault, "what", fault))


def one(reader: Readable, seq: int) -> Row | None:
    """Return the row, or None if it is missing or can't be read."""
    try:
        return next(reader.rows(seq - 1, until=seq), None)
    except EventLogError:
        return None


def _past(reader: Readable, since: int, last: int, what: str) -> Iterator[Row | Gap]:
    """Yield the rows that come before what can't be read, and the gap."""
    bad = since + 1
    while bad <= last and (row := one(reader, bad)) is not None:
        yield row
        bad += 1
    if bad <= last:
        yield Gap(bad, _next_good(reader, bad, last) - 1, what)


def _next_good(reader: Readable, bad: int, last: int) -> int:
    """Return the first row after a bad one that can be read, or the number after the last."""
    step, probe = 1, bad + 1
    while probe <= last and one(reader, probe) is None:
        if probe - bad > EACH:
            step *= 2
        bad_until, probe = probe, probe + step
    if step == 1:
        return min(probe, last + 1)
    low, high = bad_until, min(probe, last + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if one(reader, middle) is None:
            low = middle
        else:
            high = middle
    return high
