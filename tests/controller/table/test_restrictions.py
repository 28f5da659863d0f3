"""Players who are held to the minimum or to one box (5.10 to 5.12, nz:5.8)."""

import pytest

from controller.cards import Card
from controller.events import (
    CardOut,
    NewShoe,
    SameAgain,
    Use,
)
from controller.game.house import (
    InspectorNotified,
    Lift,
    Limit,
    Restrict,
    SetLimits,
)
from controller.game.moves import NoMoreBets, Wager, Withdraw
from controller.table.roles import ROLES
from controller.table.view import view
from tests.controller.table.around import (
    DUTY_MANAGER,
    INSPECTOR,
    NZ,
    SUPERVISOR,
    play_round,
    prompts,
    why,
)
from tests.controller.table.fitted import SHUFFLER, fitted
from tests.controller.table.tale import Tale, refused


def test_5_10_who_missed_the_first_round_is_held_to_the_minimum_until_the_reshuffle() -> None:
    tale = Tale()
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == "5.10", "nothing missed"
    play_round(tale, "ann")
    assert refused(tale.ask(Restrict("ann", "minimum"), SUPERVISOR)) == "5.10"
    assert refused(tale.ask(Restrict("bob", "minimum"), "dealer")) == "5.10"
    told = tale.ask(Restrict("bob", "minimum"), "game-supervisor")
    assert prompts(told)["5.10"] == "Tell bob: the minimum only, until the reshuffle"
    too_much = tale.wager(2, "bob", 1000)
    assert refused(too_much) == "5.10"
    assert why(too_much).endswith("ask a casino supervisor")
    assert refused(tale.wager(2, "bob", 500)) == ""
    assert refused(tale.wager(1, "ann", 1000)) == ""
    tale.ask(NewShoe())
    assert view(tale.state)["house"]["restricted"] == {}
    assert refused(tale.wager(2, "bob", 1000)) == ""


def test_5_10_who_declines_a_round_is_one_too() -> None:
    tale = Tale()
    play_round(tale, "ann", "bob")
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == "5.10"
    play_round(tale, "ann")
    play_round(tale, "ann", "bob")
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == ""
    assert refused(tale.ask(Restrict("ann", "minimum"), SUPERVISOR)) == "5.10"


def test_5_10_a_new_shoe_forgets_who_missed_a_round() -> None:
    tale = Tale()
    play_round(tale, "ann")
    tale.ask(NewShoe())
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == "5.10"
    tale.deal("2S")  # the burn card
    play_round(tale, "bob")
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == "5.10"
    assert refused(tale.ask(Restrict("ann", "minimum"), SUPERVISOR)) == ""


def test_5_10_the_minimum_is_the_one_on_the_sign() -> None:
    tale = Tale()
    play_round(tale, "ann")
    tale.ask(Restrict("bob", "minimum"), SUPERVISOR)
    tale.ask(SetLimits(200, 5000), SUPERVISOR)
    assert refused(tale.wager(2, "bob", 500)) == "5.10"
    assert refused(tale.wager(2, "bob", 200)) == ""


def test_5_10_without_an_amount_the_dealer_is_prompted() -> None:
    tale = Tale()
    play_round(tale, "ann")
    tale.ask(Restrict("bob", "minimum"), SUPERVISOR)
    told = tale.ask(Wager(box=2, player="bob"))
    assert prompts(told)["5.10"] == "bob wagers the minimum of $5"


def test_5_10_same_again_does_not_go_round_a_restriction() -> None:
    tale = Tale()
    play_round(tale, "ann")
    play_round(tale, "ann", "bob")
    tale.ask(Restrict("bob", "minimum"), SUPERVISOR)
    assert refused(tale.ask(SameAgain())) == "5.10"
    assert tale.state.play.boxes == ()


@pytest.mark.parametrize(("to", "rule"), [("minimum", "5.10"), ("further-shoes", "5.11")])
def test_5_10_5_11_only_where_a_shoe_is_in_use(to: Limit, rule: str) -> None:
    tale = fitted(SHUFFLER)
    tale.ask(Use("shuffler-1"))
    tale.take(CardOut(device="shuffler-1", card=Card("2S")))
    tale.wager()
    tale.ask(NoMoreBets())
    tale.take(CardOut(device="shuffler-1", card=Card("3S")))
    assert refused(tale.ask(Restrict("bob", to), DUTY_MANAGER)) == rule


