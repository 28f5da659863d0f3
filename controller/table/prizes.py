"""The jackpot button: chance is asked, and what it says is kept before it is shown (18.14)."""

import secrets
from collections.abc import Iterable, Iterator

from controller.events import ChanceGiven
from controller.game.moves import PrizeDrawn
from controller.game.prizes import BYTES, draw
from controller.game.side_wagers import draw_due
from controller.outcomes import DrawDue, Drawn, Flagged, Outcome
from controller.table.decision import Decision, make
from controller.table.state import TableState


def draws_due(state: TableState) -> Iterator[DrawDue]:
    """Tell for which boxes a prize is still to be drawn."""
    for box in state.play.boxes:
        if draw_due(state.play, box):
            yield DrawDue(box=box.number)


def chance_for(outcomes: Iterable[Outcome]) -> Iterator[ChanceGiven]:
    """Draw for every box that is due to it, from the operating system and never from a seed."""
    for outcome in outcomes:
        if isinstance(outcome, DrawDue):
            yield ChanceGiven(box=outcome.box, bytes=secrets.token_hex(BYTES))


def chance_given(state: TableState, event: ChanceGiven) -> Decision:
    """Derive the prize from the bytes; what comes a second time draws nothing."""
    if DrawDue(box=event.box) not in draws_due(state):
        what = f"box {event.box} was given chance that it was not due"
        return Decision(state, (Flagged(rule="18.14.6", what=what),))
    prize = draw(state.play.game.prizes, bytes.fromhex(event.bytes))
    if prize is None:
        return Decision(state, (DrawDue(box=event.box),))
    drawn, rule, follows = make(state, PrizeDrawn(event.box, prize))
    return Decision(drawn, (Drawn(box=event.box, prize=prize, rule=rule), *follows))
