"""Insurance, Super Sevens, Perfect Pairs and Pontoon Pandemonium: how each ends.

Each function takes the play, the box and the player, and returns None while the wager is open.
"""

from typing import Final

import msgspec

from controller.cards import UNREAD, Card, is_red, rank
from controller.game.exposure import exposed_first, is_face_down, unread_first
from controller.game.hands import has_natural, one_suit
from controller.game.moves import PressJackpot, PrizeDrawn
from controller.game.play import Box, Play, RoundState, with_box
from controller.game.row import Refusal
from controller.game.turns import dealer_has_natural, initial_place, is_over, stands_by_absence
from controller.game.verdict import Verdict
from controller.money import THREE_TO_ONE, TWO_TO_ONE, Odds

TWO_SEVENS: Final = Odds("50:1")
TWO_SEVENS_SUITED: Final = Odds("100:1")
THREE_SEVENS: Final = Odds("500:1")
THREE_SEVENS_SUITED: Final = Odds("5000:1")
MIXED_PAIR: Final = Odds("5:1")
COLOURED_PAIR: Final = Odds("10:1")
PERFECT_PAIR: Final = Odds("30:1")


def insurance(play: Play, box: Box, player: str) -> Verdict | None:
    """Win 2 to 1 on the dealer's second card, lose the moment it is another (8, 13.3).

    In New Zealand too (nz:1 insurance wager, nz:3.2(b)(iii)).
    """
    if player in box.even_money:
        return Verdict("void", "9.1.2")
    if len(play.dealer) < 2 or UNREAD in play.dealer[:2]:
        return None
    if dealer_has_natural(play):
        return Verdict("win", "18.12.1.6" if play.game.is_pontoon else "15.1.4", TWO_TO_ONE)
    return Verdict("lose", "13.3")


def perfect_pairs(play: Play, box: Box, _player: str) -> Verdict | None:
    """Decide on the first two cards, with the initial deal (1.1 Perfect Pairs wager, 14.9).

    A pair is two cards of one rank (14.7.1), and of the courts two of one court (14.7.2).
    """
    cards = _first_cards(box)[:2]
    if initial_place(play) is not None or UNREAD in cards:
        return None
    first, second = cards
    if rank(first) != rank(second):
        return Verdict("lose", "14.8")
    if first == second:
        return Verdict("win", "14.8.3", PERFECT_PAIR)
    if is_red(first) == is_red(second):
        return Verdict("win", "14.8.2", COLOURED_PAIR)
    return Verdict("win", "14.8.1", MIXED_PAIR)


def super_sevens(play: Play, box: Box, _player: str) -> Verdict | None:
    """Decide as soon as it is known (1.1 Super Sevens wager, 14.4 to 14.6)."""
    cards = _first_cards(box)[:3]
    if not cards or UNREAD in cards:
        return None
    sevens = next((n for n, card in enumerate(cards) if rank(card) != "7"), len(cards))
    if sevens == 0:
        return Verdict("lose", "14.4.6")
    known = sevens < len(cards) or sevens == 3 or _takes_no_card(play, box)
    if not known:
        return None
    suited = one_suit(cards[:sevens])
    if sevens == 1:
        return Verdict("win", "14.4.1", THREE_TO_ONE)
    if sevens == 2:
        return (
            Verdict("win", "14.4.3", TWO_SEVENS_SUITED)
            if suited
            else Verdict("win", "14.4.2", TWO_SEVENS)
        )
    return (
        Verdict("win", "14.4.5", THREE_SEVENS_SUITED)
        if suited
        else Verdict("win", "14.4.4", THREE_SEVENS)
    )


