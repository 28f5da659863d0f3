"""What is in time, and what nobody handles any more (5.2, 5.3, nz:5.3 to nz:5.7)."""

import pytest

from controller.cards import Card
from controller.game.house import (
    Handle,
    Reserve,
    SpokenWager,
)
from controller.game.moves import Double, Insure, NoMoreBets, Stand, Wager, Withdraw
from controller.game.options import Game
from tests.controller.table.around import NZ, SUPERVISOR, flags, prompts
from tests.controller.table.tale import BLACKJACK, Tale, refused


def test_nz_5_3_a_spoken_wager_with_chips_in_time() -> None:
    tale = Tale(NZ)
    told = tale.ask(SpokenWager(2, "bob", 1000, chips=True))
    assert prompts(told)["nz:5.3"] == "Place bob's $10 on box 2"
    assert tale.state.play.boxes[0].bets[0].main == 1000
    assert refused(tale.ask(SpokenWager(3, "cam", 1000, chips=False))) == "nz:5.3"
    tale.ask(NoMoreBets())
    assert refused(tale.ask(SpokenWager(3, "cam", 1000, chips=True))) == "nz:5.3"
    assert len(tale.state.play.boxes) == 1


def test_nz_5_3_a_spoken_wager_keeps_to_what_a_wager_keeps_to() -> None:
    tale = Tale(NZ)
    tale.ask(Reserve("ann", (3,)), SUPERVISOR)
    assert refused(tale.ask(SpokenWager(3, "bob", 1000, chips=True))) == "5.13"
    assert "6.2" in flags(tale.ask(SpokenWager(2, "bob", 100, chips=True)))


def test_nz_5_3_a_spoken_wager_is_of_chips_also_where_a_voucher_lay() -> None:
    tale = Tale(NZ)
    tale.ask(Wager(box=2, player="bob", main=1000, voucher=True))
    tale.ask(SpokenWager(2, "bob", 2000, chips=True))
    (bet,) = tale.state.play.boxes[0].bets
    assert (bet.main, bet.voucher) == (2000, False)


def test_5_1_a_spoken_wager_is_none_in_new_south_wales() -> None:
    assert refused(Tale().ask(SpokenWager(2, "bob", 1000, chips=True))) == "5.1"


def test_nz_5_5_a_nz_5_5_b_after_the_first_card_nothing_is_made_or_withdrawn() -> None:
    tale = Tale(NZ)
    tale.wager()
    tale.ask(NoMoreBets())
    assert refused(tale.wager(2, "bob")) == "", "no card is out"
    tale.deal("KS")
    assert refused(tale.wager(3, "cam")) == "nz:5.5(a)"
    assert refused(tale.ask(Withdraw(1, "ann"))) == "nz:5.5(b)"


def test_5_2_5_3_in_new_south_wales_by_its_own_clauses() -> None:
    tale = Tale()
    tale.wager()
    tale.deal("KS")
    assert refused(tale.wager(3, "cam")) == "5.2"
    assert refused(tale.ask(Withdraw(1, "ann"))) == "5.3"


def two_against(game: Game, dealer: str) -> Tale:
    """Return a table with ann on box 1 (and bob on box 2), both on twenty."""
    tale = Tale(game)
    tale.wager(1, "ann")
    tale.wager(2, "bob")
    tale.ask(NoMoreBets())
    tale.deal(f"KS KH {dealer} QS QH")
    return tale


@pytest.mark.parametrize(("game", "rule"), [(BLACKJACK, "5.3"), (NZ, "nz:5.5(b)")])
def test_5_3_nz_5_5_b_nobody_handles_a_wager_until_it_is_decided(game: Game, rule: str) -> None:
    tale = Tale(game)
    tale.wager(1, "ann")
    assert refused(tale.ask(Handle(1, "ann"))) == ""
    assert refused(tale.ask(Handle(2, "ann"))) == rule, "it is not there"
    tale.ask(NoMoreBets())
    tale.deal("KS 9D QS")
    assert refused(tale.ask(Handle(1, "ann"))) == rule
    tale.ask(Stand())
    tale.deal("JD")
    assert refused(tale.ask(Handle(1, "ann"))) == ""


def test_nz_5_6_an_optional_wager_is_not_handled_either() -> None:
    tale = two_against(NZ, "AD")
    tale.ask(Insure(1, "ann", 500))
    assert refused(tale.ask(Handle(1, "ann", "insurance"))) == "nz:5.6"
    tale = Tale(NZ)
    tale.wager(1, "ann")
    tale.deal("5S 9D 6S")
    tale.ask(Double())
    assert refused(tale.ask(Handle(1, "ann", "double"))) == "nz:5.6"


def test_nz_5_7_a_losing_wager_is_not_touched_and_winnings_wait_for_the_box() -> None:
    tale = two_against(NZ, "9D")
    tale.ask(Stand())
    tale.ask(Stand())
    told = tale.deal("AS")  # the dealer has twenty: all stand off
    assert prompts(told) == {
        "nz:5.7": "Winnings are taken when all winning wagers in the box are paid"
    }
    assert refused(tale.ask(Handle(1, "ann"))) == ""
    tale = Tale(NZ)
    tale.wager(1, "ann")
    tale.deal("KS 9D 8S")
    tale.ask(Stand())
    tale.deal("JD")
    assert refused(tale.ask(Handle(1, "ann"))) == "nz:5.7"


def test_nz_5_7_is_not_prompted_in_new_south_wales() -> None:
    tale = two_against(BLACKJACK, "9D")
    tale.ask(Stand())
    tale.ask(Stand())
    assert prompts(tale.deal("JD")) == {}


def test_nz_5_7_while_another_wager_on_the_box_is_open() -> None:
    tale = Tale(NZ)
    tale.wager(1, "ann")
    tale.deal("8S AD 8H")
    tale.ask(Insure(1, "ann", 500))
    tale.key("P")
    tale.deal("5S 8D")  # the first hand has 21
    assert tale.state.play.boxes[0].hands[0].cards == (Card("8S"), Card("5S"), Card("8D"))
    assert refused(tale.ask(Handle(1, "ann"))) == "nz:5.7"
