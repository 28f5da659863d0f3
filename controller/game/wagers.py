"""Rule 5: wagers are placed, changed and taken back before the first card, and who calls."""

from typing import Final

import msgspec

from controller.game.callers import highest, holds
from controller.game.moves import CallDecisions, Move, NoMoreBets, Wager, Withdraw
from controller.game.options import Game
from controller.game.play import Bet, Box, Hand, Play, with_box
from controller.game.row import Refusal
from controller.money import show

MOST_PLAYERS = 3  # 5.4


class SideWager(msgspec.Struct, frozen=True):
    """A wager beside the main one: its field in ``Wager`` and ``Bet``, its name, its clauses."""

    field: str
    name: str
    offered: str
    """The clause by which it may be wagered where it is offered."""
    needs: str
    """The clause by which it has an amount of its own, and a main wager comes first."""


SIDE_WAGERS: Final = (
    SideWager("super_sevens", "Super Sevens", "14.2", "14.3"),
    SideWager("perfect_pairs", "Perfect Pairs", "14.2", "14.3"),
    SideWager("pandemonium", "Pontoon Pandemonium", "18.14.2", "18.14.3"),
)


def cards_are_out(play: Play) -> bool:
    """Tell whether the first card has been dealt: it closes the wagers (5.2)."""
    return any(box.hands for box in play.boxes)


# --- placed, changed, taken back ------------------------------------------------------------------


def may_wager(play: Play, move: Wager) -> Refusal | None:
    """5.2, 5.4: on a box of this table, up to three players, with side wagers that are offered."""
    game = play.game
    if cards_are_out(play):
        return Refusal("5.2", "wagers are placed before the first card")
    if not 1 <= move.box <= game.boxes:
        return Refusal("18.1.1" if game.is_pontoon else "2", f"there is no box {move.box} here")
    box = play.box(move.box)
    lies = box.bet(move.player) if box else None
    if box and lies is None and len(box.bets) >= MOST_PLAYERS:
        return Refusal("5.4", f"three players wager on box {move.box} already")
    if move.main is not None and move.main <= 0:
        return Refusal("5.1", "a wager needs an amount")
    return _voucher_or_chips(lies, move) or _may_wager_aside(game, lies, move)


def _voucher_or_chips(lies: Bet | None, move: Wager) -> Refusal | None:
    """1.1 voucher: it is good for the amount on it, and another one must be said to be what."""
    if lies is None or not lies.voucher or move.voucher is not None:
        return None
    if lies.main is None or move.main in {None, lies.main}:
        return None
    what = f"{move.player}'s wager on box {move.box} is a voucher of {show(lies.main)}"
    return Refusal("1.1 voucher", f"{what}: say whether the other amount is in voucher or chips")


def _may_wager_aside(game: Game, lies: Bet | None, move: Wager) -> Refusal | None:
    for side in SIDE_WAGERS:
        amount = getattr(move, side.field) or 0
        if amount < 0:
            what = f"{show(-amount)} below nothing cannot be wagered"
            return Refusal(_offered_by(game, side), what)
        if not amount:
            continue
        if not getattr(game, side.field):
            what = f"{side.name} is not offered at this table"
            return Refusal(_offered_by(game, side), what)
        if lies is None and move.main is None:
            return Refusal(side.needs, f"{move.player} places a wager on box {move.box} first")
    return None


def _offered_by(game: Game, side: SideWager) -> str:
    """Return the clause of the game that tells which wagers there are beside the main one."""
    if game.is_nz:
        return "nz:5.6"
    return side.offered if game.is_pontoon else "14.2"


def place(play: Play, move: Wager) -> Play:
    """Put the wager on the box; what a player's second word leaves out stays as it lies."""
    box = play.box(move.box) or Box(number=move.box, bets=())
    lies = box.bet(move.player)
    bet = _changed(lies or Bet(player=move.player, main=None), move)
    if lies:
        bets = tuple(bet if other is lies else other for other in box.bets)
    else:
        bets = (*box.bets, bet)
    said, because = (move.player, "seated") if move.controls else (box.said, box.because)
    if because == "highest" and any(other.main is None for other in bets):
        said = ""  # nobody but the dealer can tell whether it still is the highest
    listed = play.listed if move.player in play.listed else (*play.listed, move.player)
    box = msgspec.structs.replace(box, bets=bets, said=said, because=because)
    return with_box(play, box, listed=listed)


