"""The cards as they lie on the table, hand by hand."""

from collections.abc import Iterator
from typing import Final

from controller.game.exposure import is_face_down
from controller.game.hands import low_aces, said
from controller.game.play import Box, Hand, Play
from controller.table.state import TableState

UNSEEN: Final = "a card face down"


def layout(state: TableState) -> Iterator[str]:
    """Yield every hand with its cards in the order in which they came, and the other cards."""
    play = state.play
    for box in play.boxes:
        for hand in box.hands:
            yield _hand(play, box, hand)
    if play.dealer:
        yield f"dealer: {' '.join(play.dealer)} = {said(play.dealer)}"
    for name, cards in (
        ("burned face up", play.burned),
        ("came out and was not due", play.undue),
        ("in the dealer's hand", state.in_hand),
        ("offered after an error", (play.error_card,) if play.error_card else ()),
    ):
        if cards:
            yield f"{name}: {' '.join(cards)}"


def _hand(play: Play, box: Box, hand: Hand) -> str:
    number = f", hand {hand.number}" if len(box.hands) > 1 else ""
    name = f"box {box.number}{number} ({', '.join(hand.players)})"
    if not hand.cards:
        return f"{name}: no cards"
    if is_face_down(play, box, hand):
        return f"{name}: {len(hand.cards)} x {UNSEEN}"
    marks = [
        *(f"doubled by {player}" for player in hand.doubled),
        *(f"doubled portion taken back by {player}" for player in hand.forfeited),
        *(f"surrendered by {player}" for player in box.surrendered if hand.number == 1),
        *(f"left by {player}" for player in box.left if player in hand.players),
    ]
    cards = " ".join(hand.cards)
    total = said(hand.cards, low_aces(hand, play.game))
    return "; ".join([f"{name}: {cards} = {total}", *marks])
