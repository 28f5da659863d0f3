"""Point totals and what a hand is: plain functions on cards, asked by everybody else."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from controller.cards import UNREAD, Card, is_ace, is_ten_valued, rank, suit, value
from controller.game.options import Game
from controller.game.play import Hand
from controller.money import EVENS, THREE_TO_ONE, THREE_TO_TWO, TWO_TO_ONE, Odds

TWENTY_ONE: Final = 21


def total(cards: Sequence[Card], low_aces: int = 0) -> int | None:
    """Return the best point total (1.1 point total), or None while a card of it is unread.

    An ace counts 11, or 1 where that would be over 21 (3.2.1, nz:4.1(c)(i)).

    ``low_aces`` of the aces count 1 in any case (11.2.2, 18.9.2).

    >>> total([Card("AS"), Card("7D")]), total([Card("AS"), Card("7D"), Card("9C")])
    (18, 17)
    """
    if UNREAD in cards:
        return None
    points = sum(map(value, cards))
    free_aces = sum(map(is_ace, cards)) - low_aces
    return points + 10 if free_aces > 0 and points + 10 <= TWENTY_ONE else points


def is_soft(cards: Sequence[Card], low_aces: int = 0) -> bool:
    """Tell whether the total is soft, an ace in it counting 11 (1.1 soft total, nz:1 soft total).

    Any other is hard (1.1 hard total, nz:1 hard total).
    """
    return UNREAD not in cards and total(cards, low_aces) != sum(map(value, cards))


def is_natural(cards: Sequence[Card]) -> bool:
    """Tell whether two cards are an ace and a ten-valued card.

    At Blackjack a blackjack (1.1 blackjack), at Pontoon pontoon (18.3.1.3, nz:1 pontoon).
    """
    return len(cards) == 2 and UNREAD not in cards and total(cards) == TWENTY_ONE


def has_natural(hand: Hand) -> bool:
    """Tell whether a player's hand is a blackjack or pontoon: never after a split (12.3.2)."""
    return not hand.split and is_natural(hand.cards)


def low_aces(hand: Hand, game: Game) -> int:
    """Tell how many aces of the hand must count 1 because it doubled (11.2.2, 18.9.2)."""
    if not hand.doubled_on:
        return 0
    counted = hand.doubled_on
    if game.is_nz:
        # nz:4.1(c)(ii): only those that were dealt in the initial deal.
        counted = 1 if hand.split else 2
    return sum(map(is_ace, hand.cards[:counted]))


def points(hand: Hand, game: Game) -> int | None:
    """Return the total of a player's hand, with the ace rule of doubling."""
    return total(hand.cards, low_aces(hand, game))


def is_bust(hand: Hand, game: Game) -> bool:
    """Tell whether the hand is over 21 (10.5)."""
    return (points(hand, game) or 0) > TWENTY_ONE


def said(cards: Sequence[Card], low: int = 0) -> str:
    """Return the total as the dealer announces it (10.1, 10.4): ``7 or 17``, ``15``, ``?``."""
    best = total(cards, low)
    if best is None:
        return "?"
    if is_natural(cards) or best == TWENTY_ONE or not is_soft(cards, low):
        return str(best)
    return f"{best - 10} or {best}"


def is_sevens(cards: Sequence[Card]) -> bool:
    """Tell whether a hand is three sevens."""
    return len(cards) == 3 and all(rank(card) == "7" for card in cards)


def one_suit(cards: Sequence[Card]) -> bool:
    """Tell whether all cards are of one suit."""
    return len({suit(card) for card in cards}) == 1


def odds_of_21(cards: Sequence[Card]) -> Odds:
    """Return the odds of Table 1 (18.13.1) for a hand of 21 that did not double.

    6-7-8 and 7-7-7 count as hands of three cards; with more cards only their number counts.
    """
    if len(cards) == 3:
        pattern = Counter(map(rank, cards))
        if pattern == Counter("777") or pattern == Counter("678"):
            if not one_suit(cards):
                return THREE_TO_TWO
            return THREE_TO_ONE if suit(cards[0]) == "S" else TWO_TO_ONE
    by_count = {5: THREE_TO_TWO, 6: TWO_TO_ONE}
    return by_count.get(len(cards), THREE_TO_ONE if len(cards) > 6 else EVENS)


def is_pair_by_value(cards: Sequence[Card]) -> bool:
    """Tell whether two cards are identical in value, so that they may be split (12.1)."""
    return len(cards) == 2 and UNREAD not in cards and value(cards[0]) == value(cards[1])


def dealer_must_draw(cards: Sequence[Card], game: Game) -> bool:
    """Tell whether the dealer's total is below where the dealer stands (13.2).

    Blackjack: stands on any 17.  Pontoon: stands on hard 17 and on soft 18, draws to soft 17
    (18.11.1, nz:3.2(b)(ii)).
    """
    best = total(cards)
    if best is None:
        return False
    if game.is_pontoon and best == 17:
        return is_soft(cards)
    return best < 17


def could_be_natural(first: Card) -> bool:
    """Tell whether a dealer's first card may still become a blackjack or pontoon."""
    return is_ace(first) or is_ten_valued(first)
