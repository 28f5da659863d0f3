"""The rows, run by ``transitions``.

The library is asked for one thing: which row comes next.  Its model is a bare cursor; no method
is bound to it, nothing is queued, and no callback does I/O.  An effect is worked out before the
state moves and kept after it, so that an effect that fails leaves everything as it was.
"""

import functools
import logging
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from transitions import EventData, Machine, MachineError

from controller.errors import NotAllowed
from controller.game.moves import Advance, Move
from controller.game.options import Game
from controller.game.play import Play, RoundState
from controller.game.row import Refusal, Row
from controller.game.rows import CHOICE, ROWS, rows_name

# It warns for every trigger that is not bound to the cursor, which is all of them, on purpose.
logging.getLogger("transitions.core").setLevel(logging.ERROR)

MOST_ADVANCES: Final = len(RoundState)
"""No round passes a state twice by itself, so that more would be a loop in the rows."""


class _Cursor:
    state: RoundState = RoundState.WAGERS


class RoundMachine:
    """One table's rows, compiled once.  Used by one task at a time; it keeps nothing between."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._cursor = _Cursor()
        self._machine = Machine(
            model=self._cursor,
            states=RoundState,
            initial=RoundState.WAGERS,
            transitions=[self._compile(row) for row in rows],
            auto_transitions=False,
            send_event=True,
            model_override=True,
        )
        self._play: Play | None = None
        self._next: Play | None = None
        self._refusal: Refusal | None = None
        self._rule = ""

    def apply(self, play: Play, move: Move) -> Play:
        """Return the table after ``move`` and whatever follows of itself; see :meth:`cited`."""
        return self.cited(play, move)[0]

    def cited(self, play: Play, move: Move) -> tuple[Play, str]:
        """Return the table after ``move`` and whatever follows, and the clause of the move's row.

        Raises:
            NotAllowed: the rules do not allow it now; ``play`` stands as it was.
        """
        after = self._fire(play, move)
        rule = self._rule
        for _ in range(MOST_ADVANCES):
            try:
                after = self._fire(after, Advance())
            except NotAllowed:
                return after, rule
        raise AssertionError("the round goes on by itself for ever")

    def allows(self, play: Play, move: Move) -> bool:
        """Tell whether ``move`` would be accepted now."""
        try:
            self._fire(play, move)
        except NotAllowed:
            return False
        return True

    def _fire(self, play: Play, move: Move) -> Play:
        self._play, self._next, self._refusal = play, None, None
        self._cursor.state = play.state
        event = self._machine.events.get(type(move).__name__)
        try:
            done = event is not None and event.trigger(self._cursor, move=move)
        except MachineError:
            done = False
        if not done:
            raise self._not_allowed(move)
        assert self._next is not None
        return msgspec.structs.replace(self._next, state=self._cursor.state)

    def _not_allowed(self, move: Move) -> NotAllowed:
        if self._refusal is None:
            self._refusal = Refusal(*CHOICE.get(type(move), ("1.1", "the round is over")))
        return NotAllowed(*self._refusal)

    def _compile(self, row: Row) -> dict[str, Any]:
        """Say one row the way the library wants to hear it."""

        def holds(event: EventData) -> bool:
            refusal = (
                row.when(self._play, event.kwargs["move"]) if row.when and self._play else None
            )
            # Of several rows the first one's reason is told: it is the plainest.
            self._refusal = self._refusal or refusal
            return refusal is None

        def work_out(event: EventData) -> None:
            move = event.kwargs["move"]
            self._rule = row.rule
            self._next = row.then(self._play, move) if row.then and self._play else self._play

        return {
            "trigger": row.on.__name__,
            "source": list(row.states),
            "dest": row.to if row.to is not None else "=",
            "conditions": holds,
            "before": work_out,
        }


@functools.cache
def _machine(rows_of_game: str) -> RoundMachine:
    return RoundMachine(ROWS[rows_of_game])


def machine_for(game: Game) -> RoundMachine:
    """Return the machine of the game; games with the same rows share it."""
    return _machine(rows_name(game))
