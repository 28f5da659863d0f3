"""Rows, run by ``transitions``: the round has its rows, rule 17 and rule 4 have theirs.

The library is asked for one thing: which row comes next.  Each call makes a model of its own, an
``_Attempt``, which carries everything that the call is about; the compiled rows keep nothing.  So
any number of threads may decide and look at the same time.  No method is bound to a model,
nothing is queued, and no callback does I/O.  An effect is worked out before the state moves and
kept after it, so that an effect that fails leaves everything as it was.
"""

import enum
import logging
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Generic, Protocol, TypeVar, cast

import msgspec
from transitions import EventData, Machine, MachineError

from controller.errors import NotAllowed
from controller.game.moves import Advance
from controller.game.options import Game
from controller.game.play import Play, RoundState
from controller.game.row import Refusal, Row
from controller.game.rows import CHOICE, NOT_PLAYED, ROWS, rows_name

# It warns for every trigger that is not bound to the cursor, which is all of them, on purpose.
logging.getLogger("transitions.core").setLevel(logging.ERROR)


class Record(Protocol):
    """What rows work on: a frozen struct that says in which state it is."""

    @property
    def state(self) -> Any:
        """The state, a member of the machine's enumeration."""


AnyRecord = TypeVar("AnyRecord", bound=Record)
Choice = Mapping[type[msgspec.Struct], tuple[str, str]]
"""By move: the clause that gives it, and why not now; told when no row speaks of it."""


class _Attempt:
    """One move put to the rows: the library's model of one trigger, made for that call alone."""

    __slots__ = ("after", "asks_only", "move", "record", "refusal", "rule", "state")

    def __init__(self, record: Record, move: msgspec.Struct, *, asks_only: bool) -> None:
        self.state = record.state
        self.record = record
        self.move = move
        self.asks_only = asks_only
        """Only whether a row's guard holds is asked: its effect is not worked out."""
        self.after: Any = record
        self.rule = ""
        self.refusal: Refusal | None = None


class RuleMachine(Generic[AnyRecord]):
    """A table of rows, compiled once.  It keeps nothing of a call, and serves many at a time."""

    def __init__(self, rows: Sequence[Row], states: type[enum.Enum], choice: Choice) -> None:
        self._choice = choice
        # No record passes a state twice by itself: more would be a loop in the rows.
        self._most_advances = len(states)
        self._machine = Machine(
            model=None,
            states=states,
            initial=next(iter(states)),
            transitions=[_compiled(row) for row in rows],
            auto_transitions=False,
            send_event=True,
        )

    def apply(self, record: AnyRecord, move: msgspec.Struct) -> AnyRecord:
        """Return the record after ``move`` and whatever follows of itself; see :meth:`cited`."""
        return self.cited(record, move)[0]

    def cited(self, record: AnyRecord, move: msgspec.Struct) -> tuple[AnyRecord, str]:
        """Return the record after ``move`` and whatever follows, and the clause of the move's row.

        Raises:
            NotAllowed: the rules do not allow it now; ``record`` stands as it was.
        """
        attempt = self._attempt(record, move)
        after: AnyRecord = _after(attempt)
        for _ in range(self._most_advances):
            try:
                after = _after(self._attempt(after, Advance()))
            except NotAllowed:
                return after, attempt.rule
        raise AssertionError("the rows go on by themselves for ever")

    def allows(self, record: AnyRecord, move: msgspec.Struct) -> bool:
        """Tell whether ``move`` would be accepted now; what it would do is not worked out."""
        try:
            self._attempt(record, move, asks_only=True)
        except NotAllowed:
            return False
        return True

    def _attempt(
        self, record: Record, move: msgspec.Struct, *, asks_only: bool = False
    ) -> _Attempt:
        attempt = _Attempt(record, move, asks_only=asks_only)
        event = self._machine.events.get(type(move).__name__)
        try:
            done = event is not None and event.trigger(attempt)
        except MachineError:
            done = False
        if not done:
            choice = self._choice.get(type(move), ("1.1", "the round is over"))
            raise NotAllowed(*(attempt.refusal or choice))
        return attempt


def _after(attempt: _Attempt) -> Any:
    return msgspec.structs.replace(attempt.after, state=attempt.state)


def _compiled(row: Row) -> dict[str, Any]:
    """Say one row the way the library wants to hear it."""

    def holds(event: EventData) -> bool:
        attempt = cast(_Attempt, event.model)
        refusal = row.when(attempt.record, attempt.move) if row.when else None
        # Of several rows the first one's reason is told: it is the plainest.
        attempt.refusal = attempt.refusal or refusal
        return refusal is None

    def work_out(event: EventData) -> None:
        attempt = cast(_Attempt, event.model)
        attempt.rule = row.rule
        if row.then and not attempt.asks_only:
            attempt.after = row.then(attempt.record, attempt.move)

    return {
        "trigger": row.on.__name__,
        "source": list(row.states),
        "dest": row.to if row.to is not None else "=",
        "conditions": holds,
        "before": work_out,
    }


_MACHINES: Final[Mapping[str, RuleMachine[Play]]] = MappingProxyType(
    {
        name: RuleMachine(rows, RoundState, MappingProxyType({**CHOICE, **NOT_PLAYED[name]}))
        for name, rows in ROWS.items()
    }
)


def machine_for(game: Game) -> RuleMachine[Play]:
    """Return the machine of the game's rounds; games with the same rows share it."""
    return _MACHINES[rows_name(game)]
