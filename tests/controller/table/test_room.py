"""Too little room on the disk of the log: a round is played to its end, the next one waits."""

from datetime import timedelta
from pathlib import Path

import pytest

from controller.events import Asked, DiskEnough, DiskLow, SameAgain, StateDue
from controller.game.house import SetMostPlayers, SpokenWager
from controller.game.moves import NoMoreBets, Wager
from controller.outcomes import Refused, StateKept
from controller.table.decide import decide
from controller.table.prompt import prompt
from controller.table.state import TableState
from tests.controller.service.test_days import days_at
from tests.controller.table.tale import Tale

WHY = "12 MB are free on this disk; free space"
LOW = DiskLow(why=WHY)
WAGER = Asked(ask=Wager(box=2, player="ann", main=2500))


def opened() -> TableState:
    return Tale().state


def after(state: TableState, *events) -> TableState:
    for event in events:
        state = decide(state, event).state
    return state


@pytest.mark.parametrize(
    "ask",
    [
        WAGER.ask,
        Wager(box=2, player="ann"),
        SameAgain(),
        SpokenWager(box=2, player="ann", main=2500, chips=True),
    ],
)
def test_no_round_begins(ask) -> None:
    low = after(opened(), LOW)
    decided = decide(low, Asked(ask=ask))
    (refused,) = decided.outcomes
    assert isinstance(refused, Refused)
    assert WHY in refused.why
    assert decided.state == low
    assert prompt(low) == f"No new round yet: {WHY}"


def test_room_again_lets_play_go_on() -> None:
    well = after(opened(), LOW, DiskEnough())
    assert well == opened()
    assert not any(isinstance(one, Refused) for one in decide(well, WAGER).outcomes)


def test_a_round_that_has_begun_goes_on() -> None:
    low = after(opened(), WAGER, LOW)
    again = Asked(ask=Wager(box=3, player="bob", main=2500))
    for event in (again, Asked(ask=NoMoreBets())):
        decided = decide(low, event)
        assert not any(isinstance(one, Refused) for one in decided.outcomes)
    assert "No new round" not in prompt(low)


def test_what_begins_no_round_is_not_refused() -> None:
    decided = decide(after(opened(), LOW), Asked(ask=SetMostPlayers(most=2), by="game-supervisor"))
    assert not any(isinstance(one, Refused) for one in decided.outcomes)


def test_it_is_carried_in_the_state() -> None:
    (kept,) = decide(after(opened(), LOW), StateDue()).outcomes
    assert isinstance(kept, StateKept)
    assert kept.state.no_room == WHY


def test_no_day_begins(tmp_path: Path) -> None:
    days_due = days_at(tmp_path, timedelta(days=1))
    assert days_due.is_due(opened())
    assert not days_due.is_due(after(opened(), LOW))
    assert days_due.is_due(after(opened(), LOW, DiskEnough()))
