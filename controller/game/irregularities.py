"""Rule 16.2 to 16.4: a card dealt, exposed or burned in error is offered as the next card."""

import msgspec

from controller.cards import Card
from controller.game.dealing import (
    deal_initial,
    deal_to_dealer,
    deal_to_hand,
    hold_undue,
    may_end_turn,
    pass_on,
    stand,
)
from controller.game.moves import AcceptCard, CardDealt, ErrorCard, Move, RefuseCard, Stand
from controller.game.play import Play
from controller.game.row import Refusal
from controller.game.turns import hand_in_turn


def an_error_card_waits(play: Play, _move: Move) -> Refusal | None:
    """16.2: a card is on offer."""
    return None if play.error_card else Refusal("16.2", "no card is offered")


def nothing_is_offered(play: Play, _move: Move) -> Refusal | None:
    """16.2: one card at a time, and a hand that it can be offered to."""
    if play.error_card:
        return Refusal("16.2", f"{play.error_card} is offered: accept or refuse it first")
    return None if hand_in_turn(play) else Refusal("16.2", "no hand is in turn")


def offer(play: Play, move: ErrorCard) -> Play:
    """Offer the card to the hand in turn (16.2)."""
    return msgspec.structs.replace(play, error_card=move.card)


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
    """16.2: the hand in turn may always take it."""
    return an_error_card_waits(play, move)


def accept(play: Play, _move: AcceptCard) -> Play:
    """Deal the card to the hand in turn, as though it were the next."""
    return deal_to_hand(_without_offer(play), CardDealt(_offered(play)))


def may_refuse(play: Play, move: RefuseCard) -> Refusal | None:
    """16.3, 10.2: who must draw must take it."""
    return an_error_card_waits(play, move) or may_end_turn(play, move)


def refuse(play: Play, _move: RefuseCard) -> Play:
    """No more cards for this hand; the next is asked, and after all of them it is the dealer's."""
    return pass_on(stand(play, Stand()))


def _offered(play: Play) -> Card:
    assert play.error_card is not None
    return play.error_card


def _without_offer(play: Play) -> Play:
    return msgspec.structs.replace(play, error_card=None)
