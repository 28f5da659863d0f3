"""Going on after a cut: the table as the log has it.

Only the last round is read: its opening row carries everything before it, as does the first row
of a day and the state that is kept now and then.  The events since are decided again, and what
comes out must be what was recorded.
"""

import msgspec

from controller.errors import OutcomesDiffer
from controller.eventlog.log import Log
from controller.eventlog.row import Row
from controller.events import Recovered
from controller.table.decide import decide
from controller.table.record import CARRYING, EVENT_KINDS, LOGS_OWN, entry, event_of, state_of
from controller.table.recorded import Recorded, recorded
from controller.table.state import TableState


def resume(log: Log) -> TableState | None:
    """Return the table as it was left, or None if the log is empty.

    Raises:
        OutcomesDiffer: an event is decided otherwise now; names it, and both outcomes.
    """
    carrying = [row for row in map(log.last_of, CARRYING) if row is not None]
    if not carrying:
        return None
    last = max(carrying, key=lambda row: row.seq)
    state = carried(last)
    for one in recorded(log.rows(since=last.seq)):
        state = again(state, one)
    return state


def carried(row: Row) -> TableState | None:
    """Return the table's state that a row carries.

    Raises:
        OutcomesDiffer: this version cannot read it.
    """
    try:
        return state_of(bytes(row.body))
    except msgspec.ValidationError as fault:
        raise OutcomesDiffer(
            f"event {row.seq}: this version cannot read the table's state: {fault}"
        ) from fault


def again(state: TableState | None, one: Recorded) -> TableState | None:
    """Decide a recorded event again and compare what comes out with what was recorded.

    Raises:
        OutcomesDiffer: they are not the same.
    """
    if one.event.kind in LOGS_OWN:
        return state
    if one.event.kind not in EVENT_KINDS:
        raise OutcomesDiffer(f"event {one.event.seq}: {one.event.kind} has no event before it")
    try:
        event = event_of(one.event.kind, bytes(one.event.body))
        if isinstance(event, Recovered):
            state = msgspec.convert(event.state, TableState)
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
