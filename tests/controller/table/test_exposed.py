"""The burn card is on no screen and in no row that may be watched (4.7)."""

from random import Random
from typing import Final

import msgspec
import pytest

from controller.cards import Card
from controller.clock import utc_now
from controller.eventlog.memory import MemoryLog
from controller.events import AnyEvent, Asked, CardOut, DeviceLost, EnterCard, NewShoe, NotBurned
from controller.game.options import build
from controller.outcomes import Burned
from controller.service.control import exposed
from controller.table.owner import Table, Taken
from controller.table.prompt import going_on_says, prompt
from controller.table.view import view
from tests.controller.table.tale import opening
from tests.controller.table.wandering import FACES, GAMES, next_event

BURN: Final = Card("QS")
"""No other card of a walk: wherever it is seen, it is the burn card."""

SEEDS: Final = range(18)
STEPS: Final = 60


def table(events: list[AnyEvent]) -> Table:
    """Return a table to which these have happened."""
    begun = Table(MemoryLog(), utc_now)
    for event in events:
        begun.take(event)
    return begun


def seen_in(taken: Taken) -> str:
    """Return everything that may be seen of a table after an event, as text."""
    state = taken.state
    shown = [view(state), prompt(state), going_on_says(state), [*exposed(taken)]]
    return msgspec.json.encode(shown).decode()


def was_burned(taken: Taken) -> bool:
    """Tell whether the event was the burn card's coming out."""
    return any(isinstance(one, Burned) and one.face_down for one in taken.outcomes)


@pytest.mark.parametrize("seed", SEEDS)
def test_4_7_the_burn_card_is_seen_nowhere_whatever_happens(seed: int) -> None:
    assert BURN not in FACES
    luck = Random(seed)
    walked = table([*opening(GAMES[seed % len(GAMES)]), Asked(ask=NewShoe())])
    burned = 0
    for _ in range(STEPS):
        assert walked.state is not None
        if walked.state.ledger.burn_is_due:
            event: AnyEvent = CardOut(device=walked.state.source, card=BURN, raw=f"1b {BURN}")
        elif luck.random() < 0.05:
            event = Asked(ask=NewShoe())
        else:
            event = next_event(walked.state, luck)
        taken = walked.take(event)
        burned += was_burned(taken)
        assert BURN not in seen_in(taken)
    assert burned


def test_4_7_the_burn_card_is_in_the_log_all_the_same() -> None:
    burned = table([*opening(GAMES[0]), Asked(ask=NewShoe())]).take(
        CardOut(device="shoe", card=BURN)
    )
    assert was_burned(burned)
    assert all(BURN.encode() in bytes(row.body) for row in burned.rows)


def test_16_9_a_card_that_was_not_burned_is_seen() -> None:
    """The tests here would see it: the same card in play is in the view and in the rows."""
    begun = table([*opening(GAMES[0]), Asked(ask=NewShoe()), Asked(ask=NotBurned())])
    assert BURN in seen_in(begun.take(CardOut(device="shoe", card=BURN)))


def test_4_7_a_burn_card_that_the_pack_does_not_hold_alarms_without_being_named() -> None:
    """18.4.1: a ten at Pontoon."""
    begun = table([*opening(build("pontoon-nsw", {})), Asked(ask=NewShoe())])
    taken = begun.take(CardOut(device="shoe", card=Card("TS")))
    assert was_burned(taken)
    assert taken.state.alarms
    assert "TS" not in seen_in(taken)


def test_4_7_a_burn_card_that_came_out_too_often_alarms_without_being_named() -> None:
    """3.1, 16.7: three lie on the layout while the discards are shuffled."""
    begun = table(opening(build("blackjack-nsw", {"decks": 3})))
    for _ in range(3):
        begun.take(CardOut(device="shoe", card=BURN))
    begun.take(Asked(ask=NewShoe()))
    taken = begun.take(CardOut(device="shoe", card=BURN))
    assert was_burned(taken)
    assert taken.state.alarms
    assert BURN not in " ".join(taken.state.alarms)


def test_4_7_a_burn_card_entered_by_hand_is_not_told_to_who_watches() -> None:
    begun = table([*opening(GAMES[0]), Asked(ask=NewShoe())])
    begun.take(DeviceLost(device="shoe", why="unplugged"))
    taken = begun.take(Asked(ask=EnterCard(BURN)))
    assert was_burned(taken)
    assert BURN not in seen_in(taken)
