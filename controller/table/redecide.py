"""Deciding a whole log again, round by round, and comparing every outcome with what was recorded.

Rounds that were decided by an older decider are not expected to give the same rows.  Their events
are decided by this one, and what every wager came to in the end is compared.
"""

from collections.abc import Callable, Iterable

import msgspec

from controller.errors import OutcomesDiffer
from controller.eventlog.checkpoints import DAY_OPENED
from controller.eventlog.row import Row
from controller.game.settlement import Settlement
from controller.outcomes import Outcome, RoundOpened
from controller.table.decide import DECIDER, decide
from controller.table.decision import Wager
from controller.table.record import (
    CARRYING,
    EVENT_KINDS,
    LOGS_OWN,
    OPENING,
    RECOVERED,
    STARTED,
    event_of,
)
from controller.table.recorded import Recorded, payments, recorded, settle
from controller.table.resume import again, carried
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


def decide_again(rows: Iterable[Row], progress: Progress | None = None) -> Redecided:
    """Decide all events of a log again, in order; see `Redecided`."""
    again_ = _Again()
    for number, one in enumerate(recorded(rows), start=1):
        again_.take(one)
        if progress and number % PROGRESS_STEP == 0:
            progress(one.event.seq)
    return again_.found()


class _Again:
    """The table as it is decided again; no state while a difference has put it in doubt."""

    def __init__(self) -> None:
        self._state: TableState | None = None
        self._lost = False
        self._begun = False
        self._decider = DECIDER
        self._events = 0
        self._rounds: int = 0
        self._differences: list[Difference] = []
        self._older: dict[int, int] = {}
        self._recorded: dict[Wager, Settlement] = {}
        self._settled: dict[Wager, Settlement] = {}

    def found(self) -> Redecided:
        """Return what was found until now."""
        return Redecided(self._events, self._rounds, tuple(self._differences), self._older)

    def take(self, one: Recorded) -> None:
        """Decide an event and compare."""
        if one.event.kind in LOGS_OWN:
            self._day(one.event)
            return
        self._events += 1
        if one.event.kind == STARTED:
            self._decider = msgspec.json.decode(one.event.body).get("decider", DECIDER)
        try:
            if one.event.kind == RECOVERED:
                self._state, self._lost = None, False  # it goes on from what the event says
            if not self._lost and self._decider == DECIDER:
                self._state = again(self._state, one)
            elif not self._lost:
                self._older_event(one)
        except OutcomesDiffer as difference:
            self._differs(one.event.seq, str(difference))
        for row in one.outcomes:
            self._go_on_from(row)

    def _day(self, row: Row) -> None:
        """Compare the state that a day carries over with what the events before it gave."""
        if row.kind != DAY_OPENED or not self._begun:
            self._take_up(row)
            return
        try:
            state = carried(row)
        except OutcomesDiffer as difference:
            self._differs(row.seq, str(difference))
            return
        if not self._lost and state != self._state and self._decider == DECIDER:
            self._differs(row.seq, "the day carries over another state than the events before give")
        self._state, self._lost = state, False

    def _go_on_from(self, row: Row) -> None:
        """A round that opens ends the one before, and carries the state for its own."""
        if row.kind not in CARRYING:
            return
        if row.kind == OPENING:
            self._rounds += 1
            if self._decider != DECIDER and self._begun:
                self._compare_settlements(row.seq)
            self._begun = True
            self._recorded, self._settled = {}, {}
        if self._lost or self._decider != DECIDER:
            self._take_up(row)

    def _take_up(self, row: Row) -> None:
        self._begun = True
        if row.kind not in CARRYING:
            return
        try:
            self._state, self._lost = carried(row), False
        except OutcomesDiffer as difference:
            self._differs(row.seq, str(difference))

    def _differs(self, seq: int, what: str) -> None:
        if not self._lost:
            self._differences.append(Difference(seq, what))
        self._lost = True

    # --- rounds of an older decider ---------------------------------------------------------------

    def _older_event(self, one: Recorded) -> None:
        """Decide an event of an older decider's round, for what the wagers come to."""
        if one.event.kind not in EVENT_KINDS:
            raise OutcomesDiffer(f"event {one.event.seq}: {one.event.kind} has no event before it")
        try:
            event = event_of(one.event.kind, bytes(one.event.body))
        except msgspec.ValidationError as fault:
            raise OutcomesDiffer(
                f"event {one.event.seq}: this version cannot read it: {fault}"
            ) from fault
        decision = decide(self._state, event)
        self._state = decision.state
        settle(self._settled, (each for each in decision.outcomes if not _opens(each)))
        try:
            settle(self._recorded, payments(one.outcomes))
        except (msgspec.ValidationError, LookupError) as fault:
            raise OutcomesDiffer(
                f"event {one.event.seq}: this version cannot read what was settled: {fault}"
            ) from fault

    def _compare_settlements(self, seq: int) -> None:
        self._older[self._decider] = self._older.get(self._decider, 0) + 1
        for wager in sorted(self._recorded.keys() | self._settled.keys(), key=str):
            then, now = self._recorded.get(wager), self._settled.get(wager)
            if then != now:
                self._differences.append(Difference(seq - 1, _otherwise(self._decider, then, now)))


def _opens(outcome: Outcome) -> bool:
    return isinstance(outcome, RoundOpened)


def _otherwise(decider: int, then: Settlement | None, now: Settlement | None) -> str:
    one = then or now
    assert one is not None
    place = f"box {one.box} {one.player} {one.wager}"
    return (
        f"{place}: decider {decider} settled it as {_words(then)}, this one would as {_words(now)}"
    )


def _words(row: Settlement | None) -> str:
    if row is None:
        return "nothing"
    return f"{row.result}, pays {row.pays}, returns {row.returns} cents by {row.rule}"