def pandemonium(play: Play, box: Box, _player: str) -> Verdict | None:
    """Lose with the initial deal without pontoon; with it, win the prize that was drawn.

    One prize for the box (1.1 Pontoon Pandemonium), by 18.14.4 and 18.14.5.
    """
    hand = box.hands[0] if box.hands else None
    if hand is None or initial_place(play) is not None or UNREAD in hand.cards[:2]:
        return None
    if not has_natural(hand):
        return Verdict("lose", "18.14.5")
    if box.prize is None:
        return None
    return Verdict("win", "18.14.4", prize=box.prize)


def jackpot_due(play: Play, box: Box) -> bool:
    """Tell whether the jackpot button of the box is still to be pressed (18.14.6)."""
    return _wins_pandemonium(play, box) and not box.jackpot_pressed


def draw_due(play: Play, box: Box) -> bool:
    """Tell whether the button was pressed and the prize is still to be drawn."""
    return _wins_pandemonium(play, box) and box.jackpot_pressed and box.prize is None


def _wins_pandemonium(play: Play, box: Box) -> bool:
    return (
        play.state not in {RoundState.WAGERS, RoundState.VOID}
        and initial_place(play) is None
        and not is_face_down(play, box, box.hands[0])
        and has_natural(box.hands[0])
        and any(bet.pandemonium and bet.player not in box.left for bet in box.bets)
    )


def may_press_jackpot(play: Play, move: PressJackpot) -> Refusal | None:
    """18.14.4, 18.14.6: on a box with a winning Pandemonium wager, once."""
    box = play.box(move.box)
    if box is None:
        return Refusal("18.14.6", f"box {move.box} is not in play")
    if box.jackpot_pressed:
        return Refusal("18.14.6", f"the prize of box {move.box} is drawn once, and it was")
    if box.hands and initial_place(play) is None:
        hand = box.hands[0]
        if refusal := unread_first(box, hand, "18.14.6") or exposed_first(play, box, hand):
            return refusal
    if not jackpot_due(play, box):
        return Refusal("18.14.5", f"box {move.box} has no winning Pandemonium wager")
    if not play.game.prizes:
        return Refusal("18.14.6", "this game's configuration names no prizes")
    return None


def press_jackpot(play: Play, move: PressJackpot) -> Play:
    """From now on a prize is due to the box, one for all its Pandemonium wagers (18.3.1.2)."""
    box = play.box(move.box)
    assert box is not None
    pressed = msgspec.structs.replace(box, jackpot_pressed=True)
    return with_box(play, pressed)


def may_take_prize(play: Play, move: PrizeDrawn) -> Refusal | None:
    """18.14.6: one draw a box, after its button was pressed."""
    box = play.box(move.box)
    if box is None or not draw_due(play, box):
        return Refusal("18.14.6", f"no prize is due to box {move.box}")
    return None


def take_prize(play: Play, move: PrizeDrawn) -> Play:
    """Keep the prize that was drawn: it is the truth, whatever a meter shows."""
    box = play.box(move.box)
    assert box is not None
    return with_box(play, msgspec.structs.replace(box, prize=move.prize))


def _first_cards(box: Box) -> tuple[Card, ...]:
    """Return the box's first cards in the order they were dealt to it.

    After a split of 7-7 the next card dealt decides (14.5): it lies on the first hand, or was
    split off it again.
    """
    by_number = sorted(box.hands, key=lambda hand: hand.number)
    if len(by_number) < 2:
        return by_number[0].cards if by_number else ()
    first, second, *third = by_number
    split_off = [hand.cards[0] for hand in third if hand.came_from == first.number]
    return (first.cards[0], second.cards[0], *(split_off or first.cards[1:2]))


def _takes_no_card(play: Play, box: Box) -> bool:
    """Tell whether the box's hand is over for good, so that its cards so far count (14.4).

    A hand that only nobody is there for may be drawn to again, until the next one was acted on.
    """
    if initial_place(play) is not None or len(box.hands) != 1:
        return False
    hand = box.hands[0]
    may_come_back = stands_by_absence(play, box, hand) and not hand.stood
    return is_over(play, box, hand) and not may_come_back
