"""Rules 12 and 18.10: splitting."""

import msgspec

from controller.game.dealing import acted_on
from controller.game.doubling import (
    absent_player,
    has_refused,
    in_listed_order,
    not_there,
    strangers,
)
from controller.game.exposure import exposed_first, unread_first
from controller.game.hands import is_pair_by_value
from controller.game.moves import Split
from controller.game.play import Hand, Play, with_box
from controller.game.row import Refusal
from controller.game.turns import hand_in_turn, may_split_again

MOST_HANDS = 3  # 12.5.3


def may_split(play: Play, move: Split) -> Refusal | None:
    """12.1: two cards of one value; 12.4, 12.5: again only where that is offered."""
    turn = hand_in_turn(play)
    if turn is None:
        return Refusal("12.1", "no hand is in turn")
    box, hand = turn
    if refusal := absent_player(box) or has_refused(play, box, hand):
        return refusal
    if hand.doubled_on:
        return Refusal("11.1.3", f"box {box.number} has doubled and takes one card")
    if len(hand.cards) != 2:
        rule = "12.5.5" if play.game.resplit and len(hand.cards) > 2 else "12.1"
        return Refusal(rule, f"box {box.number} does not hold its first two cards")
    if refusal := unread_first(box, hand) or exposed_first(play, box, hand):
        return refusal
    if not is_pair_by_value(hand.cards):
        return Refusal("12.1", f"{' '.join(hand.cards)} on box {box.number} differ in value")
    if hand.split and not may_split_again(play, box, hand):
        if play.game.resplit:
            return Refusal("12.5.3", f"box {box.number} has {MOST_HANDS} hands")
        return Refusal("12.4", f"box {box.number} has split: not a second time at this table")
    named = (box.caller(hand), *move.players)
    return strangers("12.6.1", box, box.live(hand), named) or not_there(box, named)


def split(play: Play, move: Split) -> Play:
    """Form a new hand of the second card, played right after this one (12.1, 12.6).

    Who does not match keeps the wager on the hand that keeps its first card (12.6.2).  A
    third hand carries the wager of the first as well (12.5.2).
    """
    turn = hand_in_turn(play)
    assert turn is not None
    box, hand = turn
    kept = msgspec.structs.replace(hand, cards=hand.cards[:1], split=True)
    formed = Hand(
        number=len(box.hands) + 1,
        players=in_listed_order(box, (box.caller(hand), *move.players)),
        cards=hand.cards[1:],
        split=True,
        came_from=hand.number,
    )
    at = box.hands.index(hand)
    in_order = (*box.hands[:at], kept, formed, *box.hands[at + 1 :])
    return acted_on(with_box(play, msgspec.structs.replace(box, hands=in_order)), box, hand)
