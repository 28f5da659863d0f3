"""How a round goes on that is decided otherwise now than it was recorded.

What was recorded is final: it was shown and paid.  A casino supervisor says whether the round is
over with that, or void (16.6).
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from controller.errors import NotAllowed
from controller.events import Recovered
from controller.game.moves import VoidRound
from controller.game.settlement import Pending, Settlement, pending, settlements
from controller.outcomes import Accepted, Corrected, Outcome, Prompted, Settled
from controller.table.decision import Decision, Wager, by_wager, make
from controller.table.opening import open_round
from controller.table.state import TableState

VOID: Final = "16.6"
"""The clause by which a casino supervisor declares a round void, or has it ended otherwise."""


def recovered(event: Recovered) -> Decision:
    """End the round by what the supervisor said; the next one opens."""
    known = msgspec.convert(event.state, TableState)
    state = msgspec.structs.replace(known, suspended="", malfunction=None, in_doubt="", keyed=())
    said = Accepted(what={"do": "recover", "how": event.how}, rule=VOID)
    told: list[Outcome] = [said]
    if event.how == "void":
        state, follows = _void(state)
        told += _beside(follows, event.settled)
    told += [Prompted(rule=VOID, what=f"Settle by hand: {wager}") for wager in event.open]
    opened = open_round(state)
    return Decision(opened.state, (*told, *opened.outcomes))


def unsettled(state: TableState, settled: Iterable[Settlement]) -> Iterator[Pending | Settlement]:
    """Yield the wagers on the layout that are not among those settled by what is recorded."""
    known = {by_wager(row) for row in settled}
    on_layout: tuple[Pending | Settlement, ...] = (*settlements(state.play), *pending(state.play))
    for one in on_layout:
        if (one.box, one.player, one.hand, one.wager) not in known:
            yield one


def _void(state: TableState) -> tuple[TableState, list[Outcome]]:
    try:
        state, _, follows = make(state, VoidRound(rule=VOID))
    except NotAllowed:  # it was over or void before
        return state, []
    return state, follows


def _beside(follows: Iterable[Outcome], settled: Iterable[Settlement]) -> Iterator[Outcome]:
    """Leave wagers alone that were settled by what is recorded: that stands (16.6)."""
    known: dict[Wager, Settlement] = {by_wager(row): row for row in settled}
    for one in follows:
        if isinstance(one, Settled) and by_wager(one.row) in known:
            continue
        if isinstance(one, Corrected) and by_wager(one.was) in known:
            continue
        yield one
