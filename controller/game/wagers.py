"""Rule 5: wagers are placed, changed and taken back before the first card."""

import msgspec

from controller.game.moves import Move, NoMoreBets, Wager, Withdraw
from controller.game.play import Bet, Box, Hand, Play, with_box
from controller.game.row import Refusal
from controller.money import show

MOST_PLAYERS = 3  # 5.4


def cards_are_out(play: Play) -> bool:
    """Tell whether the first card has been dealt: it closes the wagers (5.2)."""
    return any(box.hands for box in play.boxes)


def may_wager(play: Play, move: Wager) -> Refusal | None:
    """5.2, 5.4: on a box of this table, up to three players, with side wagers that are offered."""
    game = play.game
    if cards_are_out(play):
        return Refusal("5.2", "wagers are placed before the first card")
    if not 1 <= move.box <= game.boxes:
        return Refusal("18.1.1" if game.is_pontoon else "2", f"there is no box {move.box} here")
    box = play.box(move.box)
    if box and move.player not in box.players and len(box.bets) >= MOST_PLAYERS:
        return Refusal("5.4", f"three players wager on box {move.box} already")
    if move.main is not None and move.main <= 0:
        return Refusal("5.1", "a wager needs an amount")
    return _may_wager_aside(play, move)


def _may_wager_aside(play: Play, move: Wager) -> Refusal | None:
    game = play.game
    for name, amount, offered, rule in (
        ("Super Sevens", move.super_sevens, game.super_sevens, "14.2"),
        ("Perfect Pairs", move.perfect_pairs, game.perfect_pairs, "14.2"),
        ("Pontoon Pandemonium", move.pandemonium, game.pandemonium, "18.14.2"),
    ):
        if amount < 0:
            return Refusal(rule, f"{show(-amount)} below nothing cannot be wagered")
        if amount and not offered:
            return Refusal(rule, f"{name} is not offered at this table")
    return None


def place(play: Play, move: Wager) -> Play:
    """Put the wager on the box; a player's second word replaces the first."""
    bet = Bet(
        player=move.player,
        main=move.main,
        super_sevens=move.super_sevens,
        perfect_pairs=move.perfect_pairs,
        pandemonium=move.pandemonium,
        voucher=move.voucher,
    )
    box = play.box(move.box)
    if box is None:
        box = Box(number=move.box, bets=(bet,), controls=move.player)
    elif box.bet(move.player):
        bets = tuple(bet if other.player == move.player else other for other in box.bets)
        box = msgspec.structs.replace(box, bets=bets)
    else:
        box = msgspec.structs.replace(box, bets=(*box.bets, bet))
    if move.controls:
        box = msgspec.structs.replace(box, controls=move.player)
    listed = play.listed if move.player in play.listed else (*play.listed, move.player)
    return with_box(play, box, listed=listed)


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
        controls = box.controls if box.controls != move.player else bets[0].player
        play = with_box(play, msgspec.structs.replace(box, bets=bets, controls=controls))
    still_here = {player for box in play.boxes for player in box.players}
    listed = tuple(player for player in play.listed if player in still_here)
    return msgspec.structs.replace(play, listed=listed)


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
    """Give each box its hand."""
    boxes = tuple(
        msgspec.structs.replace(box, hands=(Hand(number=1, players=box.players),))
        for box in play.boxes
    )
    return msgspec.structs.replace(play, boxes=boxes)
