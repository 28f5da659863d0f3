"""Every guard says yes to something and no to something, and its no has a clause."""

from typing import NamedTuple

import pytest

from controller.game import (
    absence,
    dealing,
    doubling,
    ending,
    exposure,
    irregularities,
    offers,
    side_wagers,
    splitting,
    wagers,
)
from controller.game.moves import (
    Absent,
    AcceptCard,
    Advance,
    CallDecisions,
    CardDealt,
    Cleared,
    Double,
    ErrorCard,
    EvenMoney,
    Expose,
    Forfeit,
    Insure,
    Leave,
    Move,
    NoMoreBets,
    Present,
    PressJackpot,
    PrizeDrawn,
    RefuseCard,
    Split,
    Stand,
    Surrender,
    VoidRound,
    Wager,
    Withdraw,
)
from controller.game.options import build
from controller.game.play import Play
from controller.game.row import Guard
from controller.game.rows import ROWS
from tests.controller.game.rounds import BLACKJACK, PONTOON, cards, dealt, table, wager

CARD = CardDealt(cards("2C")[0])
NOW = Advance()
LUCKY = Wager(box=1, player="ann", main=1000, pandemonium=500)
PRIZES = {str(prize): 1 if prize == 5 else 0 for prize in
          (250_000, 7_500, 750, 250, 50, 25, 20, 15, 10, 5)}  # fmt: skip
JACKPOT = build("pontoon-nsw", {"prizes": PRIZES})


class Asked(NamedTuple):
    """A guard asked twice: once it says no, by the clause, and once yes."""

    guard: Guard
    no: Play
    to: Move
    rule: str
    yes: Play
    also: Move


def asked(
    guard: Guard, no: Play, to: Move, rule: str, yes: Play, also: Move | None = None
) -> Asked:
    """Return a guard with what it is asked; the same move both times unless another is given."""
    return Asked(guard, no, to, rule, yes, also or to)


EMPTY = Play(game=BLACKJACK)
WAGERED = table(BLACKJACK)
HALF_DEALT = dealt(BLACKJACK, "9S 9D")
TWELVE = dealt(BLACKJACK, "9S 9D 3S")
ELEVEN = dealt(BLACKJACK, "6S 9D 5S")
PAIR = dealt(BLACKJACK, "8S 9D 8H")
STOOD = dealt(BLACKJACK, "9S 9D 3S", Stand())
FACE_DOWN = dealt(build("blackjack-nsw", {"face_down": True}), "9S 9D 3S")
OVER = dealt(BLACKJACK, "9S 9D 3S", Stand(), "KD")
UNDUE = dealt(BLACKJACK, "9S 9D 3S", Stand(), "KD 2C")
AGAINST_ACE = dealt(BLACKJACK, "AS AD KS")
PONTOON_ACE = dealt(PONTOON, "KS AD 6S")
PONTOON_NINE = dealt(PONTOON, "KS 9D 6S")
DOUBLED = dealt(PONTOON, "5S 9D 6S", Double(), "2S")
ALL_BUST = dealt(BLACKJACK, "9S 9D 3S KS")
WON = table(JACKPOT, LUCKY, "AS 9D KS")
PRESSED = table(JACKPOT, LUCKY, "AS 9D KS", PressJackpot(1))
IN_ERROR = ErrorCard(cards("5H")[0])
OFFERED = dealt(BLACKJACK, "9S 9D 3S", IN_ERROR)
OFFERED_TO_ELEVEN = dealt(BLACKJACK, "6S 9D 5S", IN_ERROR)
AWAY = dealt(BLACKJACK, "9S 9D 3S", Absent(1))
AWAY_AND_DRAWN = dealt(BLACKJACK, "9S 9D 3S", Absent(1), "5D")
VOID = dealt(BLACKJACK, "9S 9D 3S", VoidRound("16.6"))
VOID_AND_UNDUE = dealt(BLACKJACK, "9S 9D 3S", VoidRound("16.6"), "2C")

