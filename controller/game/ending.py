"""Wagers that go back: a round that ends by rule (16.6, 17.4), a player who leaves (17.5.1)."""

import msgspec

from controller.game.dealing import close_forfeits, pass_on
from controller.game.doubling import may_forfeit_now
from controller.game.moves import Leave, VoidRound
from controller.game.play import Play, Voided, find_hand, with_box
from controller.game.row import Refusal
from controller.game.settlement import Pending, Settlement, pending, settlements


def any_box(play: Play, _move: VoidRound) -> Refusal | None:
    """16.6: a round without a wager has nothing to return."""
    return None if play.boxes else Refusal("16.6", "no box is in play")


def void_round(play: Play, move: VoidRound) -> Play:
    """Return every wager that is not settled yet; with ``void_returns`` all, the settled too."""
    going = [_voided(one, move.rule) for one in _returnable(play)]
    return close_forfeits(msgspec.structs.replace(play, voided=(*play.voided, *going)))


def electors(play: Play) -> tuple[tuple[int, str], ...]:
    """Return box and player of everybody with something to have back there (17.5.1)."""
    asked = {(one.box, one.player) for one in _returnable(play)}
    everybody = ((box.number, player) for box in play.boxes for player in box.players)
    return tuple(who for who in everybody if who in asked)


def may_leave(play: Play, move: Leave) -> Refusal | None:
    """17.5.1: who has a wager on the box and has not left."""
    box = play.box(move.box)
    if box is None or box.bet(move.player) is None:
        return Refusal("17.5.1", f"{move.player} has no wager on box {move.box}")
    if move.player in box.left:
        return Refusal("17.5.1", f"{move.player} has left box {move.box} already")
    return None


def leave(play: Play, move: Leave) -> Play:
    """Return the player's wagers on the box as a void round would; 5.5 says who calls now."""
    box = play.box(move.box)
    assert box is not None
    going = [
        _voided(one, "17.5.1")
        for one in _returnable(play)
        if (one.box, one.player) == (move.box, move.player)
    ]
    box = msgspec.structs.replace(box, left=(*box.left, move.player))
    return pass_on(_close_choices(with_box(play, box, voided=(*play.voided, *going))))


def _close_choices(play: Play) -> Play:
    """Ask nobody to forfeit when all who could have left (18.9.5)."""
    if play.may_forfeit is None:
        return play
    box = play.box(play.may_forfeit[0])
    assert box is not None
    choosing = may_forfeit_now(box, find_hand(play, *play.may_forfeit))
    return play if choosing else close_forfeits(play)


def _returnable(play: Play) -> list[Pending | Settlement]:
    """Return the wagers that go back: the unsettled, or all of the round (``void_returns``).

    What went back before has gone back; a Super Bonus share is no wager.  A wager that is decided
    only because others have left since is still its player's to have back (17.5.1).
    """
    all_stay = msgspec.structs.replace(
        play, boxes=tuple(msgspec.structs.replace(box, left=()) for box in play.boxes)
    )
    going: list[Pending | Settlement] = list(pending(all_stay))
    if play.game.void_returns == "all":
        going += [row for row in settlements(play) if row.box is not None and row.result != "void"]
    return going


def _voided(row: Pending | Settlement, rule: str) -> Voided:
    assert row.box is not None
    return Voided(box=row.box, player=row.player, wager=row.wager, hand=row.hand, rule=rule)
