"""Blackjack: how a wager on a hand ends (9.1, 10.5, 15.1)."""

from controller.cards import UNREAD
from controller.game.hands import TWENTY_ONE, has_natural, is_bust, points, total
from controller.game.play import Box, Hand, Play
from controller.game.turns import (
    blackjack_is_safe,
    dealer_has_natural,
    dealer_is_complete,
    initial_place,
    is_over,
)
from controller.game.verdict import Verdict
from controller.money import EVENS, THREE_TO_TWO


def verdict(play: Play, box: Box, hand: Hand, player: str, *, double: bool) -> Verdict | None:
    """Return how the player's wager on the hand ends, or None while it is open.

    ``double`` asks for the doubled portion.
    """
    if initial_place(play) is not None:
        return None
    if is_bust(hand, play.game):
        return Verdict("lose", "10.5")
    if has_natural(hand):
        return _blackjack(play, box, player)
    best = points(hand, play.game)
    if best is None or not is_over(play, box, hand) or not dealer_is_complete(play):
        return None
    return _against_dealer(play, best, original=hand.number == 1 and not double)


def _blackjack(play: Play, box: Box, player: str) -> Verdict | None:
    if player in box.even_money:
        return Verdict("win", "9.1.2", EVENS)
    if blackjack_is_safe(play):
        return Verdict("win", "15.1.1", THREE_TO_TWO)
    if len(play.dealer) < 2 or UNREAD in play.dealer:  # 9.1.3: it waits for the dealer's hand
        return None
    if dealer_has_natural(play):
        return Verdict("stand-off", "15.1.7")
    return Verdict("win", "15.1.1", THREE_TO_TWO)


def _against_dealer(play: Play, best: int, *, original: bool) -> Verdict:
    if dealer_has_natural(play):
        # 11.5, 12.7: only the original wager is collected.
        return Verdict("lose", "15.1.5") if original else Verdict("stand-off", "15.1.9")
    dealers = total(play.dealer) or 0
    if dealers > TWENTY_ONE:
        return Verdict("win", "15.1.2", EVENS)
    if best > dealers:
        return Verdict("win", "15.1.3", EVENS)
    if best < dealers:
        return Verdict("lose", "15.1.6")
    return Verdict("stand-off", "15.1.8")
