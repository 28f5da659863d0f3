"""What deciding gives, and how the difference between two rounds is told."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from controller.game.house import AroundTheRound, House
from controller.game.machine import machine_for
from controller.game.moves import Made
from controller.game.play import Play
from controller.game.settlement import Pending, Settlement, settlements
from controller.outcomes import (
    Accepted,
    Corrected,
    LayoutInDoubt,
    Outcome,
    Prompted,
    Reached,
    Settled,
)
from controller.table.state import TableState


class Decision(NamedTuple):
    """The next state, and what is to be recorded and shown."""

    state: TableState
    outcomes: tuple[Outcome, ...]


def doubt(state: TableState, why: str) -> Decision:
    """Ask the dealer whether the layout is as shown, after any gap in what is known."""
    return Decision(
        msgspec.structs.replace(state, in_doubt=state.in_doubt or why), (LayoutInDoubt(why=why),)
    )


def make(state: TableState, move: Made) -> tuple[TableState, str, list[Outcome]]:
    """Make a move in the round; return the state, the clause that gave it, and what follows.

    Raises:
        NotAllowed: the rules do not allow it now.
    """
    before = state.play
    after, rule = machine_for(before.game).cited(before, move)
    told = list(changes(before, after))
    state = msgspec.structs.replace(
        state,
        play=after,
        history=(*state.history, move),
        note="",
        taken_back=0,
        settled_something=any(isinstance(one, Settled) for one in told),
        settled_before=settled_before(state, told),
    )
    return state, rule, told


def settled_before(state: TableState, told: Iterable[Outcome]) -> tuple[Settlement, ...]:
    """Return how wagers were settled before they were settled otherwise, with what is told now."""
    before = {by_wager(row): row for row in state.settled_before}
    before |= {by_wager(one.was): one.was for one in told if isinstance(one, Corrected)}
    return tuple(before.values())


def with_house(
    state: TableState, house: House, ask: AroundTheRound, rule: str, *prompts: Prompted
) -> Decision:
    """Accept what was said around the round; what is prompted is the dealer's next word."""
    note = ". ".join(one.what for one in prompts) or state.note
    state = msgspec.structs.replace(state, house=house, note=note)
    return Decision(state, (Accepted(what=msgspec.to_builtins(ask), rule=rule), *prompts))


def changes(before: Play, after: Play) -> Iterator[Outcome]:
    """Tell the round's new state and every wager that is now decided, or decided otherwise."""
    if after.state is not before.state:
        yield Reached(state=after.state.value)
    was = {by_wager(row): row for row in settlements(before)}
    now = {by_wager(row): row for row in settlements(after)}
    for wager, row in now.items():
        if wager not in was:
            yield Settled(row=row)
        elif was[wager] != row:
            yield Corrected(was=was[wager], now=row)
    for wager, row in was.items():
        if wager not in now:
            yield Corrected(was=row, now=None)


Wager = tuple[int | None, str, int | None, str]
"""Box, player, hand and name of a wager."""


def by_wager(row: Settlement | Pending) -> Wager:
    """Return what tells one wager of a round from all others."""
    return row.box, row.player, row.hand, row.wager
