"""Rule 3.5.2: a player's first two cards lie face down until the player exposes them.

The shoe reads them all the same; whoever shows a table asks here first.
"""

from typing import Final

from controller.game.hands import is_bust
from controller.game.play import Box, Hand, Play, RoundState
from controller.game.turns import hand_is_settled

FACE_DOWN: Final = "##"
"""How a card is shown whose face is not."""

_WHILE: Final = frozenset({
    RoundState.INITIAL_DEAL,
    RoundState.INTERIM_SETTLEMENT,
    RoundState.SUBSEQUENT_DEAL,
})  # fmt: skip


def is_face_down(play: Play, box: Box, hand: Hand) -> bool:
    """Tell whether the hand's cards are not exposed yet.

    They are with a third card, a double or a split, when the hand is paid, and for the settlement.
    """
    return (
        play.game.face_down
        and play.state in _WHILE
        and len(hand.cards) <= 2
        and not hand.split
        and not hand.doubled_on
        and not is_bust(hand, play.game)
        and not (len(hand.cards) == 2 and hand_is_settled(play, box, hand))
    )
