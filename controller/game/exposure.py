"""Cards that nobody may decide by yet: face down until exposed (3.5.2), or read by nobody.

A player's first two cards may be dealt face down.  The shoe reads them all the same, but nothing
is decided by them before they are exposed, and nothing tells what they are; whoever asks what a
hand comes to, or shows a table, asks here first.
"""

from typing import Final

import msgspec

from controller.cards import UNREAD
from controller.game.moves import Expose
from controller.game.play import Box, Hand, Play, RoundState, with_hand
from controller.game.row import Refusal

FACE_DOWN: Final = "##"
"""How a card is shown whose face is not."""

_WHILE: Final = frozenset(
    {RoundState.INITIAL_DEAL, RoundState.INTERIM_SETTLEMENT, RoundState.SUBSEQUENT_DEAL}
)


def is_face_down(play: Play, box: Box, hand: Hand) -> bool:
    """Tell whether the hand's cards are not exposed yet.

    They are when the player exposes them, with a third card, and for the settlement, once all
    have acted.  Where nobody is there the dealer turns them over to draw by 16.8.
    """
    return (
        play.game.face_down
        and play.state in _WHILE
        and len(hand.cards) <= 2
        and not hand.exposed
        and not hand.split
        and not hand.doubled_on
        and not box.absent
    )


def face_down_at(play: Play) -> frozenset[tuple[int, int]]:
    """Return box and number of each hand whose cards lie face down."""
    return frozenset(
        (box.number, hand.number)
        for box in play.boxes
        for hand in box.hands
        if is_face_down(play, box, hand)
    )


def exposed_first(play: Play, box: Box, hand: Hand) -> Refusal | None:
    """3.5.2: what depends on the cards waits until they are exposed."""
    if not is_face_down(play, box, hand):
        return None
    return Refusal("3.5.2", f"the cards on box {box.number} lie face down: expose them first")


def unread_first(box: Box, hand: Hand, rule: str = "10.1") -> Refusal | None:
    """10.1, 10.4: nothing is decided on a hand with a card that nobody has read."""
    if UNREAD not in hand.cards:
        return None
    return Refusal(rule, f"a card on box {box.number} could not be read: enter it first")


def dealers_first_unread(play: Play, rule: str) -> Refusal | None:
    """8, 9.1.2, 18.6.1: what depends on the dealer's first card waits until it was read."""
    if play.dealer[:1] != (UNREAD,):
        return None
    return Refusal(rule, "the dealer's first card could not be read: enter it first")


def may_expose(play: Play, move: Expose) -> Refusal | None:
    """3.5.2: two cards that lie face down."""
    box = play.box(move.box)
    if not play.game.face_down:
        return Refusal("nz:4.2" if play.game.is_nz else "3.5.1", "cards are dealt face up here")
    if box is None or not box.hands or len(box.hands[0].cards) < 2:
        return Refusal("3.5.2", f"box {move.box} has no two cards to expose")
    if not is_face_down(play, box, box.hands[0]):
        return Refusal("3.5.2", f"the cards on box {move.box} are exposed already")
    return None


def expose(play: Play, move: Expose) -> Play:
    """Turn the first two cards of the box over."""
    box = play.box(move.box)
    assert box is not None
    return turned_over(play, box, box.hands[0])


def turned_over(play: Play, box: Box, hand: Hand) -> Play:
    """Return the play with the hand's cards face up."""
    return with_hand(play, box, msgspec.structs.replace(hand, exposed=True))
