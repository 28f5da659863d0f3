"""Rules 7, 10, 13 and 18.11: where the cards go, and who stands."""

import msgspec

from controller.cards import Card
from controller.game.exposure import is_face_down, turned_over, unread_first
from controller.game.hands import TWENTY_ONE, points
from controller.game.moves import Advance, Burn, CardDealt, CardHeld, Move, Stand
from controller.game.play import Box, Hand, Play, find_hand, with_hand
from controller.game.row import Refusal
from controller.game.settlement import pending
from controller.game.side_wagers import draw_due, jackpot_due
from controller.game.turns import (
    awaits_double_card,
    dealer_is_complete,
    hand_for_card,
    hand_in_turn,
    hands,
    initial_place,
    must_draw,
    stands_by_absence,
    waits_for_word,
)
from controller.game.wagers import cards_are_out, with_hands


def deal_initial(play: Play, move: CardDealt) -> Play:
    """Deal the next card of the initial deal (7, nz:1 initial deal); it closes the wagers (5.2)."""
    if not cards_are_out(play):
        play = with_hands(play)
    place = initial_place(play)
    box = play.box(place.box) if place else None
    if box is None:
        return deal_to_dealer(play, move)
    return _give(play, box, box.hands[0], move.card)


def initial_deal_is_complete(play: Play, _move: Advance) -> Refusal | None:
    """7: two cards on each box and one at the dealer's place."""
    return None if initial_place(play) is None else Refusal("7", "the initial deal goes on")


def a_hand_takes_cards(play: Play, _move: Move) -> Refusal | None:
    """10.1: somebody is still to act."""
    return None if hand_for_card(play) else Refusal("10.3", "no hand takes another card")


def deal_to_hand(play: Play, move: CardDealt) -> Play:
    """Deal a card to the hand in turn; a split ace that waited for its word has stood (12.5)."""
    turn = hand_for_card(play)
    assert turn is not None
    box, hand = turn
    if is_face_down(play, box, hand):  # 3.5.2: a hand that then proves to be over takes none
        return deal_next(turned_over(play, box, hand), move.card)
    play = acted_on(play, box, hand)
    box = play.box(box.number) or box
    play = _give(play, box, hand, move.card)
    if play.game.is_pontoon and awaits_double_card(hand) and _may_still_lose(play, box, hand):
        return msgspec.structs.replace(play, may_forfeit=(box.number, hand.number))
    return play


def deal_next(play: Play, card: Card) -> Play:
    """Deal a card to the hand in turn, else to the dealer; hold it where none is due."""
    move = CardDealt(card)
    if hand_for_card(play):
        return deal_to_hand(play, move)
    return hold_undue(play, move) if dealer_is_complete(play) else deal_to_dealer(play, move)


def _give(play: Play, box: Box, hand: Hand, card: Card) -> Play:
    """Lay a card on a hand."""
    return with_hand(play, box, msgspec.structs.replace(hand, cards=(*hand.cards, card)))


def _may_still_lose(play: Play, box: Box, hand: Hand) -> bool:
    """Tell whether the doubled hand is neither bust nor 21: only then is a forfeit a choice."""
    now = find_hand(play, box.number, hand.number)
    best = points(now, play.game)
    return best is None or best < TWENTY_ONE


def close_forfeits(play: Play) -> Play:
    """Something else was done: the doubled portion stays (18.9.5)."""
    return msgspec.structs.replace(play, may_forfeit=None)


def acted_on(play: Play, box: Box, hand: Hand) -> Play:
    """The hand was acted on: what the hands before it still left open is over."""
    return close_forfeits(_stand_waiting(play, before=(box.number, hand.number)))


def _stand_waiting(play: Play, before: tuple[int, int] | None) -> Play:
    """End the turn of split aces that waited (12.5), and of hands of who was away (16.8)."""
    for box, hand in hands(play):
        if (box.number, hand.number) == before:
            break
        if waits_for_word(play, box, hand) or stands_by_absence(play, box, hand):
            play = with_hand(
                play, play.box(box.number) or box, msgspec.structs.replace(hand, stood=True)
            )
    return play


def answer_the_offer(play: Play) -> Refusal | None:
    """16.2: while a card dealt in error is offered, the hand accepts or refuses it first."""
    if play.error_card is None:
        return None
    return Refusal("16.2", f"{play.error_card} is offered: accept or refuse it first")


def may_stand(play: Play, move: Stand) -> Refusal | None:
    """10.1.3: a hand in turn stands, when its turn may end."""
    return answer_the_offer(play) or may_end_turn(play, move)


def may_end_turn(play: Play, _move: Move) -> Refusal | None:
    """10.2, 18.8.1: from two cards at Pontoon, from 12 points otherwise."""
    turn = hand_in_turn(play)
    if turn is None:
        return Refusal("10.1.3", "no hand is in turn")
    return may_take_no_more(play, *turn)


