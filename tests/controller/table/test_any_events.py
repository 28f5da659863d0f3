"""Whatever is told to a table in whatever order, nothing is lost and nothing breaks."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import msgspec
import pytest

from controller.cards import UNREAD
from controller.events import AnyEvent, Asked, CardOut, EnterCard, NewShoe, Pressed
from controller.game.moves import Burn
from controller.game.options import Game
from controller.game.play import RoundState
from controller.outcomes import Refused, Undecided
from controller.table.decide import decide
from controller.table.decision import Decision
from controller.table.record import entry
from controller.table.state import TableState, cards_on_table
from controller.table.view import is_complete, view
from tests.controller.table.tale import opening
from tests.controller.table.wandering import GAMES, next_event

STEPS = 80
SEEDS = range(48)


class Step(NamedTuple):
    """One event with the state before it and what it came to."""

    before: TableState
    event: AnyEvent
    decision: Decision

    @property
    def refused(self) -> Refused | None:
        return next((one for one in self.decision.outcomes if isinstance(one, Refused)), None)


def game_of(seed: int) -> Game:
    """Return the game that is played by the seed."""
    return GAMES[seed % len(GAMES)]


def wander(seed: int) -> Iterator[Step]:
    """Yield what happens at a table and what it makes of it, the same for the same seed."""
    luck = Random(seed)
    first, *others = opening(game_of(seed))
    state = decide(None, first).state
    for event in others:
        state = decide(state, event).state
    for _ in range(STEPS):
        event = next_event(state, luck)
        decision = decide(state, event)
        yield Step(state, event, decision)
        state = decision.state


def came_out(step: Step) -> int:
    """Return how many cards more are out, going by what was told alone."""
    if step.refused:
        return 0
    match step.event:
        case CardOut() | Asked(ask=EnterCard()):
            return 1
        case Asked(ask=Burn(card=card)):
            # A card in the hand that could not be read is burned by its face.
            waits = {card, UNREAD} & {*step.before.in_hand} or card in step.before.play.undue
            return int(not waits)
        case Asked(ask=NewShoe()):
            return sum(cards_on_table(step.before).values()) - step.before.ledger.count
        case _:
            return 0


def check_cards(step: Step) -> None:
    """Every card that came out is on the table or in the discard rack, and in the ledger."""
    before, after = step.before.ledger, step.decision.state.ledger
    assert after.count == before.count + came_out(step)
    assert not cards_on_table(step.decision.state) - Counter(after.out)
    assert all(number > 0 for number in after.out.values())


def check_refusal(step: Step) -> None:
    """Only what is asked can be refused, by a clause, and nothing has changed then."""
    if step.refused:
        assert isinstance(step.event, Asked | Pressed)
        assert len(step.decision.outcomes) == 1
        assert step.refused.rule
        assert step.refused.why
        assert step.decision.state == msgspec.structs.replace(step.before, keyed=())


def check_settlements(step: Step) -> None:
    """Every wager is settled or pending, once; whole chips are paid, and a loser has nothing."""
    state = step.decision.state
    seen = view(state)
    for row in seen["settlements"]:
        pays, back, stake = row["pays"] or 0, row["returns"] or 0, row["stake"] or 0
        assert pays >= 0
        assert pays % state.play.game.smallest_chip == 0
        # Half a surrendered wager is rounded up to the chip, which may be more than it.
        assert 0 <= back <= stake or row["result"] == "surrendered"
        assert row["rule"]
        assert (pays, back) == (0, 0) or row["result"] != "lose"
    wagers = [
        (row["box"], row["player"], row["hand"], row["wager"])
        for row in [*seen["settlements"], *seen["pending"]]
    ]
    assert len(wagers) == len(set(wagers))


def check_end(step: Step) -> None:
    """A complete round has nothing pending, and a cleared table was complete or void."""
    seen = view(step.decision.state)
    assert not is_complete(seen) or not seen["pending"]
    if step.decision.state.round > step.before.round:
        before = view(step.before)
        assert before["state"] == RoundState.VOID.value or not before["pending"]
        assert not before["undue"]


@pytest.mark.parametrize("seed", SEEDS)
def test_any_events_leave_the_table_in_order(seed: int) -> None:
    for step in wander(seed):
        assert not [one for one in step.decision.outcomes if isinstance(one, Undecided)]
        check_refusal(step)
        check_cards(step)
        check_settlements(step)
        check_end(step)
        assert view(step.decision.state)["next"]


@pytest.mark.parametrize("seed", SEEDS[::4])
def test_the_same_events_written_and_read_again_give_the_same(seed: int) -> None:
    again: TableState | None = None
    for event in opening(game_of(seed)):
        again = decide(again, event).state
    for step in wander(seed):
        event = msgspec.json.decode(msgspec.json.encode(step.event), type=AnyEvent)
        repeated = decide(again, event)
        assert [entry(0, one) for one in repeated.outcomes] == [
            entry(0, one) for one in step.decision.outcomes
        ]
        again = msgspec.json.decode(msgspec.json.encode(repeated.state), type=TableState)
        assert again == step.decision.state, "a state is plain data"


def test_the_events_tried_here_lead_everywhere() -> None:
    """Otherwise the tests above would hold because nothing happens."""
    states: set[RoundState] = set()
    accepted: set[str] = set()
    for seed in SEEDS:
        for step in wander(seed):
            states.add(step.decision.state.play.state)
            if isinstance(step.event, Asked) and not step.refused:
                accepted.add(type(step.event.ask).__name__)
    assert states >= set(RoundState) - {RoundState.CLEARED}, "a cleared table is the next round"
    assert accepted >= {
        "Absent", "Amend", "Burn", "CallDecisions", "Cleared", "ConfirmLayout", "Deal", "Double",
        "EndRound", "ErrorNext", "Forfeit", "Present", "Read", "SameAgain", "Split", "Stand",
        "TakeBack", "Wager",
    }  # fmt: skip
    assert accepted & {"AcceptCard", "RefuseCard"}
