"""What the owner of the inbox is doing, and since when: is it well, slow or stuck?

Waiting for work and waiting for the disk are both in order, however long they last: a slow disk
is shown as slow.  Deciding is plain computing; an event that is decided for seconds never ends.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import Any, Final

from controller.eventlog.chain import Head
from controller.eventlog.log import Log
from controller.eventlog.row import Entry, Row

DECIDED_WITHIN: Final = 2.0
"""Seconds that deciding may take on a busy machine; it needs a few thousandths of one."""


class _Doing(Enum):
    WAITING = auto()
    DECIDING = auto()
    RECORDING = auto()


class Progress:
    """Told by the owner, asked by whoever watches it; may be used from any thread."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Take the clock, in seconds."""
        self._clock = now
        self._now = (_Doing.WAITING, now())  # one value, so that no thread sees half of it

    def waiting(self) -> None:
        """Tell that there is nothing to do."""
        self._now = (_Doing.WAITING, self._clock())

    def deciding(self) -> None:
        """Tell that an event is being decided."""
        self._now = (_Doing.DECIDING, self._clock())

    def recording(self) -> None:
        """Tell that an event is on its way to the disk."""
        self._now = (_Doing.RECORDING, self._clock())

    @property
    def is_stuck(self) -> bool:
        """Whether an event has been decided for so long that it never will be."""
        doing, since = self._now
        return doing is _Doing.DECIDING and self._clock() - since > DECIDED_WITHIN

    @property
    def recording_for(self) -> float:
        """For how many seconds the disk has kept an event waiting; 0 if none waits."""
        doing, since = self._now
        return self._clock() - since if doing is _Doing.RECORDING else 0.0


class Followed:
    """A log whose writing is told to ``progress``."""

    def __init__(self, log: Log, progress: Progress) -> None:
        self._log = log
        self._progress = progress

    @property
    def head(self) -> Head:
        """The last row's sequence and hash."""
        return self._log.head

    def rows(self, since: int = 0, *, until: int | None = None) -> Iterator[Row]:
        """Yield rows, as the log does."""
        return self._log.rows(since, until=until)

    def last_of(self, kind: str) -> Row | None:
        """Return the latest row of a kind."""
        return self._log.last_of(kind)

    def of_kinds(self, kinds: Collection[str], *, all_days: bool = False) -> Iterator[Row]:
        """Yield the rows of some kinds."""
        return self._log.of_kinds(kinds, all_days=all_days)

    @property
    def is_over(self) -> bool:
        """Whether the last day was closed."""
        return self._log.is_over

    def begin_day(self, at: str, body: Mapping[str, Any]) -> Row:
        """Close the day and begin the next, as the log does; however long that takes."""
        self._progress.recording()
        try:
            return self._log.begin_day(at, body)
        finally:
            self._progress.waiting()

    def append(
        self, at: str, event: Entry, outcomes: Sequence[Entry] = (), cause: int | None = None
    ) -> tuple[Row, ...]:
        """Record an event and its outcomes, as the log does; however long that takes."""
        self._progress.recording()
        try:
            return self._log.append(at, event, outcomes, cause)
        finally:
            self._progress.waiting()

    def close(self) -> None:
        """Close the log."""
        self._log.close()
