"""Decide, record, act: the one place where a table changes.

``take`` decides an event and records it.  When it returns, the event is durable, and only then
may anything be shown, sent or paid.  One caller at a time; it blocks for as long as a commit
takes, so a service calls it off its loop.
"""

from collections.abc import Callable
from typing import NamedTuple

from controller.eventlog.log import Log
from controller.eventlog.row import Row
from controller.events import AnyEvent
from controller.outcomes import Outcome, Refused, RoundOpened
from controller.table.decide import decide
from controller.table.record import entry
from controller.table.state import TableState


class Taken(NamedTuple):
    """An event that is on disk, and what came of it."""

    state: TableState
    outcomes: tuple[Outcome, ...]
    rows: tuple[Row, ...]

    @property
    def refused(self) -> Refused | None:
        """Why the request was refused, if it was."""
        return next((one for one in self.outcomes if isinstance(one, Refused)), None)


class Table:
    """A table with its log.  ``state`` is None until the first event, ``Started``."""

    def __init__(self, log: Log, now: Callable[[], str], state: TableState | None = None) -> None:
        self._log = log
        self._now = now
        self.state = state

    def take(self, event: AnyEvent) -> Taken:
        """Decide and record one event.

        Raises:
            LogWriteFailed: it could not be recorded; the table is as if it had not come, and
                the same event may be given again.
        """
        decision = decide(self.state, event)
        round_ = self.state.round if self.state else decision.state.round
        rows = self._log.append(
            self._now(),
            entry(round_, event),
            [
                entry(decision.state.round if isinstance(outcome, RoundOpened) else round_, outcome)
                for outcome in decision.outcomes
            ],
        )
        self.state = decision.state
        return Taken(decision.state, decision.outcomes, rows)
