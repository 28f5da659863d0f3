"""What can be read of one day's file, whoever has it open."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from typing import Any

from controller.eventlog import schema
from controller.eventlog.chain import GENESIS, START, Head, fits
from controller.eventlog.checkpoints import DAY_CLOSED, Checkpoint
from controller.eventlog.errors import LogAltered
from controller.eventlog.files import DayFile
from controller.eventlog.header import Header, read_header
from controller.eventlog.row import Row

TAIL = 64
"""Rows at the end whose hashes are checked on opening, at least; `verify` checks them all."""


class DayRows(ABC):
    """The rows and checkpoints of one day."""

    def __init__(self, file: DayFile) -> None:
        self.file = file

    @abstractmethod
    def fetch(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """Run a query and return all its records.

        Raises:
            EventLogError: the file is damaged, or can't be read now.

        """

    @abstractmethod
    def close(self) -> None:
        """Close the file."""

    @property
    def head(self) -> Head:
        """The last row's sequence and hash, now; ``START`` without rows."""
        return schema.head(self.fetch)

    @property
    def first(self) -> int | None:
        """The first row's sequence, None without rows."""
        seq: int | None = self.fetch("SELECT min(seq) FROM event")[0][0]
        return seq

    def rows(self, since: int, last: int) -> Iterator[Row]:
        """Yield the rows with ``since < seq <= last`` in order."""
        return schema.rows_between(self.fetch, self.file.path, since, last)

    def last_of(self, kind: str) -> Row | None:
        """Return the latest row of a kind, found by index."""
        query = f"{schema.SELECT} WHERE kind = ? ORDER BY seq DESC LIMIT 1"
        found = self.fetch(query, (kind,))
        return schema.to_row(found[0], self.file.path) if found else None

    def of_kinds(self, kinds: Collection[str]) -> Iterator[Row]:
        """Yield the rows of some kinds in order, found by index."""
        marks = ", ".join("?" * len(kinds))
        query = f"{schema.SELECT} WHERE kind IN ({marks}) ORDER BY seq"
        for record in self.fetch(query, tuple(kinds)):
            yield schema.to_row(record, self.file.path)

    def hash_at(self, seq: int) -> str | None:
        """Return the hash of a row."""
        found = self.fetch("SELECT hash FROM event WHERE seq = ?", (seq,))
        return found[0][0] if found else None

    def header(self) -> Header | None:
        """Return what the day's first row says, None if it is no such row."""
        found = self.fetch("SELECT kind, body FROM event ORDER BY seq LIMIT 1")
        return read_header(*found[0]) if found else None

    def is_over(self) -> bool:
        """Tell whether its last row closes the day."""
        found = self.fetch("SELECT kind FROM event ORDER BY seq DESC LIMIT 1")
        return bool(found) and found[0][0] == DAY_CLOSED

    def checkpoint(self) -> Checkpoint | None:
        """Return the last checkpoint, None if there is none."""
        if self.file.number == 0:
            return None
        query = "SELECT seq, before, signature FROM checkpoint ORDER BY seq DESC LIMIT 1"
        found = self.fetch(query)
        if not found:
            return None
        seq, before, signature = found[0]
        return Checkpoint(seq, self.hash_at(seq) or GENESIS, before, signature)

    def check_end(self, ended: Head, since: int) -> Head:
        """Return the head, once the last rows, at least those after ``since``, chain.

        ``ended`` is where the day before ended.

        Raises:
            LogAltered: they do not.

        """
        head, first = self.head, self.first
        if first is None:
            return ended
        if ended != START and first != ended.seq + 1:
            raise LogAltered(self.file.path, ended.seq + 1, "row missing")
        before = max(min(head.seq - TAIL, since), first - 1)
        previous = ended.hash if before < first else self.hash_at(before)
        expected = before
        for row in self.rows(before, head.seq):
            expected += 1
            if previous is None or row.seq != expected:
                raise LogAltered(self.file.path, expected, "row missing")
            if not fits(previous, row):
                what = "the row does not fit its hash and the row before it"
                raise LogAltered(self.file.path, row.seq, what)
            previous = row.hash
        return head
