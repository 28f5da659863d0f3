"""Rule 16.2 to 16.4: a card dealt, exposed or burned in error is offered as the next card."""

import msgspec

from controller.cards import UNREAD
from controller.game.dealing import (
    acted_on,
    deal_initial,
    deal_to_dealer,
    deal_to_hand,
    errors_on_offer,
    hold_undue,
    may_take_no_more,
    pass_on,
    without_offer,
)
from controller.game.exposure import unread_first
from controller.game.moves import AcceptCard, CardDealt, ErrorCard, Move, RefuseCard
from controller.game.play import Play, with_hand
from controller.game.row import Refusal
from controller.game.turns import hand_for_card, hands, is_over


def an_error_card_waits(play: Play, _move: Move) -> Refusal | None:
    """16.2: a card is on offer."""
    return None if play.error_card else Refusal("16.2", "no card is offered")


def a_hand_is_asked(play: Play, _move: Move) -> Refusal | None:
    """16.2: a hand that the card can be offered to."""
    return None if hand_for_card(play) else Refusal("16.2", "no hand is in turn")


def offer(play: Play, move: ErrorCard) -> Play:
    """Offer the card to the hand that the next card would go to (16.2)."""
    return pass_on(msgspec.structs.replace(play, error_card=move.card))


def wait_behind(play: Play, move: ErrorCard) -> Play:
    """A further card in error is offered when the one before it has its place (16.2)."""
    return msgspec.structs.replace(play, errors_behind=(*play.errors_behind, move.card))


def deal_initial_in_error(play: Play, move: ErrorCard) -> Play:
    """Deal it as the next card of the initial deal (16.2)."""
    return deal_initial(play, CardDealt(move.card))


def deal_to_dealer_in_error(play: Play, move: ErrorCard) -> Play:
    """Deal it as the dealer's next card (16.2)."""
    return deal_to_dealer(play, CardDealt(move.card))


def hold_in_error(play: Play, move: ErrorCard) -> Play:
    """Hold it: it is due nowhere (16.5)."""
    return hold_undue(play, CardDealt(move.card))


def may_accept(play: Play, move: AcceptCard) -> Refusal | None:
    """16.2: the hand that is asked may always take it, once its own cards are read."""
    return an_error_card_waits(play, move) or _unread(play)


def accept(play: Play, _move: AcceptCard) -> Play:
    """Deal the card to the hand that is asked, as though it were the next."""
    assert play.error_card is not None
    return pass_on(deal_to_hand(without_offer(play), CardDealt(play.error_card)))


def may_refuse(play: Play, move: RefuseCard) -> Refusal | None:
    """16.3, 10.2, 11.1.3: who must draw, or has doubled, must take it."""
    if refusal := an_error_card_waits(play, move) or _unread(play):
        return refusal
    asked = hand_for_card(play)
    return may_take_no_more(play, *asked) if asked else None


def refuse(play: Play, _move: RefuseCard) -> Play:
    """No more cards in this round for who refuses, on none of the hands that they call (16.3).

    The next player is asked; after all of them the card is the dealer's (16.4).
    """
    asked = hand_for_card(play)
    assert asked is not None
    player = asked[0].caller(asked[1])
    for box, hand in hands(play):
        mine = box.caller(hand) == player and not is_over(play, box, hand)
        if mine and may_take_no_more(play, box, hand) is None:
            now = play.box(box.number) or box
            play = with_hand(play, now, msgspec.structs.replace(hand, stood=True))
    refused = msgspec.structs.replace(play, refused=(*play.refused, player))
    return pass_on(acted_on(refused, *asked))


def _unread(play: Play) -> Refusal | None:
    """10.1, 16.2: nobody answers while the card on offer, or one of the hand, is unread."""
    asked = hand_for_card(play)
    if asked and (refusal := unread_first(*asked)):
        return refusal
    if UNREAD in errors_on_offer(play)[:1]:
        return Refusal("16.2", "the card on offer could not be read: enter it first")
    return None
