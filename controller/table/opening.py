"""Opening a round: what goes over from the one before, and what does not."""

import msgspec

from controller.game.play import Box, Play
from controller.outcomes import RoundOpened
from controller.table.decision import Decision
from controller.table.state import Ledger, TableState


def open_round(state: TableState) -> Decision:
    """Open the next round: its row carries all that is known of the table."""
    opened = msgspec.structs.replace(
        state,
        round=state.round + 1,
        play=Play(game=state.game),
        last_boxes=_wagers_only(state.play.boxes) or state.last_boxes,
        keyed=(),
        ledger=counted_on(state.ledger),
        history=(),
        error_is_next=False,
        taken_back=0,
        settled_something=False,
        settled_before=(),
        house=msgspec.structs.replace(state.house, named=()),
    )
    return Decision(opened, (RoundOpened(state=opened),))


def counted_on(ledger: Ledger) -> Ledger:
    """Return the ledger with one more round since the cards were counted."""
    return msgspec.structs.replace(ledger, rounds_since_count=ledger.rounds_since_count + 1)


def _wagers_only(boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    """Return the boxes as they were before the first card."""
    return tuple(
        Box(number=box.number, bets=box.bets, said=box.said, because=box.because) for box in boxes
    )
