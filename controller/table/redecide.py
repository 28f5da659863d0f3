"""Deciding a whole log again, round by round, and comparing every outcome with what was recorded.

Rounds that were decided by an older decider are not expected to give the same rows.  Their events
are decided by this one, and what every wager came to in the end is compared.
"""

from collections.abc import Callable, Iterable, Mapping

import msgspec

from controller.errors import OutcomesDiffer
from controller.eventlog.checkpoints import DAY_OPENED
from controller.eventlog.row import Row
from controller.table.decide import DECIDER
from controller.table.record import (
    CARRYING,
    LOGS_OWN,
    OPENING,
    RECOVERED,
    STARTED,
)
from controller.table.recorded import Recorded, recorded
from controller.table.resume import (
    OldersWagers,
    again,
    carried,
    decided_by_older,
    decider_of,
    settled_otherwise,
)
from controller.table.state import TableState

PROGRESS_STEP = 1000
"""Events between two calls of ``progress``."""

Progress = Callable[[int], None]
"""Told the number of the last row that was decided again, now and then."""


class Difference(msgspec.Struct, frozen=True):
    """An event that is decided otherwise, and how; or a wager of an older decider's round."""

    seq: int
    what: str


class Redecided(msgspec.Struct, frozen=True):
    """What deciding a log again gave.

    Attributes:
        events: how many events were decided again.
        rounds: how many rounds they belong to.
        differences: where the outcomes are others, the first of each round.
        older: rounds that an older decider decided, settled again from their cards and decisions:
            the decider's number to how many there were.

    """

    events: int
    rounds: int
    differences: tuple[Difference, ...]
    older: dict[int, int]
    otherwise: tuple[Difference, ...]


def decide_again(rows: Iterable[Row], progress: Progress | None = None) -> Redecided:
    """Decide all events of a log again, in order; see `Redecided`."""
    again_ = _Again()
    for number, one in enumerate(recorded(rows), start=1):
        again_ = _taken(again_, one)
        if progress and number % PROGRESS_STEP == 0:
            progress(one.event.seq)
    return Redecided(
        again_.events, again_.rounds, again_.differences, dict(again_.older), again_.otherwise
    )


class _Again(msgspec.Struct, frozen=True):
    """How far a log has been decided again, and what was found until there."""

    state: TableState | None = None
    """The table as it is decided again."""
    lost: bool = False
    """A difference has put it in doubt: it goes on from the next row that carries the state."""
    begun: bool = False
    decider: int = DECIDER
    """Who decided what is read now."""
    events: int = 0
    rounds: int = 0
    differences: tuple[Difference, ...] = ()
    older: Mapping[int, int] = {}
    otherwise: tuple[Difference, ...] = ()
    wagers: OldersWagers = OldersWagers()
    """How the wagers of an older decider's round were settled, and how this one settles them."""


_with = msgspec.structs.replace


def _taken(before: _Again, one: Recorded) -> _Again:
    """Decide an event and compare."""
    if one.event.kind in LOGS_OWN:
        return _day(before, one.event)
    now = _with(before, events=before.events + 1)
    if one.event.kind == STARTED:
        now = _with(now, decider=decider_of(one.event))
    try:
        if one.event.kind == RECOVERED:
            now = _with(now, state=None, lost=False)  # it goes on from what the event says
        if not now.lost and now.decider == DECIDER:
            now = _with(now, state=again(now.state, one))
        elif not now.lost:
            now = _older_event(now, one)
    except OutcomesDiffer as difference:
        now = _differs(now, one.event.seq, str(difference))
    for row in one.outcomes:
        now = _gone_on_from(now, row)
    return now


def _day(before: _Again, row: Row) -> _Again:
    """Compare the state that a day carries over with what the events before it gave."""
    if row.kind != DAY_OPENED or not before.begun:
        return _taken_up(before, row)
    try:
        state = carried(row)
    except OutcomesDiffer as difference:
        return _differs(before, row.seq, str(difference))
    now = before
    if not before.lost and state != before.state and before.decider == DECIDER:
        what = "the day carries over another state than the events before give"
        now = _differs(before, row.seq, what)
    return _with(now, state=state, lost=False)


def _gone_on_from(before: _Again, row: Row) -> _Again:
    """A round that opens ends the one before, and carries the state for its own."""
    if row.kind not in CARRYING:
        return before
    now = before
    if row.kind == OPENING:
        if before.decider != DECIDER and before.begun:
            now = _settlements_compared(now, row.seq)
        now = _with(now, rounds=now.rounds + 1, begun=True, wagers=OldersWagers())
    return _taken_up(now, row) if now.lost or now.decider != DECIDER else now


def _taken_up(before: _Again, row: Row) -> _Again:
    now = _with(before, begun=True)
    if row.kind not in CARRYING:
        return now
    try:
        return _with(now, state=carried(row), lost=False)
    except OutcomesDiffer as difference:
        return _differs(now, row.seq, str(difference))


def _differs(before: _Again, seq: int, what: str) -> _Again:
    found = () if before.lost else (Difference(seq, what),)
    return _with(before, differences=(*before.differences, *found), lost=True)


# --- rounds of an older decider -------------------------------------------------------------------


def _older_event(before: _Again, one: Recorded) -> _Again:
    """Decide an event of an older decider's round, for what the wagers come to."""
    state, wagers = decided_by_older(before.state, before.wagers, one)
    return _with(before, state=state, wagers=wagers)


def _settlements_compared(before: _Again, seq: int) -> _Again:
    """Note what an older decider settled otherwise: it decided by what was known then."""
    decider = before.decider
    found = [Difference(seq - 1, words) for words in settled_otherwise(before.wagers, decider)]
    older = {**before.older, decider: before.older.get(decider, 0) + 1}
    return _with(before, older=older, otherwise=(*before.otherwise, *found))
