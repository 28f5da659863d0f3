"""Going on after a cut: the table as the log has it.

Only the last round is read: its opening row carries everything before it, as does the first row
of a day and the state that is kept now and then.  The events since are decided again, and what
comes out must be what was recorded.  Of events that an older decider decided, before an upgrade,
only what the wagers came to must be the same.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from controller.errors import OutcomesDiffer
from controller.eventlog.log import Log
from controller.eventlog.row import Row
from controller.events import AnyEvent, Recovered
from controller.game.settlement import Settlement
from controller.outcomes import RoundOpened
from controller.table.decide import DECIDER, decide
from controller.table.decision import Wager
from controller.table.record import (
    CARRYING,
    EVENT_KINDS,
    LOGS_OWN,
    STARTED,
    entry,
    event_of,
    state_of,
)
from controller.table.recorded import Recorded, payments, recorded, settled
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
    state, wagers = carried(last), OldersWagers()
    decider = state.decider if state else DECIDER
    for one in recorded(log.rows(since=last.seq)):
        if one.event.kind == STARTED:
            _check_older(wagers, decider)
            decider, wagers = decider_of(one.event), OldersWagers()
        if decider == DECIDER or one.event.kind in LOGS_OWN:
            state = again(state, one)
        else:
            state, wagers = decided_by_older(state, wagers, one)
    _check_older(wagers, decider)
    return state


def decider_of(started: Row) -> int:
    """Return who decides from a row on by which a controller took the table."""
    number: int = msgspec.json.decode(started.body).get("decider", DECIDER)
    return number


# --- events that an older decider decided ---------------------------------------------------------


class OldersWagers(NamedTuple):
    """How the wagers of an older decider's round were settled, and how this one settles them."""

    recorded: Mapping[Wager, Settlement] = MappingProxyType({})
    settled: Mapping[Wager, Settlement] = MappingProxyType({})


def decided_by_older(
    state: TableState | None, wagers: OldersWagers, one: Recorded
) -> tuple[TableState, OldersWagers]:
    """Decide an event of an older decider anew; its rows are its own, its settlements count.

    Raises:
        OutcomesDiffer: this version cannot read it, or what was settled.
    """
    decision = decide(state, _event(one))
    outcomes = (each for each in decision.outcomes if not isinstance(each, RoundOpened))
    try:
        then = settled(wagers.recorded, payments(one.outcomes))
    except (msgspec.ValidationError, LookupError) as fault:
        raise OutcomesDiffer(
            f"event {one.event.seq}: this version cannot read what was settled: {fault}"
        ) from fault
    return decision.state, OldersWagers(then, settled(wagers.settled, outcomes))


def settled_otherwise(wagers: OldersWagers, decider: int) -> tuple[str, ...]:
    """Return in words which wagers the older decider settled otherwise than this one does."""
    every = sorted(wagers.recorded.keys() | wagers.settled.keys(), key=str)
    pairs = [(wagers.recorded.get(one), wagers.settled.get(one)) for one in every]
    return tuple(_otherwise(decider, then, now) for then, now in pairs if then != now)


def _check_older(wagers: OldersWagers, decider: int) -> None:
    if otherwise := settled_otherwise(wagers, decider):
        raise OutcomesDiffer("; ".join(otherwise))


def _otherwise(decider: int, then: Settlement | None, now: Settlement | None) -> str:
    one = then or now
    assert one is not None
    place = f"box {one.box} {one.player} {one.wager}" if one.box else f"{one.player} {one.wager}"
    return f"{place}: settled otherwise by decider {decider}: {_row(then)}, by this one {_row(now)}"


def _row(row: Settlement | None) -> str:
    if row is None:
        return "nothing"
    return f"{row.result}, pays {row.pays}, returns {row.returns} cents by {row.rule}"


# --- this decider's -------------------------------------------------------------------------------


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
    event = _event(one)
    if isinstance(event, Recovered):
        state = _known(event, one)
    decision = decide(state, event)
    now = [entry(0, outcome) for outcome in decision.outcomes]
    then = [(row.kind, bytes(row.body)) for row in one.outcomes]
    if [(made.kind, made.body) for made in now] != then:
        raise OutcomesDiffer(_difference(one, [(made.kind, made.body) for made in now], then))
    return decision.state


def _event(one: Recorded) -> AnyEvent:
    if one.event.kind not in EVENT_KINDS:
        raise OutcomesDiffer(f"event {one.event.seq}: {one.event.kind} has no event before it")
    try:
        return event_of(one.event.kind, bytes(one.event.body))
    except msgspec.ValidationError as fault:
        raise OutcomesDiffer(
            f"event {one.event.seq}: this version cannot read it: {fault}"
        ) from fault


def _known(event: Recovered, one: Recorded) -> TableState:
    """Return the table that a recovery goes on from."""
    try:
        return msgspec.convert(event.state, TableState)
    except msgspec.ValidationError as fault:
        raise OutcomesDiffer(
            f"event {one.event.seq}: this version cannot read the table's state: {fault}"
        ) from fault


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
