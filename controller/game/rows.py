"""The round as the rule book tells it: one row, one sentence.

Read a row as: by *clause*, at *state*, on *move*, go to *state*, if *guard*, then *effect*.
The first row whose guard holds is taken.  Rows on ``Advance`` follow by themselves, as long as
one holds; they only move on and never do anything.  A card is never refused: whatever state
the round is in, some row says what becomes of it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.game import absence, doubling, ending, exposure, offers, splitting, wagers
from controller.game import dealing as d
from controller.game import irregularities as error
from controller.game import side_wagers as aside
from controller.game.moves import (
    Absent,
    AcceptCard,
    Advance,
    Burn,
    CallDecisions,
    CardDealt,
    CardHeld,
    Cleared,
    Double,
    ErrorCard,
    EvenMoney,
    Expose,
    Forfeit,
    GivenBack,
    Insure,
    Leave,
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
from controller.game.options import Game
from controller.game.play import RoundState
from controller.game.row import Row

W = (RoundState.WAGERS,)
DEAL = (RoundState.INITIAL_DEAL,)
OPEN = (*W, *DEAL)
OFFERS = (RoundState.INTERIM_SETTLEMENT,)
PLAY = (RoundState.INTERIM_SETTLEMENT, RoundState.SUBSEQUENT_DEAL)
CARDS = (*DEAL, *PLAY)
DEALER = (RoundState.DEALERS_HAND,)
FINAL = (RoundState.FINAL_SETTLEMENT,)
DEALT = (*DEAL, *PLAY, *DEALER, *FINAL)
TABLE = (*W, *DEALT)
VOID = (RoundState.VOID,)
ENDED = (*FINAL, *VOID)
ALL = (*TABLE, *VOID)

to = RoundState

COMMON: Final[tuple[Row, ...]] = (
    #   by         at      on          go to                   if                           then
    Row("5.2",     OPEN,   Wager,      None,                   wagers.may_wager,            wagers.place),
    Row("5.3",     OPEN,   Withdraw,   None,                   wagers.may_withdraw,         wagers.withdraw),
    Row("5.5",     (*OPEN, *PLAY),
                           CallDecisions, None,                wagers.may_call,             wagers.call),
    Row("7",       W,      NoMoreBets, to.INITIAL_DEAL,        wagers.any_wager,            wagers.call_no_more_bets),
    Row("5.2",     W,      CardDealt,  to.INITIAL_DEAL,        wagers.any_wager,            d.deal_initial),
    Row("16.2",    W,      CardDealt,  None,                   wagers.no_wager,             d.hold_undue),
    Row("7",       DEAL,   CardDealt,  None,                   None,                        d.deal_initial),
    Row("7",       DEAL,   Advance,    to.INTERIM_SETTLEMENT,  d.initial_deal_is_complete),
    Row("3.5.2",   CARDS,  Expose,     None,                   exposure.may_expose,         exposure.expose),
    Row("8",       OFFERS, Insure,     None,                   offers.may_insure,           offers.insure),
    Row("16.2",    PLAY,   CardDealt,  None,                   error.an_error_card_waits,   d.hold_undue),
    Row("10.1.4",  PLAY,   CardDealt,  to.SUBSEQUENT_DEAL,     d.a_hand_takes_cards,        d.deal_to_hand),
    Row("10.1.3",  PLAY,   Stand,      to.SUBSEQUENT_DEAL,     d.may_stand,                 d.stand),
    Row("10.1.1",  PLAY,   Double,     to.SUBSEQUENT_DEAL,     doubling.may_double,         doubling.double),
    Row("10.1.2",  PLAY,   Split,      to.SUBSEQUENT_DEAL,     splitting.may_split,         splitting.split),
    Row("13.1",    PLAY,   CardDealt,  to.DEALERS_HAND,        d.dealer_draws,              d.deal_to_dealer),
    Row("16.2",    PLAY,   CardDealt,  None,                   None,                        d.hold_undue),
    Row("13.4",    PLAY,   Advance,    to.FINAL_SETTLEMENT,    d.nothing_is_left),
    Row("13.1",    (RoundState.SUBSEQUENT_DEAL,),
                           Advance,    to.DEALERS_HAND,        d.all_have_acted),
    Row("13.1",    OFFERS, Advance,    to.DEALERS_HAND,        d.the_dealer_has_drawn),
    Row("13.2",    DEALER, CardDealt,  None,                   None,                        d.deal_to_dealer),
    Row("13.4",    DEALER, Advance,    to.FINAL_SETTLEMENT,    d.nothing_is_left),
    Row("16.5",    ENDED,  CardDealt,  None,                   None,                        d.hold_undue),
    Row("15.2",    FINAL,  Cleared,    to.CLEARED,             d.nothing_is_open,           d.clear),
    Row("16.2",    DEAL,   ErrorCard,  None,                   None,                        error.deal_initial_in_error),
    Row("16.2",    PLAY,   ErrorCard,  None,                   error.an_error_card_waits,   error.wait_behind),
    Row("16.2",    PLAY,   ErrorCard,  None,                   error.a_hand_is_asked,       error.offer),
    Row("16.2",    PLAY,   ErrorCard,  to.DEALERS_HAND,        d.dealer_draws,              error.deal_to_dealer_in_error),
    Row("16.2",    PLAY,   ErrorCard,  None,                   None,                        error.hold_in_error),
    Row("16.2",    DEALER, ErrorCard,  None,                   None,                        error.deal_to_dealer_in_error),
    Row("16.5",    ENDED,  ErrorCard,  None,                   None,                        error.hold_in_error),
    Row("16.2",    PLAY,   AcceptCard, to.SUBSEQUENT_DEAL,     error.may_accept,            error.accept),
    Row("16.3",    PLAY,   RefuseCard, to.SUBSEQUENT_DEAL,     error.may_refuse,            error.refuse),
    Row("16.6",    TABLE,  VoidRound,  to.VOID,                ending.any_box,              ending.void_round),
    Row("17.3.4",  DEALT,  GivenBack,  None),
    Row("17.5.1",  DEALT,  Leave,      None,                   ending.may_leave,            ending.leave),
    Row("15.2",    VOID,   Cleared,    to.CLEARED,             d.no_card_waits,             d.clear),
    Row("16.8",    DEALT,  Absent,     None,                   absence.may_be_absent,       absence.be_absent),
    Row("16.8",    DEALER, Present,    to.SUBSEQUENT_DEAL,     absence.may_act_again,       absence.come_back),
    Row("16.8",    DEALT,  Present,    None,                   absence.may_come_back,       absence.come_back),
    Row("16.5",    ALL,    CardHeld,   None,                   None,                        d.hold_undue),
    Row("16.1",    ALL,    Burn,       None,                   None,                        d.burn),
)  # fmt: skip

BLACKJACK: Final[tuple[Row, ...]] = (
    *COMMON,
    Row("9.1.2",   OFFERS, EvenMoney,  None,                   offers.may_take_even_money,  offers.take_even_money),
)  # fmt: skip

PONTOON: Final[tuple[Row, ...]] = (
    *COMMON,
    Row("18.6.1",  OFFERS, Surrender,  None,                   offers.may_surrender,        offers.surrender),
    Row("18.9.5",  (*PLAY, *DEALER),
                           Forfeit,    None,                   doubling.may_forfeit,        doubling.forfeit),
    Row("18.14.6", (*PLAY, *DEALER, *FINAL),
                           PressJackpot, None,                 aside.may_press_jackpot,     aside.press_jackpot),
    Row("18.14.6", (*PLAY, *DEALER, *FINAL),
                           PrizeDrawn, None,                   aside.may_take_prize,        aside.take_prize),
)  # fmt: skip


ROWS: Final = MappingProxyType({"blackjack": BLACKJACK, "pontoon": PONTOON})


def rows_name(game: Game) -> str:
    """Return which rows the game is played by; the NZ division plays by those of Pontoon."""
    return "pontoon" if game.is_pontoon else "blackjack"


# What gives a choice, for a refusal when no row of the present state speaks of it.
CHOICE: Final[Mapping[type[Struct], tuple[str, str]]] = MappingProxyType({
    Wager: ("5.2", "wagers are placed before the first card"),
    Withdraw: ("5.3", "no wager is withdrawn after the first card"),
    NoMoreBets: ("7", "no more bets is called before the deal"),
    Stand: ("10.1.3", "no hand is in turn"),
    Double: ("10.1.1", "no hand is in turn"),
    Split: ("10.1.2", "no hand is in turn"),
    Forfeit: ("18.9.5", "nothing can be forfeited now: only right after the double card"),
    Surrender: ("18.6.1", "surrender stands from the initial deal to the first further card"),
    Insure: ("8", "insurance stands from the initial deal to the first further card"),
    EvenMoney: ("9.1.2", "even money stands from the initial deal to the first further card"),
    PressJackpot: ("18.14.6", "the jackpot button waits for the end of the initial deal"),
    Expose: ("3.5.2", "no cards lie face down"),
    CallDecisions: ("5.5", "no decision is left to be called in this round"),
    Absent: ("16.8", "the box has no cards yet, or the round is over"),
    Present: ("16.8", "the box has no cards yet, or the round is over"),
    AcceptCard: ("16.2", "no card is offered"),
    RefuseCard: ("16.3", "no card is offered"),
    Cleared: ("15.2", "the round is not over"),
})  # fmt: skip


_AT_BLACKJACK: Final = "Blackjack has no {}: a hand doubles, splits, stands or takes a card"

# What a game does not have, where another one does: the clause that says what it has instead.
NOT_PLAYED: Final[Mapping[str, Mapping[type[Struct], tuple[str, str]]]] = MappingProxyType({
    "blackjack": MappingProxyType(
        {
            Forfeit: ("10.1", _AT_BLACKJACK.format("forfeit")),
            Surrender: ("10.1", _AT_BLACKJACK.format("surrender")),
            PressJackpot: ("14.1", "Blackjack has no jackpot: that is a wager of Pontoon"),
        }
    ),
    "pontoon": MappingProxyType(
        {EvenMoney: ("18.7.1", "pontoon is paid 3 to 2 at once: there is no even money")}
    ),
})  # fmt: skip


def is_played(game: Game, move: type[Struct]) -> bool:
    """Tell whether the game knows such a request at all."""
    return move not in NOT_PLAYED[rows_name(game)]


def why_not(game: Game, move: type[Struct]) -> tuple[str, str]:
    """Return the clause that gives a choice, or says what there is instead, and why not now."""
    return NOT_PLAYED[rows_name(game)].get(move, CHOICE[move])
