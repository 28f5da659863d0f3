"""Pontoon: how a wager on a hand ends (18.9, 18.12, 18.13; nz:5.1)."""

from typing import Final

from controller.cards import rank
from controller.game.hands import (
    TWENTY_ONE,
    has_natural,
    is_bust,
    is_sevens,
    odds_of_21,
    one_suit,
    points,
    total,
)
from controller.game.play import Bet, Box, Hand, Play
from controller.game.turns import dealer_has_natural, dealer_is_complete, initial_place, is_over
from controller.game.verdict import Verdict
from controller.money import EVENS, THREE_TO_TWO

SUPER_BONUS_FROM: Final = 500  # 18.13.1: a wager of $5
HIGH_SUPER_BONUS_FROM: Final = 2500  # ... and of $25
SUPER_BONUS: Final = 100_000
HIGH_SUPER_BONUS: Final = 500_000

# The same seven sentences stand in both texts: (NSW, NZ).
_BUST: Final = ("10.5", "nz:5.1(f)")
_PONTOON: Final = ("18.12.1.1", "nz:5.1(c)")
_TWENTY_ONE: Final = ("18.12.1.2", "nz:5.1(d)")
_DEALER_BUST: Final = ("18.12.1.4", "nz:5.1(a)")
_HIGHER: Final = ("18.12.1.5", "nz:5.1(b)")
_LOWER: Final = ("18.12.1.9", "nz:5.1(g)")
_SAME: Final = ("18.12.1.10", "nz:5.1(e)")


def verdict(play: Play, box: Box, hand: Hand, player: str, *, double: bool) -> Verdict | None:
    """Return how the player's wager on the hand ends, or None while it is open.

    ``double`` asks for the doubled portion.
    """
    if initial_place(play) is not None:
        return None
    if is_bust(hand, play.game):
        return Verdict("lose", _cite(play, _BUST))
    if player in hand.forfeited:  # 18.9.6
        return Verdict("forfeited" if double else "lose", "18.9.6")
    best = points(hand, play.game)
    if best == TWENTY_ONE:
        return _twenty_one(play, box, hand, player)
    if player in box.surrendered:
        return _surrendered(play)
    if best is None or not is_over(play, box, hand) or not dealer_is_complete(play):
        return None
    return _against_dealer(play, best, original=hand.number == 1 and not double)


def _cite(play: Play, clauses: tuple[str, str]) -> str:
    return clauses[play.game.is_nz]


def _twenty_one(play: Play, box: Box, hand: Hand, player: str) -> Verdict:
    """21 wins whatever the dealer gets, by Table 1 unless anybody doubled (18.9.3, 18.9.4).

    It is paid when it is made: pontoon (18.7.1, nz:3.2(b)(i)), 21 (18.7.2.1), Super Bonus
    (18.7.2.2).
    """
    if has_natural(hand):
        return Verdict("win", _cite(play, _PONTOON), THREE_TO_TWO)
    if hand.doubled:
        return Verdict("win", _cite(play, _TWENTY_ONE), EVENS)
    if is_super_bonus(play, box, hand):
        bet = box.bet(player)
        stake = bet.main if bet else 0
        if stake is None:  # no amounts on this box: the bracket is the dealer's to see
            return Verdict("win", "18.12.1.3")
        if stake >= SUPER_BONUS_FROM:
            high = stake >= HIGH_SUPER_BONUS_FROM
            return Verdict("win", "18.12.1.3", fixed=HIGH_SUPER_BONUS if high else SUPER_BONUS)
    return Verdict("win", _cite(play, _TWENTY_ONE), odds_of_21(hand.cards))


def _surrendered(play: Play) -> Verdict | None:
    if dealer_has_natural(play):
        return Verdict("lose", "18.6.5")
    if not dealer_is_complete(play):
        return None
    return Verdict("surrendered", "18.12.1.11")


def _against_dealer(play: Play, best: int, *, original: bool) -> Verdict:
    if dealer_has_natural(play):
        # 18.9.8, 18.10.3 (as 11.5, 12.7): only the original wager is collected.
        return (
            Verdict("lose", _cite(play, ("18.12.1.7", "nz:5.1(g)")))
            if original
            else Verdict("stand-off", "18.12.1.8")
        )
    dealers = total(play.dealer) or 0
    if dealers > TWENTY_ONE:
        return Verdict("win", _cite(play, _DEALER_BUST), EVENS)
    if best > dealers:
        return Verdict("win", _cite(play, _HIGHER), EVENS)
    if best < dealers:
        return Verdict("lose", _cite(play, _LOWER))
    return Verdict("stand-off", _cite(play, _SAME))


def is_super_bonus(play: Play, box: Box, hand: Hand) -> bool:
    """Tell whether the hand is three sevens of a suit against a dealer's seven (18.13.1).

    Neither split nor doubled, and somebody on it has wagered $5 or more.
    """
    return (
        play.game.super_bonus
        and is_sevens(hand.cards)
        and one_suit(hand.cards)
        and bool(play.dealer)
        and rank(play.dealer[0]) == "7"
        and not hand.split
        and not hand.doubled
        and any(_may_win_super_bonus(play, box, bet) for bet in box.bets)
    )


def super_bonus_winners(play: Play) -> frozenset[str]:
    """Return the players who win a Super Bonus themselves (18.12.1.3)."""
    return frozenset(
        bet.player
        for box in play.boxes
        for hand in box.hands
        if is_super_bonus(play, box, hand)
        for bet in box.bets
        if _may_win_super_bonus(play, box, bet)
    )


def _may_win_super_bonus(play: Play, box: Box, bet: Bet) -> bool:
    """Tell whether the wager is $5 or more; one that went back has won nothing (16.6, 17.5.1)."""
    if play.gone_by(box.number, bet.player, "main", 1) is not None:
        return False
    return bet.main is None or bet.main >= SUPER_BONUS_FROM