def may_take_no_more(play: Play, box: Box, hand: Hand) -> Refusal | None:
    """10.2, 11.1.3, 12.2: whether the hand may do without a further card."""
    if refusal := unread_first(box, hand):
        return refusal
    if is_face_down(play, box, hand) or not must_draw(play, box, hand):
        return None
    if len(hand.cards) < 2:
        return Refusal("12.2", f"the split hand on box {box.number} takes its second card first")
    if awaits_double_card(hand):
        return Refusal("11.1.3", f"box {box.number} has doubled and takes one card")
    if box.absent:
        return Refusal("16.8", f"nobody is at box {box.number}: it takes cards to more than 11")
    best = points(hand, play.game)
    return Refusal("10.2", f"box {box.number} has {best}: below 12 a hand takes a card")


def stand(play: Play, _move: Stand) -> Play:
    """The hand in turn stands (10.1.3)."""
    turn = hand_in_turn(play)
    assert turn is not None
    box, hand = turn
    return acted_on(with_hand(play, box, msgspec.structs.replace(hand, stood=True)), box, hand)


def all_have_acted(play: Play, _move: Move) -> Refusal | None:
    """13.1: no hand is in turn."""
    if hand_in_turn(play):
        return Refusal("13.1", "a hand is still to act")
    return None


def the_dealer_has_drawn(play: Play, move: Move) -> Refusal | None:
    """13.1, 16.4: a card in error became the dealer's, so that the offers are over."""
    if len(play.dealer) < 2:
        return Refusal("13.1", "the dealer has not drawn")
    return all_have_acted(play, move)


def dealer_draws(play: Play, _move: Move) -> Refusal | None:
    """13.1, 13.4: every hand has had its cards and the dealer's next card can matter."""
    if hand_for_card(play) or dealer_is_complete(play):
        return Refusal("13.4", "the dealer draws no card now")
    return None


def deal_to_dealer(play: Play, move: CardDealt) -> Play:
    """Deal a card to the dealer's place."""
    play = close_forfeits(_stand_waiting(play, before=None))
    return msgspec.structs.replace(play, dealer=(*play.dealer, move.card))


def nothing_is_left(play: Play, _move: Move) -> Refusal | None:
    """13.4: every hand has acted and no card more can matter."""
    if hand_in_turn(play) or not dealer_is_complete(play):
        return Refusal("13.4", "not everything is decided")
    return None


def pass_on(play: Play) -> Play:
    """Offer the cards in error, one after the other, to the hand whose card it would be (16.2).

    A hand whose player has refused one, but that must draw, gets it (16.3); when no hand can take
    one any more it is the dealer's next card (16.4).
    """
    while (card := play.error_card) is not None:
        turn = hand_for_card(play)
        if turn and turn[0].caller(turn[1]) not in play.refused:
            break
        play = deal_next(without_offer(play), card)
    return play


def without_offer(play: Play) -> Play:
    """Take the card on offer out of the offer; the one behind it is offered next."""
    first, rest = play.errors_behind[:1], play.errors_behind[1:]
    return msgspec.structs.replace(play, error_card=first[0] if first else None, errors_behind=rest)


def errors_on_offer(play: Play) -> tuple[Card, ...]:
    """Return the cards in error that have no place yet, the one on offer first."""
    return () if play.error_card is None else (play.error_card, *play.errors_behind)


def hold_undue(play: Play, move: CardDealt | CardHeld) -> Play:
    """Keep a card that came out when none was due until the dealer says what it is (16)."""
    return msgspec.structs.replace(play, undue=(*play.undue, move.card))


def burn(play: Play, move: Burn) -> Play:
    """Put a card into the discard rack: the waiting one of that face, or one face up (16.1)."""
    undue = list(play.undue)
    errors = list(errors_on_offer(play))
    if move.card in errors and move.card not in undue:
        errors.remove(move.card)
        first, rest = errors[:1], errors[1:]
        play = msgspec.structs.replace(
            play, error_card=first[0] if first else None, errors_behind=tuple(rest)
        )
    if move.card in undue:
        undue.remove(move.card)
    burned = (*play.burned, move.card)
    return msgspec.structs.replace(play, undue=tuple(undue), burned=burned)


def no_card_waits(play: Play, _move: Move) -> Refusal | None:
    """15.2: a void round may be cleared when no card waits for a word."""
    if play.undue:
        return Refusal("16.2", f"the card {play.undue[0]} was not due: say what becomes of it")
    return None


def nothing_is_open(play: Play, move: Move) -> Refusal | None:
    """15.2: the table may be cleared when all is settled and no card waits for a word."""
    if refusal := no_card_waits(play, move):
        return refusal
    waiting = [box.number for box in play.boxes if jackpot_due(play, box)]
    if waiting:
        return Refusal("18.14.6", f"the jackpot button of box {waiting[0]} is to be pressed")
    if any(draw_due(play, box) for box in play.boxes):
        return Refusal("18.14.6", "a prize is being drawn")
    if open_wagers := pending(play):
        return Refusal("15.2", f"the wager on box {open_wagers[0].box} is not settled")
    return None


def clear(play: Play, _move: Move) -> Play:
    """Pick up the cards (15.2)."""
    return close_forfeits(play)
