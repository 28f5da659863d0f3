"""What the wagers beside the hand are paid: insurance, rule 14 and rule 18.14."""

from typing import NamedTuple

from tests.oracle.layout import Box
from tests.oracle.referee import Referee


class Word(NamedTuple):
    """The referee's word on one wager.  ``bonus`` is an amount paid in place of odds."""

    result: str
    rule: str
    odds: str | None = None
    bonus: int = 0


def insurance(referee: Referee, box: Box, player: str) -> Word | None:
    if player in box.even_money:
        return Word("void", "9.1.2")
    if len(referee.dealer) < 2 or referee.unread:
        return None
    if referee.dealer_natural:
        return Word("win", "18.12.1.6" if referee.game.is_pontoon else "15.1.4", "2:1")
    return Word("lose", "13.3")


def super_sevens(referee: Referee, box: Box) -> Word | None:
    first = box.dealt[:3]
    sevens = 0
    for card in first:
        if card[0] != "7":
            break
        sevens += 1
    if referee.unread or not first:
        return None
    same_suit = len({card[1] for card in first[:sevens]}) == 1
    if sevens == 0:
        return Word("lose", "14.4.6")
    if sevens == 3:
        return Word("win", "14.4.5", "5000:1") if same_suit else Word("win", "14.4.4", "500:1")
    # The next card has come and was no seven, or none will come: the hand is over.
    if sevens == len(first) and not _no_third_card(referee, box):
        return None
    if sevens == 1:
        return Word("win", "14.4.1", "3:1")
    return Word("win", "14.4.3", "100:1") if same_suit else Word("win", "14.4.2", "50:1")


def _no_third_card(referee: Referee, box: Box) -> bool:
    if len(box.dealt) < 2 or not referee.initial_deal_done:
        return False
    return all(
        referee.finished(box, hand) and not referee.may_come_back_to(box, hand)
        for hand in box.hands
    )


def perfect_pairs(referee: Referee, box: Box) -> Word | None:
    if not referee.initial_deal_done:
        return None
    one, other = box.dealt[:2]
    if one[0] != other[0]:
        return Word("lose", "14.8")
    if one[1] == other[1]:
        return Word("win", "14.8.3", "30:1")
    if (one[1] in "HD") == (other[1] in "HD"):
        return Word("win", "14.8.2", "10:1")
    return Word("win", "14.8.1", "5:1")


def pandemonium(referee: Referee, box: Box) -> Word | None:
    if not referee.initial_deal_done or box.natural:
        return None
    return Word("lose", "18.14.5")
