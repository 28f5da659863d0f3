"""A log that lives as long as its object: for throw-away tables and scripts by the thousand."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from controller.eventlog.chain import START, Head, head_of, link
from controller.eventlog.checkpoints import DAY_OPENED
from controller.eventlog.row import Entry, Row, canonical


class MemoryLog:
    """Rows in a list, chained as on disk; see ``log.Log``."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._last: dict[str, Row] = {}
        self._head = START
        self._closed = False

    @property
    def head(self) -> Head:
        """The last row's sequence and hash."""
        self._must_be_open()
        return self._head

    def append(
        self, at: str, event: Entry, outcomes: Sequence[Entry] = (), cause: int | None = None
    ) -> tuple[Row, ...]:
        """Record an event and its outcomes.

        Raises:
            ValueError: the time or the cause can't be right, or the log is closed.

        """
        self._must_be_open()
        rows = link(self._head, at, event, outcomes, cause)
        self._rows.extend(rows)
        self._last.update((row.kind, row) for row in rows)
        self._head = head_of(rows)
        return rows

    @property
    def is_over(self) -> bool:
        """Tell whether the last day was closed, which here never is."""
        return False

    def begin_day(self, at: str, body: Mapping[str, Any]) -> Row:
        """Record that a day begins; there is no file to be sealed and no key."""
        (row,) = self.append(at, Entry(0, DAY_OPENED, canonical(body)))
        return row

    def rows(self, since: int = 0, *, until: int | None = None) -> Iterator[Row]:
        """Yield the rows with ``since < seq <= until`` that are there at the call."""
        self._must_be_open()
        last = len(self._rows) if until is None else min(until, len(self._rows))
        first = max(since, 0)
        return iter(self._rows[first : max(first, last)])

    def last_of(self, kind: str) -> Row | None:
        """Return the latest row of a kind."""
        self._must_be_open()
        return self._last.get(kind)

    def of_kinds(self, kinds: Collection[str], *, all_days: bool = False) -> Iterator[Row]:
        """Yield the rows of some kinds, in order."""
        self._must_be_open()
        return iter([row for row in self._rows if row.kind in kinds])

    def close(self) -> None:
        """Forget the rows."""
        self._closed = True
        self._rows = []
        self._last = {}

    def _must_be_open(self) -> None:
        if self._closed:
            raise ValueError("this log is closed")
