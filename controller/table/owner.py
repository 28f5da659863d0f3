"""Decide, record, act: the one place where a table changes.

``take`` decides an event and records it.  When it returns, the event is durable, and only then
may anything be shown, sent or paid.  One caller at a time; it blocks for as long as a commit
takes, so a service calls it off its loop.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from controller.eventlog.log import Log
from controller.eventlog.row import Row
from controller.events import AnyEvent
from controller.outcomes import Outcome, Refused, RoundOpened, StateKept
from controller.table.attendance import clocked
from controller.table.decide import decide
from controller.table.decision import Decision
from controller.table.record import entry
from controller.table.state import TableState

KEEP_STATE_AFTER: Final = 1000
"""Rows after which the table's state is recorded again: a start reads no more than these."""


class Taken(NamedTuple):
    """An event that is on disk, and what came of it."""

    state: TableState
    outcomes: tuple[Outcome, ...]
    rows: tuple[Row, ...]

    @property
    def refused(self) -> Refused | None:
        """Why the request was refused, if it was."""
        return next((one for one in self.outcomes if isinstance(one, Refused)), None)


class Unrecorded(NamedTuple):
    """A request that changed nothing and has no row."""

    seq: int
    """The last row of the log."""
    refused: Refused | None
    """Why it was refused; None if it meant nothing at all."""


class Table:
    """A table with its log.  ``state`` is None until the first event, ``Started``."""

    def __init__(self, log: Log, now: Callable[[], str], state: TableState | None = None) -> None:
        self._log = log
        self._now = now
        self.state = state
        self._since_state = 0

    def take(self, event: AnyEvent) -> Taken:
        """Decide and record one event.

        Raises:
            LogWriteFailed: it could not be recorded; the table is as if it had not come, and
                the same event may be given again.
        """
        return self._record(event, decide(self.state, event))

    def take_if_it_counts(self, event: AnyEvent) -> Taken | Unrecorded:
        """Decide an event and record it, unless it is refused and changes nothing.

        Raises:
            LogWriteFailed: as `take`.
        """
        decision = decide(self.state, event)
        if self.state is None or not is_mere_refusal(decision.outcomes):
            return self._record(event, decision)
        if decision.state != clocked(self.state, event):  # as a box that was keyed and is no more
            return self._record(event, decision)
        refused = next((one for one in decision.outcomes if isinstance(one, Refused)), None)
        return Unrecorded(self._log.head.seq, refused)

    def _record(self, event: AnyEvent, decision: Decision) -> Taken:
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
        carries = any(isinstance(one, RoundOpened | StateKept) for one in decision.outcomes)
        self._since_state = 0 if carries else self._since_state + len(rows)
        return Taken(decision.state, decision.outcomes, rows)

    @property
    def state_is_due(self) -> bool:
        """Tell whether so much was recorded since the state was that it should be again."""
        return self._since_state >= KEEP_STATE_AFTER

    def begin_day(self, header: Mapping[str, Any]) -> Row:
        """Begin a gaming day: its first row says ``header`` and carries the table's state.

        Raises:
            LogWriteFailed: the disk did not take all of it; call again.
        """
        carried = {**header, "state": msgspec.to_builtins(self.state, str_keys=True)}
        self._since_state = 0
        return self._log.begin_day(self._now(), carried)


def is_mere_refusal(outcomes: Sequence[Outcome]) -> bool:
    """Tell whether an event came to nothing but a refusal, or to nothing at all."""
    return all(isinstance(one, Refused) for one in outcomes)
