"""Wagers that go back undecided: a round that ends by rule (16.6, 17.4), a leaver (17.5.1)."""

import msgspec

from controller.game.dealing import pass_on
from controller.game.moves import Leave, VoidRound
from controller.game.play import Play, Voided, with_box
from controller.game.row import Refusal
from controller.game.settlement import Pending, Settlement, pending, settlements


def any_box(play: Play, _move: VoidRound) -> Refusal | None:
    """16.6: a round without a wager has nothing to return."""
    return None if play.boxes else Refusal("16.6", "no box is in play")


def void_round(play: Play, move: VoidRound) -> Play:
    """Return every wager that is not settled yet; with ``void_returns`` all, the settled too."""
    going = [_voided(one, move.rule) for one in pending(play)]
    if play.game.void_returns == "all":
        settled = (row for row in settlements(play) if row.box is not None)
        going += [_voided(row, move.rule) for row in settled]
    return msgspec.structs.replace(play, voided=(*play.voided, *going), may_forfeit=None)


def may_leave(play: Play, move: Leave) -> Refusal | None:
    """17.5.1: who has a wager on the box and has not left."""
    box = play.box(move.box)
    if box is None or box.bet(move.player) is None:
        return Refusal("17.5.1", f"{move.player} has no wager on box {move.box}")
    if move.player in box.left:
        return Refusal("17.5.1", f"{move.player} has left box {move.box} already")
    return None


def leave(play: Play, move: Leave) -> Play:
    """Return the player's unsettled wagers on the box; who stays calls the decisions (5.5)."""
    box = play.box(move.box)
    assert box is not None
    going = [
        _voided(one, "17.5.1")
        for one in pending(play)
        if (one.box, one.player) == (move.box, move.player)
    ]
    box = msgspec.structs.replace(box, left=(*box.left, move.player))
    return pass_on(with_box(play, box, voided=(*play.voided, *going)))


def _voided(row: Pending | Settlement, rule: str) -> Voided:
    assert row.box is not None
    return Voided(box=row.box, player=row.player, wager=row.wager, hand=row.hand, rule=rule)