GUARDS = (
    asked(wagers.may_wager, EMPTY, wager(box=8), "2", EMPTY, wager(box=7)),
    asked(wagers.may_withdraw, WAGERED, Withdraw(2), "5.3", WAGERED, Withdraw(1)),
    asked(
        wagers.may_call,
        WAGERED,
        CallDecisions(1, "eve", "seated"),
        "5.5",
        WAGERED,
        CallDecisions(1, "ann", "seated"),
    ),
    asked(wagers.any_wager, EMPTY, NoMoreBets(), "7", WAGERED),
    asked(wagers.no_wager, WAGERED, CARD, "5.2", EMPTY),
    asked(dealing.initial_deal_is_complete, HALF_DEALT, NOW, "7", TWELVE),
    asked(dealing.a_hand_takes_cards, STOOD, CARD, "10.3", TWELVE),
    asked(dealing.may_stand, ELEVEN, Stand(), "10.2", TWELVE),
    asked(dealing.dealer_draws, TWELVE, CARD, "13.4", STOOD),
    asked(dealing.nothing_is_left, TWELVE, NOW, "13.4", ALL_BUST),
    asked(dealing.all_have_acted, TWELVE, NOW, "13.1", STOOD),
    asked(dealing.nothing_is_open, UNDUE, Cleared(), "16.2", OVER),
    asked(dealing.the_dealer_has_drawn, STOOD, NOW, "13.1", OVER),
    asked(exposure.may_expose, TWELVE, Expose(1), "3.5.1", FACE_DOWN),
    asked(absence.may_be_absent, TWELVE, Absent(2), "16.8", TWELVE, Absent(1)),
    asked(absence.may_come_back, TWELVE, Present(1), "16.8", AWAY),
    asked(absence.may_act_again, AWAY_AND_DRAWN, Present(1), "13.1", AWAY),
    asked(doubling.may_double, TWELVE, Double(), "11.1.1", ELEVEN),
    asked(doubling.may_forfeit, PONTOON_NINE, Forfeit(), "18.9.5", DOUBLED),
    asked(splitting.may_split, TWELVE, Split(), "12.1", PAIR),
    asked(offers.may_insure, TWELVE, Insure(1, "ann", 500), "8", AGAINST_ACE),
    asked(offers.may_take_even_money, TWELVE, EvenMoney(1, "ann"), "9.1.2", AGAINST_ACE),
    asked(offers.may_surrender, PONTOON_NINE, Surrender(1), "18.6.1", PONTOON_ACE),
    asked(irregularities.an_error_card_waits, TWELVE, CARD, "16.2", OFFERED),
    asked(irregularities.a_hand_is_asked, STOOD, IN_ERROR, "16.2", TWELVE),
    asked(irregularities.may_accept, TWELVE, AcceptCard(), "16.2", OFFERED),
    asked(irregularities.may_refuse, OFFERED_TO_ELEVEN, RefuseCard(), "10.2", OFFERED),
    asked(ending.any_box, EMPTY, VoidRound("16.6"), "16.6", WAGERED),
    asked(ending.may_leave, TWELVE, Leave(1, "eve"), "17.5.1", TWELVE, Leave(1, "ann")),
    asked(dealing.no_card_waits, VOID_AND_UNDUE, Cleared(), "16.2", VOID),
    asked(side_wagers.may_press_jackpot, PRESSED, PressJackpot(1), "18.14.6", WON),
    asked(side_wagers.may_take_prize, WON, PrizeDrawn(1, 5), "18.14.6", PRESSED),
)


@pytest.mark.parametrize("one", GUARDS, ids=lambda one: one.guard.__name__)
def test_a_guard_says_no_with_its_clause(one: Asked) -> None:
    refusal = one.guard(one.no, one.to)
    assert refusal is not None
    assert refusal.rule == one.rule
    assert refusal.why


@pytest.mark.parametrize("one", GUARDS, ids=lambda one: one.guard.__name__)
def test_a_guard_says_yes(one: Asked) -> None:
    assert one.guard(one.yes, one.also) is None


def test_18_14_2_every_player_on_a_box_may_wager_on_pandemonium() -> None:
    """Up to three; a fourth has no place on the box (5.4)."""
    play = Play(game=JACKPOT)
    for number, player in enumerate(("ann", "bob", "cam", "dee")):
        move = Wager(box=1, player=player, main=500, pandemonium=500)
        refusal = wagers.may_wager(play, move)
        assert (refusal and refusal.rule) == ("5.4" if number == 3 else None)
        play = wagers.place(play, move)


def test_12_5_5_a_split_hand_with_a_third_card_is_not_split_again() -> None:
    resplit = build("blackjack-nsw", {"resplit": True})
    pair = dealt(resplit, "4S 9D 4H", Split(), "4C")
    drawn = dealt(resplit, "4S 9D 4H", Split(), "4C 4D")

    assert splitting.may_split(pair, Split()) is None
    assert splitting.may_split(drawn, Split()) is not None


def test_no_guard_of_the_rows_is_left_out() -> None:
    guards = {row.when for rows in ROWS.values() for row in rows if row.when}
    assert {one.guard for one in GUARDS} == guards
