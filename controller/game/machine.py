"""Rows, run by ``transitions``: the round has its rows, rule 17 and rule 4 have theirs.

The library is asked for one thing: which row comes next.  Its model is a bare cursor; no method
is bound to it, nothing is queued, and no callback does I/O.  An effect is worked out before the
state moves and kept after it, so that an effect that fails leaves everything as it was.
"""

import enum
import functools
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import msgspec
from transitions import EventData, Machine, MachineError

from controller.errors import NotAllowed
from controller.game.moves import Advance
from controller.game.options import Game
from controller.game.play import Play, RoundState
from controller.game.row import Refusal, Row
from controller.game.rows import CHOICE, ROWS, rows_name

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


class _Cursor:
    state: enum.Enum


class RuleMachine(Generic[AnyRecord]):
    """A table of rows, compiled once.  Used by one task at a time; it keeps nothing between."""

    def __init__(self, rows: Sequence[Row], states: type[enum.Enum], choice: Choice) -> None:
        self._choice = choice
        # No record passes a state twice by itself: more would be a loop in the rows.
        self._most_advances = len(states)
        self._cursor = _Cursor()
        self._machine = Machine(
            model=self._cursor,
            states=states,
            initial=next(iter(states)),
            transitions=[self._compile(row) for row in rows],
            auto_transitions=False,
            send_event=True,
            model_override=True,
        )
        self._record: Any = None
        self._next: Any = None
        self._refusal: Refusal | None = None
        self._rule = ""

    def apply(self, record: AnyRecord, move: msgspec.Struct) -> AnyRecord:
        """Return the record after ``move`` and whatever follows of itself; see :meth:`cited`."""
        return self.cited(record, move)[0]

    def cited(self, record: AnyRecord, move: msgspec.Struct) -> tuple[AnyRecord, str]:
        """Return the record after ``move`` and whatever follows, and the clause of the move's row.

        Raises:
            NotAllowed: the rules do not allow it now; ``record`` stands as it was.
        """
        after = self._fire(record, move)
        rule = self._rule
        for _ in range(self._most_advances):
            try:
                after = self._fire(after, Advance())
            except NotAllowed:
                return after, rule
        raise AssertionError("the rows go on by themselves for ever")

    def allows(self, record: AnyRecord, move: msgspec.Struct) -> bool:
        """Tell whether ``move`` would be accepted now."""
        try:
            self._fire(record, move)
        except NotAllowed:
            return False
        return True

    def _fire(self, record: AnyRecord, move: msgspec.Struct) -> AnyRecord:
        self._record, self._next, self._refusal = record, None, None
        self._cursor.state = record.state
        event = self._machine.events.get(type(move).__name__)
        try:
            done = event is not None and event.trigger(self._cursor, move=move)
        except MachineError:
            done = False
        if not done:
            raise self._not_allowed(move)
        after: AnyRecord = msgspec.structs.replace(self._next, state=self._cursor.state)
        return after

    def _not_allowed(self, move: msgspec.Struct) -> NotAllowed:
        if self._refusal is None:
            self._refusal = Refusal(*self._choice.get(type(move), ("1.1", "the round is over")))
        return NotAllowed(*self._refusal)

    def _compile(self, row: Row) -> dict[str, Any]:
        """Say one row the way the library wants to hear it."""

        def holds(event: EventData) -> bool:
            refusal = row.when(self._record, event.kwargs["move"]) if row.when else None
            # Of several rows the first one's reason is told: it is the plainest.
            self._refusal = self._refusal or refusal
            return refusal is None

        def work_out(event: EventData) -> None:
            move = event.kwargs["move"]
            self._rule = row.rule
            self._next = row.then(self._record, move) if row.then else self._record

        return {
            "trigger": row.on.__name__,
            "source": list(row.states),
            "dest": row.to if row.to is not None else "=",
            "conditions": holds,
            "before": work_out,
        }


@functools.cache
def _machine(rows_of_game: str) -> RuleMachine[Play]:
    return RuleMachine(ROWS[rows_of_game], RoundState, CHOICE)


def machine_for(game: Game) -> RuleMachine[Play]:
    """Return the machine of the game's rounds; games with the same rows share it."""
    return _machine(rows_name(game))
