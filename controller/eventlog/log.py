"""What every log can do, so that callers need not know where the rows are kept."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

from controller.eventlog.chain import Head
from controller.eventlog.row import Entry, Row


class Readable(Protocol):
    """A log that can be read."""

    @property
    def head(self) -> Head:
        """The last row's sequence and hash; ``START`` for a log without rows."""

    def rows(self, since: int = 0, *, until: int | None = None) -> Iterator[Row]:
        """Yield the rows with ``since < seq <= until``, in order.

        Rows added after the call are not among them; ask again from the last one seen.
        """

    def close(self) -> None:
        """Let go of everything held.  Closing twice does no harm; any other use is a bug."""


class ByKind(Readable, Protocol):
    """A log whose rows are found by their kind."""

    def last_of(self, kind: str) -> Row | None:
        """Return the latest row of a kind in the day that was begun last, found by index."""

    def of_kinds(self, kinds: Collection[str], *, all_days: bool = False) -> Iterator[Row]:
        """Yield the rows of some kinds in the day that was begun last, in order, found by index.

        With ``all_days`` those of every day whose file is here.
        """


class Log(ByKind, Protocol):
    """A log that can be added to, by one caller at a time."""

    def append(
        self, at: str, event: Entry, outcomes: Sequence[Entry] = (), cause: int | None = None
    ) -> tuple[Row, ...]:
        """Record an event and what it led to, all or nothing, and return the rows.

        The event's cause is the one given, an outcome's cause is the event.

        Raises:
            LogWriteFailed: nothing is recorded, so nothing may be shown, sent or paid.
            ValueError: the time or the cause can't be right, or the log is closed.

        """

    @property
    def is_over(self) -> bool:
        """Tell whether the last day was closed: nothing can be added before the next is begun."""

    def begin_day(self, at: str, body: Mapping[str, Any]) -> Row:
        """Close the day and begin the next, with a row that says ``body`` and what the log adds.

        Raises:
            DayInUse: somebody reads the day's file; call again a little later.
            LogWriteFailed: the disk did not take all of it; call again.

        """
