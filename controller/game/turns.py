"""Whose turn it is and where the next card goes: worked out of the play, kept nowhere.

Hands act from the dealer's left, box by box (10.1), the hands of a split one after the other,
each new hand right after the one it came from (12.2).
"""

import enum
from collections.abc import Iterator
from typing import Final

import msgspec

from controller.cards import UNREAD, is_ace
from controller.game.exposure import is_face_down
from controller.game.hands import (
    TWENTY_ONE,
    could_be_natural,
    dealer_must_draw,
    has_natural,
    is_bust,
    is_natural,
    is_pair_by_value,
    points,
)
from controller.game.play import Box, Hand, Play, RoundState


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a card goes: to a hand on a box, to the dealer, or nowhere yet (``undue``)."""

    box: int = 0
    hand: int = 0

    @property
    def is_dealer(self) -> bool:
        """Tell whether it is the dealer's hand."""
        return self == DEALER


DEALER = Place()
UNDUE = Place(box=-1)


def hands(play: Play) -> Iterator[tuple[Box, Hand]]:
    """Yield every player's hand in the order in which they act."""
    for box in play.boxes:
        for hand in box.hands:
            yield box, hand


# --- the initial deal (7) ---------------------------------------------------------------------


def initial_place(play: Play) -> Place | None:
    """Return where the next card of the initial deal goes; None when it is complete (7)."""
    dealt_to = [box for box in play.boxes if not box.hands or box.live(box.hands[0])]
    for box in dealt_to:
        if not box.hands or not box.hands[0].cards:
            return Place(box.number, 1)
    if not play.dealer:
        return DEALER
    for box in dealt_to:
        if len(box.hands[0].cards) == 1 and not box.hands[0].split:
            return Place(box.number, 1)
    return None


# --- the hands in turn (10, 11, 12, 18.8 to 18.10) --------------------------------------------


def may_split_again(play: Play, box: Box, hand: Hand) -> bool:
    """Tell whether a hand of a split, of two cards only (12.5.5), may form a third (12.4, 12.5)."""
    return play.game.resplit and hand.split and len(box.hands) == 2 and is_pair_by_value(hand.cards)


def is_split_ace(hand: Hand) -> bool:
    """Tell whether the hand came of splitting aces: one card more, no decision (12.3.1, 12.5.4)."""
    return hand.split and is_ace(hand.cards[0])


def waits_for_word(play: Play, box: Box, hand: Hand) -> bool:
    """Tell whether a split ace holds a second ace and may still be split; a card says stand."""
    return (
        is_split_ace(hand)
        and len(hand.cards) == 2
        and not hand.stood
        and may_split_again(play, box, hand)
    )


def is_over(play: Play, box: Box, hand: Hand) -> bool:
    """Tell whether nothing more is asked for this hand and no card is dealt to it."""
    if not box.live(hand):  # 17.5.1: everybody on it has left
        return True
    if len(hand.cards) < 2:
        return False
    if is_face_down(play, box, hand):  # 3.5.2: no turn is skipped that the cards would end
        return hand.stood
    best = points(hand, play.game)
    return (
        hand.stood
        or bool(box.surrendered)  # 18.6.2, 18.6.3: 18.6.6: no further cards, also for the others
        or bool(play.refused and _refused(play, box, hand))  # 16.3
        or (best is not None and best >= TWENTY_ONE)  # 10.3, 10.5
        or bool(hand.doubled_on and len(hand.cards) > hand.doubled_on)  # 11.1.3, 18.9.1.3
        or (is_split_ace(hand) and not waits_for_word(play, box, hand))  # 12.3.1, 18.10.4
        or stands_by_absence(play, box, hand)  # 16.8
    )


LOWEST_STAND: Final = 12  # 10.2


def _refused(play: Play, box: Box, hand: Hand) -> bool:
    """Tell whether who calls for the hand has refused a card in error and may stand (16.3)."""
    return box.caller(hand) in play.refused and not must_draw(play, box, hand)


def must_draw(play: Play, box: Box, hand: Hand) -> bool:
    """Tell whether the hand has no choice but to take a card (10.2, 11.1.3, 12.2).

    At Pontoon a hand of two cards may stand on any total (18.8.1).
    """
    if len(hand.cards) < 2 or awaits_double_card(hand):
        return True
    if box.absent:  # 16.8
        best = points(hand, play.game)
        return best is not None and best < LOWEST_STAND
    if waits_for_word(play, box, hand) or (play.game.is_pontoon and len(hand.cards) == 2):
        return False
    best = points(hand, play.game)
    return best is not None and best < LOWEST_STAND


