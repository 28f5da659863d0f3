"""What a dealer asks never does what a supervisor must authorise, whatever came before."""

from typing import Final

import msgspec
import pytest

from controller.events import (
    AnswerAlarm,
    Asked,
    EndRound,
    NewCards,
    OfOperator,
    Pressed,
    Read,
    RefusalsCounted,
    Resume,
    SignedIn,
    SignedOut,
    SignInRefused,
    TakeBack,
)
from controller.game import house
from controller.game.malfunction import AnswerDisadvantage, WorksAgain
from controller.game.moves import Burn, Stand
from controller.outcomes import Accepted, Corrected, Settled
from controller.table.decide import decide
from controller.table.record import entry, event_of
from controller.table.roles import DEALER, INSPECTOR, SUPERVISORS
from tests.controller.table.tale import SUPERVISOR, Tale, dealt, kinds, refused
from tests.controller.table.test_any_events import SEEDS, wander

DEEDS: Final = (
    AnswerAlarm,
    AnswerDisadvantage,
    EndRound,
    NewCards,
    Resume,
    WorksAgain,
    house.EndOwnLimits,
    house.InspectorNotified,
    house.Lift,
    house.Release,
    house.RemoveNotice,
    house.Reserve,
    house.Restrict,
    house.SetLimits,
    house.SetMostPlayers,
    house.SetOwnLimits,
    house.ShowNotice,
)
"""What only somebody above the dealer does (3.3, 3.4, 5.4, 5.10 to 5.13, 6.3, 6.4, 16.6, 17)."""


@pytest.mark.parametrize("seed", SEEDS)
def test_16_6_a_dealer_corrects_no_payment_and_does_no_deed_of_a_supervisor(seed: int) -> None:
    for step in wander(seed):
        event = step.event
        if not isinstance(event, Asked | Pressed):
            continue
        as_dealer = decide(step.before, msgspec.structs.replace(event, by=DEALER))
        assert not any(isinstance(one, Corrected) for one in as_dealer.outcomes), event
        if isinstance(event, Asked) and isinstance(event.ask, DEEDS):
            assert not any(isinstance(one, Accepted) for one in as_dealer.outcomes), event


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_a_dealer_may_a_supervisor_may_too(seed: int) -> None:
    """So signing in takes nothing away: who stands in for the dealer goes on by their own role."""
    for step in wander(seed):
        event = step.event
        if isinstance(event, Asked) and event.by == DEALER and not step.refused:
            for role in SUPERVISORS:
                again = decide(step.before, msgspec.structs.replace(event, by=role))
                assert again == step.decision


def voided_with_a_card_unread() -> Tale:
    """A round whose hand of 16 got a card that could not be read, and then was declared void."""
    tale = dealt("9S 5H 7C ??")
    tale.ask(EndRound(), by=SUPERVISOR)
    return tale


@pytest.mark.parametrize("role", [DEALER, INSPECTOR])
def test_16_6_a_card_read_late_takes_no_payment_back_on_the_dealers_word(role: str) -> None:
    tale = voided_with_a_card_unread()
    assert refused(tale.ask(Read("KS"), by=role)) == "16.6"

    corrected = tale.ask(Read("KS"), by=SUPERVISOR)
    assert "Corrected" in kinds(corrected)


@pytest.mark.parametrize("role", [DEALER, INSPECTOR])
def test_16_6_a_card_burned_after_the_payment_lets_no_dealer_take_it_back(role: str) -> None:
    tale = dealt("KS 9H 8C")
    tale.ask(Stand())
    tale.deal("9C")
    assert any(isinstance(one, Settled) for one in tale.outcomes)
    tale.ask(Burn("AS"))

    assert refused(tale.ask(TakeBack(), by=role)) == "16.6"
    assert "Corrected" in kinds(tale.ask(TakeBack(), by=SUPERVISOR))


WHOSE: Final = {"who": "ines", "role": "game-supervisor", "pid": 4, "uid": 7}
ABOUT: Final = (
    SignedIn(**WHOSE),
    SignedOut(**WHOSE, why="idle"),
    SignInRefused(**WHOSE, why="locked", locked_ms=30_000),
)


COUNTED: Final = RefusalsCounted(
    uid=7, since=1, until=2, refused=3, meaningless=4, sign_ins=5, rule="5.3", why="nothing lies"
)


@pytest.mark.parametrize("event", [*ABOUT, COUNTED], ids=lambda event: type(event).__name__)
@pytest.mark.parametrize("seed", SEEDS[:4])
def test_what_is_told_of_an_operator_or_of_refusals_changes_nothing_and_is_read_again(
    seed: int, event: OfOperator | RefusalsCounted
) -> None:
    for step in wander(seed):
        state = step.decision.state
        decided = decide(state, event)
        assert (decided.state, decided.outcomes) == (state, ())
    written = entry(1, event)
    assert event_of(written.kind, bytes(written.body)) == event