def test_5_11_for_further_shoes_once_an_inspector_was_notified() -> None:
    tale = Tale()
    assert refused(tale.ask(Restrict("bob", "further-shoes"), DUTY_MANAGER)) == "5.11"
    play_round(tale, "ann")
    assert refused(tale.ask(Restrict("bob", "further-shoes"), SUPERVISOR)) == "5.11"
    told = tale.ask(Restrict("bob", "further-shoes"), DUTY_MANAGER)
    assert prompts(told)["5.11"] == "Notify an inspector before bob is restricted"
    assert "Notify an inspector before bob" in view(tale.state)["next"]
    assert refused(tale.wager(2, "bob", 1000)) == "", "it does not hold yet"
    assert refused(tale.ask(InspectorNotified("bob"))) == "5.11"
    assert refused(tale.ask(InspectorNotified("bob"), INSPECTOR)) == ""
    assert refused(tale.wager(2, "bob", 1000)) == "5.11"
    tale.ask(NewShoe())
    late = tale.wager(2, "bob", 1000)
    assert refused(late) == "5.11"
    assert why(late).endswith("ask the casino duty manager")


@pytest.mark.parametrize("by", ROLES)
def test_5_12_a_casino_duty_manager_limits_to_one_box(by: str) -> None:
    told = Tale().ask(Restrict("bob", "one-box"), by)
    assert refused(told) == ("" if by == DUTY_MANAGER else "5.12")


def test_5_12_one_box_at_the_minimum_once_an_inspector_was_notified() -> None:
    tale = Tale()
    tale.ask(Restrict("bob", "one-box"), DUTY_MANAGER)
    assert view(tale.state)["house"]["restricted"]["bob"]["waits"]
    told = tale.ask(InspectorNotified("bob"), DUTY_MANAGER)
    assert prompts(told)["5.12"] == "Tell bob: one box at the minimum"
    assert refused(tale.wager(2, "bob", 1000)) == "5.12"
    assert refused(tale.wager(2, "bob", 500)) == ""
    assert refused(tale.wager(3, "bob", 500)) == "5.12"
    tale.ask(Withdraw(2, "bob"))
    assert refused(tale.wager(3, "bob", 500)) == ""


def test_5_11_5_12_nothing_is_confirmed_that_does_not_wait() -> None:
    assert refused(Tale().ask(InspectorNotified("bob"), INSPECTOR)) == "5.11"


def test_5_10_5_12_a_restriction_is_lifted_by_who_may_give_it() -> None:
    tale = Tale()
    assert refused(tale.ask(Lift("bob"), DUTY_MANAGER)) == "5.10"
    play_round(tale, "ann")
    tale.ask(Restrict("bob", "minimum"), SUPERVISOR)
    assert refused(tale.ask(Lift("bob"), "dealer")) == "5.10"
    assert refused(tale.ask(Lift("bob"), SUPERVISOR)) == ""
    tale.ask(Restrict("bob", "one-box"), DUTY_MANAGER)
    tale.ask(InspectorNotified("bob"), INSPECTOR)
    assert refused(tale.ask(Lift("bob"), SUPERVISOR)) == "5.12"
    assert refused(tale.ask(Lift("bob"), DUTY_MANAGER)) == ""
    assert refused(tale.wager(2, "bob", 1000)) == ""


def test_5_10_a_first_card_that_is_dealt_again_is_no_second_round() -> None:
    tale = Tale()
    play_round(tale, "ann", "bob")
    tale.wager(1, "ann")
    tale.wager(2, "bob")
    tale.ask(NoMoreBets())
    tale.deal("2S")
    tale.pedal("left", held=True)
    assert tale.state.in_hand == (Card("2S"),)
    attendance = tale.state.house.attendance
    tale.deal("3S")
    assert tale.state.house.attendance == attendance
    assert refused(tale.ask(Restrict("bob", "minimum"), SUPERVISOR)) == "5.10"


def nz_round(*players: str) -> Tale:
    """Return an NZ table after a round of these players."""
    tale = Tale(NZ)
    play_round(tale, *players)
    return tale


def test_nz_5_8_a_who_missed_the_first_round() -> None:
    tale = nz_round("ann")
    assert refused(tale.ask(Restrict("bob", "minimum"), "dealer")) == "nz:5.8"
    assert refused(tale.ask(Restrict("ann", "minimum"), SUPERVISOR)) == "nz:5.8"
    assert "nz:5.8(a)" in prompts(tale.ask(Restrict("bob", "minimum"), SUPERVISOR))
    assert refused(tale.wager(2, "bob", 1000)) == "nz:5.8(a)"


def test_nz_5_8_b_who_sat_a_round_out() -> None:
    tale = nz_round("ann", "bob")
    play_round(tale, "ann")
    tale.ask(Restrict("bob", "minimum"), SUPERVISOR)
    assert refused(tale.wager(2, "bob", 1000)) == "nz:5.8(b)"
    tale.ask(NewShoe())
    assert refused(tale.wager(2, "bob", 1000)) == ""


@pytest.mark.parametrize("to", ["further-shoes", "one-box"])
def test_nz_5_8_nobody_is_held_to_more_than_the_minimum(to: Limit) -> None:
    assert refused(nz_round("ann").ask(Restrict("bob", to), DUTY_MANAGER)) == "nz:5.8"
