"""The table as far as it can be known where the log is decided otherwise now than it was."""

from typing import NamedTuple

import msgspec

from controller.errors import OutcomesDiffer
from controller.eventlog.log import Log
from controller.eventlog.row import Row
from controller.game.settlement import Settlement
from controller.table.decide import decide
from controller.table.decision import Wager
from controller.table.record import CARRYING, EVENT_KINDS, LOGS_OWN, OPENING, event_of
from controller.table.recorded import Recorded, payments, recorded, settled
from controller.table.resume import again, carried
from controller.table.state import TableState


class Known(NamedTuple):
    """What is known of a table whose last round is decided otherwise.

    Attributes:
        state: after all events of the round that this version can read, as it decides them.
        differs: what is decided otherwise, in words; empty if nothing is.
        settled: how wagers were settled by what is recorded.

    """

    state: TableState
    differs: tuple[str, ...]
    settled: tuple[Settlement, ...]


def known(log: Log) -> Known | None:
    """Return what is known of the table, None if the log holds none.

    Raises:
        OutcomesDiffer: not even the state that the last round opened with can be read.
    """
    carrying = [row for row in map(log.last_of, CARRYING) if row is not None]
    if not carrying:
        return None
    last = max(carrying, key=lambda row: row.seq)
    state = carried(last)
    if state is None:
        return None
    differs: list[str] = []
    payments_known = _settled_before(log, last)
    for one in recorded(log.rows(since=last.seq)):
        state, otherwise = _step(state, one)
        if otherwise:
            differs.append(otherwise)
        payments_known = settled(payments_known, payments(one.outcomes))
    return Known(state, tuple(differs), tuple(payments_known.values()))


def _settled_before(log: Log, last: Row) -> dict[Wager, Settlement]:
    """Return what was settled in the round before its state was kept once more."""
    opening = log.last_of(OPENING)
    if opening is None:
        return {}
    return settled({}, payments(log.rows(since=opening.seq, until=last.seq)))


def _step(state: TableState, one: Recorded) -> tuple[TableState, str]:
    """Decide an event; where that is another outcome, or none, go on and say so."""
    try:
        same = again(state, one)
    except OutcomesDiffer as difference:
        otherwise = str(difference)
    else:
        assert same is not None
        return same, ""
    if one.event.kind not in EVENT_KINDS or one.event.kind in LOGS_OWN:
        return state, otherwise
    try:
        event = event_of(one.event.kind, bytes(one.event.body))
    except msgspec.ValidationError:
        return state, otherwise
    return decide(state, event).state, otherwise