def _changed(lies: Bet, move: Wager) -> Bet:
    named = {
        name: amount
        for name in ("main", "voucher", *(side.field for side in SIDE_WAGERS))
        if (amount := getattr(move, name)) is not None
    }
    return msgspec.structs.replace(lies, **named)


def may_withdraw(play: Play, move: Withdraw) -> Refusal | None:
    """5.3: only what is there."""
    if cards_are_out(play):
        return Refusal("5.3", "no wager is withdrawn after the first card")
    box = play.box(move.box)
    if box is None or (move.player is not None and box.bet(move.player) is None):
        who = move.player or "anybody"
        return Refusal("5.3", f"{who} has no wager on box {move.box}")
    return None


def withdraw(play: Play, move: Withdraw) -> Play:
    """Take the player's wagers off the box; without a player, the box is out of play."""
    box = play.box(move.box)
    bets = () if box is None else tuple(bet for bet in box.bets if bet.player != move.player)
    if move.player is None or not bets or box is None:
        boxes = tuple(other for other in play.boxes if other.number != move.box)
        play = msgspec.structs.replace(play, boxes=boxes)
    else:
        said = "" if box.said == move.player else box.said
        away = tuple(player for player in box.away if player != move.player)
        box = msgspec.structs.replace(box, bets=bets, said=said, away=away)
        play = with_box(play, box)
    still_here = {player for box in play.boxes for player in box.players}
    listed = tuple(player for player in play.listed if player in still_here)
    return msgspec.structs.replace(play, listed=listed)


# --- who calls the decisions ----------------------------------------------------------------------


def may_call(play: Play, move: CallDecisions) -> Refusal | None:
    """5.5: somebody with a wager on the box who is there, for a reason that is true."""
    box = play.box(move.box)
    if box is None or move.player not in box.staying:
        return Refusal("5.5", f"{move.player} has no wager on box {move.box}")
    if move.player in box.away:
        what = f"{move.player} is away from box {move.box}: note first that they are back"
        return Refusal("16.8", what)
    stakes = {bet.player: bet.main for bet in box.bets if bet.player in box.there}
    top = highest(stakes)
    if move.because == "nearest" and len(top) == 1 < len(stakes):
        return Refusal("5.5.3", f"{top[0]} has the highest wager on box {move.box}: that decides")
    if holds(stakes, move.player, move.because):
        return None
    if move.player not in top:
        what = f"{' and '.join(top)} on box {move.box} wagered more than {move.player}"
        return Refusal("5.5.2", what)
    return Refusal("5.5.2", f"{' and '.join(top)} wagered the same: the nearest decides (5.5.3)")


def call(play: Play, move: CallDecisions) -> Play:
    """From now on the player calls the decisions, as long as the reason holds (5.5)."""
    box = play.box(move.box)
    assert box is not None
    return with_box(play, msgspec.structs.replace(box, said=move.player, because=move.because))


# --- no more bets ---------------------------------------------------------------------------------


def any_wager(play: Play, _move: Move) -> Refusal | None:
    """7: a round needs a box in play."""
    return None if play.boxes else Refusal("7", "no box is in play")


def no_wager(play: Play, _move: Move) -> Refusal | None:
    """The opposite: a card is not due."""
    return Refusal("5.2", "wagers are on the table") if play.boxes else None


def call_no_more_bets(play: Play, _move: NoMoreBets) -> Play:
    """Note the call; the first card closes the wagers all the same (5.2)."""
    return msgspec.structs.replace(play, no_more_bets=True)


def with_hands(play: Play) -> Play:
    """Give each box its hand; the wagers lie as they will for the round (5.7)."""
    boxes = tuple(
        msgspec.structs.replace(
            box, hands=(Hand(number=1, players=box.players),), nearest=box.controls
        )
        for box in play.boxes
    )
    return msgspec.structs.replace(play, boxes=boxes)