def stands_by_absence(play: Play, box: Box, hand: Hand) -> bool:
    """Tell whether the hand has its cards by 16.8: nobody is there, and it exceeds 11.

    A hand that doubled gets its one card all the same (11.1.3, 18.9.1.3).
    """
    if not box.absent or len(hand.cards) < 2 or awaits_double_card(hand):
        return False
    best = points(hand, play.game)
    return best is not None and best >= LOWEST_STAND


def hand_in_turn(play: Play) -> tuple[Box, Hand] | None:
    """Return the hand that acts now, with its box; None when all have acted."""
    if play.state not in {RoundState.INTERIM_SETTLEMENT, RoundState.SUBSEQUENT_DEAL}:
        return None
    return next(((box, hand) for box, hand in hands(play) if not is_over(play, box, hand)), None)


def hand_for_card(play: Play) -> tuple[Box, Hand] | None:
    """Return the hand that a card now goes to: the one in turn, past split aces that wait."""
    return next(
        (
            (box, hand)
            for box, hand in hands(play)
            if not is_over(play, box, hand) and not waits_for_word(play, box, hand)
        ),
        None,
    )


def awaits_double_card(hand: Hand) -> bool:
    """Tell whether the hand has doubled and its one card is still to come (11.1.3)."""
    return bool(hand.doubled_on) and len(hand.cards) == hand.doubled_on


# --- the dealer's hand (13, 18.11) -------------------------------------------------------------


class Needs(enum.IntEnum):
    """How far the dealer's hand must go to decide what is left (13.4)."""

    NOTHING = 0
    SECOND_CARD = 1
    ALL = 2


def hand_is_settled(play: Play, box: Box, hand: Hand) -> bool:
    """Tell whether every wager on the hand is decided without the dealer's further cards."""
    if is_face_down(play, box, hand):
        return False
    if is_bust(hand, play.game) or set(hand.forfeited) >= set(box.live(hand)):
        return True
    if play.game.is_pontoon:
        return points(hand, play.game) == TWENTY_ONE
    if has_natural(hand):
        return blackjack_is_safe(play) or set(box.even_money) >= set(box.live(hand))
    return False


def blackjack_is_safe(play: Play) -> bool:
    """Tell whether the dealer's first card can no longer become a blackjack (9.1.1)."""
    return bool(play.dealer) and play.dealer[0] != UNREAD and not could_be_natural(play.dealer[0])


def _hand_needs(play: Play, box: Box, hand: Hand) -> Needs:
    if hand_is_settled(play, box, hand):
        return Needs.NOTHING
    if is_face_down(play, box, hand):  # 3.5.2: what it is, is not told by what the dealer draws
        return Needs.ALL
    if has_natural(hand):  # a blackjack that only a blackjack can tie
        return Needs.SECOND_CARD
    if set(box.live(hand)) - set(hand.forfeited) <= set(box.surrendered):
        return Needs.SECOND_CARD
    return Needs.ALL


def dealer_needs(play: Play) -> Needs:
    """Return how far the dealer must draw for what is not decided yet (13.4)."""
    most = max((_hand_needs(play, box, hand) for box, hand in hands(play)), default=Needs.NOTHING)
    insured = any(set(dict(box.insured)) - {*box.even_money, *box.left} for box in play.boxes)
    return max(most, Needs.SECOND_CARD if insured else Needs.NOTHING)


def dealer_is_complete(play: Play) -> bool:
    """Tell whether no card more can matter to the round, or the dealer stands (13.2, 13.4)."""
    needs = dealer_needs(play)
    if needs is Needs.NOTHING:
        return True
    if UNREAD in play.dealer or len(play.dealer) < 2:
        return False
    return needs is Needs.SECOND_CARD or not dealer_must_draw(play.dealer, play.game)


def dealer_has_natural(play: Play) -> bool:
    """Tell whether the dealer has a blackjack or pontoon."""
    return is_natural(play.dealer)


# --- the next card ------------------------------------------------------------------------------


def next_place(play: Play) -> Place:
    """Return where a card that leaves the device now goes."""
    if play.state is RoundState.WAGERS and play.boxes:
        return initial_place(play) or UNDUE
    if play.state is RoundState.INITIAL_DEAL:
        return initial_place(play) or UNDUE
    if play.state in {RoundState.INTERIM_SETTLEMENT, RoundState.SUBSEQUENT_DEAL}:
        if play.error_card:
            return UNDUE
        if turn := hand_for_card(play):
            return Place(turn[0].number, turn[1].number)
        return UNDUE if dealer_is_complete(play) else DEALER
    if play.state is RoundState.DEALERS_HAND:
        return DEALER
    return UNDUE
