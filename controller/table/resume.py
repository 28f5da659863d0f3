"""Going on after a cut: the table as the log has it.

Only the last round is read: its opening row carries everything before it.  The events since are
decided again, and what comes out must be what was recorded.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

import msgspec

from controller.errors import OutcomesDiffer
from controller.eventlog.log import Log
from controller.eventlog.row import Row
from controller.table.decide import decide
from controller.table.record import EVENT_KINDS, OPENING, entry, event_of, state_of
from controller.table.state import TableState


class Recorded(NamedTuple):
    """One event of the log with the outcomes that were recorded with it."""

    event: Row
    outcomes: tuple[Row, ...]


def recorded(rows: Iterable[Row]) -> Iterator[Recorded]:
    """Put each event together with its outcomes, in order."""
    for _, group in groupby(rows, key=lambda row: row.cause or row.seq):
        event, *outcomes = group
        yield Recorded(event, tuple(outcomes))


def resume(log: Log) -> TableState | None:
    """Return the table as it was left, or None if the log is empty.

    Raises:
        OutcomesDiffer: an event is decided otherwise now; names it, and both outcomes.
    """
    opening = log.last_of(OPENING)
    if opening is None:
        return None
    try:
        state = state_of(bytes(opening.body))
    except msgspec.ValidationError as fault:
        raise OutcomesDiffer(
            f"event {opening.seq}: this version cannot read the table's state: {fault}"
        ) from fault
    for one in recorded(log.rows(since=opening.seq)):
        state = again(state, one)
    return state


def again(state: TableState, one: Recorded) -> TableState:
    """Decide a recorded event again and compare what comes out with what was recorded.

    Raises:
        OutcomesDiffer: they are not the same.
    """
    if one.event.kind not in EVENT_KINDS:
        raise OutcomesDiffer(f"event {one.event.seq}: {one.event.kind} has no event before it")
    try:
        event = event_of(one.event.kind, bytes(one.event.body))
    except msgspec.ValidationError as fault:
        raise OutcomesDiffer(
            f"event {one.event.seq}: this version cannot read it: {fault}"
        ) from fault
    decision = decide(state, event)
    now = [entry(0, outcome) for outcome in decision.outcomes]
    then = [(row.kind, bytes(row.body)) for row in one.outcomes]
    if [(made.kind, made.body) for made in now] != then:
        raise OutcomesDiffer(_difference(one, [(made.kind, made.body) for made in now], then))
    return decision.state


def _difference(one: Recorded, now: list[tuple[str, bytes]], then: list[tuple[str, bytes]]) -> str:
    said = [_words(outcome) for outcome in then if outcome not in now] or ["nothing more"]
    says = [_words(outcome) for outcome in now if outcome not in then] or ["nothing more"]
    return (
        f"event {one.event.seq} ({one.event.kind}) was decided otherwise: "
        f"the log holds {'; '.join(said)}, this version decides {'; '.join(says)}"
    )


def _words(outcome: tuple[str, bytes]) -> str:
    kind, body = outcome
    text = body.decode()
    return f"{kind} {text if len(text) < 200 else text[:200] + '...'}"
