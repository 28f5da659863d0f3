"""Rule 16.8: who is not there to decide, and who is back.

Away is a player, not a box.  The decisions go to one of the others on it by 5.5; only where nobody
is there the dealer deals to the hand in its turn until it exceeds 11.  Who comes back has their
rights again, for every hand whose turn is not over: it is when the next one was acted on.
"""

import msgspec

from controller.game.dealing import pass_on
from controller.game.moves import Absent, Present
from controller.game.play import Box, Play, with_box
from controller.game.row import Refusal
from controller.game.turns import hands, is_over


def _who(play: Play, move: Absent | Present) -> Box | Refusal:
    """Return the box, if all who are named have a wager on it."""
    box = play.box(move.box)
    if box is None:
        return Refusal("16.8", f"box {move.box} is not in play")
    for name in move.players:
        if name not in box.staying:
            return Refusal("16.8", f"{name} has no wager on box {move.box}")
    return box


def may_be_absent(play: Play, move: Absent) -> Refusal | None:
    """16.8: players with a wager on a box in play, who are not noted as away already."""
    box = _who(play, move)
    if isinstance(box, Refusal):
        return box
    gone = [name for name in move.players if name in box.away]
    if gone:
        return Refusal("16.8", f"{gone[0]} is noted as away from box {box.number} already")
    if not box.there:
        return Refusal("16.8", f"everybody is noted as away from box {box.number} already")
    return None


def be_absent(play: Play, move: Absent) -> Play:
    """From now on others on the box decide, or nobody does (16.8)."""
    box = play.box(move.box)
    assert box is not None
    gone = {*box.away, *(move.players or box.staying)}
    away = tuple(player for player in box.players if player in gone)
    return pass_on(with_box(play, msgspec.structs.replace(box, away=away)))


def may_come_back(play: Play, move: Present) -> Refusal | None:
    """16.8: players who are noted as away."""
    box = _who(play, move)
    if isinstance(box, Refusal):
        return box
    there = [name for name in move.players if name not in box.away]
    if there:
        return Refusal("16.8", f"{there[0]} is not away from box {box.number}")
    return None if box.away else Refusal("16.8", f"nobody is away from box {box.number}")


def may_act_again(play: Play, move: Present) -> Refusal | None:
    """16.8: back behind the last hand, before the dealer's next card, for a hand not over yet."""
    if refusal := may_come_back(play, move):
        return refusal
    if len(play.dealer) > 1:
        return Refusal("13.1", "the dealer has drawn")
    back = come_back(play, move)
    if all(is_over(back, box, hand) for box, hand in hands(back)):
        return Refusal("13.1", "every hand has acted")
    return None


def come_back(play: Play, move: Present) -> Play:
    """They decide again, each for the hands whose turn is not over (16.8)."""
    box = play.box(move.box)
    assert box is not None
    back = move.players or box.away
    away = tuple(player for player in box.away if player not in back)
    return with_box(play, msgspec.structs.replace(box, away=away))
