"""Reading rows and looking at each whether it follows from the one before it, as `verify` does."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from controller.eventlog.chain import GENESIS, Head, fits
from controller.eventlog.errors import EventLogError
from controller.eventlog.header import read_header
from controller.eventlog.read import LogReader
from controller.eventlog.row import Row

DOES_NOT_FOLLOW = (
    "it does not follow from the row before it: one of the two was changed, or its hash"
)


class CheckedRows:
    """A reader that tells of rows which do not follow; they are given all the same.

    Only what is read is looked at: of rows that are read from the middle of a log on, the first
    against the row before it. A row behind a gap has none.
    """

    def __init__(self, reader: LogReader, tell: Callable[[int, str], None]) -> None:
        """Take over a reader; ``tell`` is told the event and what is wrong, once."""
        self._reader = reader
        self._tell = tell
        self._told: set[int] = set()

    @property
    def reader(self) -> LogReader:
        """The log itself."""
        return self._reader

    @property
    def head(self) -> Head:
        """The last row's sequence and hash, now."""
        return self._reader.head

    @property
    def altered(self) -> bool:
        """Tell whether a row was read that does not follow."""
        return bool(self._told)

    def rows(self, since: int = 0, *, until: int | None = None) -> Iterator[Row]:
        """Yield the rows with ``since < seq <= until`` that are there at the call.

        Raises:
            LogAltered: while iterating, if a file is damaged.

        """
        return self._looked_at(
            Head(since, self._hash_at(since)), self._reader.rows(since, until=until)
        )

    def close(self) -> None:
        """Close the files."""
        self._reader.close()

    def _looked_at(self, before: Head, rows: Iterator[Row]) -> Iterator[Row]:
        for row in rows:
            if row.seq != before.seq + 1:
                before = _named_before(row)
            if before.hash and not fits(before.hash, row) and row.seq not in self._told:
                self._told.add(row.seq)
                self._tell(row.seq, DOES_NOT_FOLLOW)
            before = Head(row.seq, row.hash)
            yield row

    def _hash_at(self, seq: int) -> str:
        """Return the hash of a row, or nothing if it can't be read."""
        if seq == 0:
            return GENESIS
        with suppress(EventLogError):
            for day in reversed(self._reader.days()):
                if found := day.hash_at(seq):
                    return str(found)
        return ""


def _named_before(row: Row) -> Head:
    """Return where the day before ended, if the row opens a day that names it; else no hash."""
    header = read_header(row.kind, bytes(row.body).decode("utf-8", "replace"))
    before = header.previous.head if header and header.previous else None
    return before if before and before.seq == row.seq - 1 else Head(row.seq - 1, "")
