"""Rules 8, 9.1.2, 18.5 and 18.6: insurance, even money and surrender.

They stand from the end of the initial deal until the first further card or the first stand,
double or split.  None of them closes another.
"""

from typing import Final

import msgspec

from controller.cards import is_ace, rank
from controller.game.dealing import pass_on
from controller.game.doubling import absent_player, in_listed_order, not_there, strangers
from controller.game.exposure import (
    dealers_first_unread,
    exposed_first,
    is_face_down,
    unread_first,
)
from controller.game.hands import has_natural
from controller.game.moves import EvenMoney, Insure, Surrender
from controller.game.play import Bet, Box, Play, RoundState, with_box
from controller.game.row import Refusal
from controller.money import show

OPEN_AT: Final = RoundState.INTERIM_SETTLEMENT


def shows_ace(play: Play) -> bool:
    """Tell whether the dealer's first card is an ace, so that insurance stands (8)."""
    return bool(play.dealer) and is_ace(play.dealer[0])


def shows_court_or_ace(play: Play) -> bool:
    """Tell whether the dealer's first card is J, Q, K or A, so that surrender stands (18.6.1)."""
    return bool(play.dealer) and rank(play.dealer[0]) in {"J", "Q", "K", "A"}


def _bet_on(play: Play, number: int, player: str) -> tuple[Box, Bet] | None:
    box = play.box(number)
    bet = box.bet(player) if box and player not in box.left else None
    return (box, bet) if box and bet else None


def _cards_known(play: Play, box: Box, rule: str) -> Refusal | None:
    """3.5.2, 10.4: whether it is pontoon or blackjack must be seen by all before it counts."""
    hand = box.hands[0]
    return unread_first(box, hand, rule) or exposed_first(play, box, hand)


def may_insure(play: Play, move: Insure) -> Refusal | None:
    """8 as ruled, 18.5.1: against an ace, up to half the wager, once, never with pontoon."""
    found = _bet_on(play, move.box, move.player)
    if refusal := dealers_first_unread(play, "8"):
        return refusal
    if not shows_ace(play):
        return Refusal("8", "the dealer's first card is no ace")
    if found is None:
        return Refusal("8", f"{move.player} has no wager on box {move.box}")
    box, bet = found
    if play.game.is_pontoon and (refusal := _cards_known(play, box, "18.5.1")):
        return refusal
    if play.game.is_pontoon and has_natural(box.hands[0]):
        return Refusal("18.5.1", f"box {box.number} has pontoon and cannot be insured")
    if move.player in box.even_money:
        return Refusal("9.1.2", f"{move.player} took even money on box {box.number}")
    if move.player in dict(box.insured):
        return Refusal("8", f"{move.player} has insured box {box.number} already")
    if refusal := not_there(box, (move.player,)):
        return refusal
    return _may_insure_amount(play, bet, move.amount)


def _may_insure_amount(play: Play, bet: Bet, amount: int) -> Refusal | None:
    if bet.main is None:
        return Refusal("8", f"{bet.player}'s wager has no amount: enter it before insuring")
    if amount <= 0 or amount % play.game.smallest_chip:
        return Refusal("8", f"{show(max(amount, 0))} is no amount in whole chips")
    if 2 * amount > bet.main:
        return Refusal("8", f"{show(amount)} is more than half of {show(bet.main)}")
    return None


def insure(play: Play, move: Insure) -> Play:
    """Place the insurance wager."""
    box = play.box(move.box)
    assert box is not None
    insured = dict(box.insured) | {move.player: move.amount}
    in_order = tuple((player, insured[player]) for player in in_listed_order(box, insured))
    return with_box(play, msgspec.structs.replace(box, insured=in_order))


def may_take_even_money(play: Play, move: EvenMoney) -> Refusal | None:
    """9.1.2: a blackjack against an ace."""
    found = _bet_on(play, move.box, move.player)
    if refusal := dealers_first_unread(play, "9.1.2"):
        return refusal
    if not shows_ace(play):
        return Refusal("9.1.2", "the dealer's first card is no ace")
    if found is None:
        return Refusal("9.1.2", f"{move.player} has no wager on box {move.box}")
    if refusal := _cards_known(play, found[0], "9.1.2"):
        return refusal
    if not has_natural(found[0].hands[0]):
        return Refusal("9.1.2", f"box {move.box} has no blackjack")
    if move.player in found[0].even_money:
        return Refusal("9.1.2", f"{move.player} took even money on box {move.box} already")
    return not_there(found[0], (move.player,))


def take_even_money(play: Play, move: EvenMoney) -> Play:
    """Settle the blackjack at even money; an insurance on it goes back (9.1.2)."""
    box = play.box(move.box)
    assert box is not None
    takers = in_listed_order(box, (*box.even_money, move.player))
    return with_box(play, msgspec.structs.replace(box, even_money=takers))


def may_surrender(play: Play, move: Surrender) -> Refusal | None:
    """18.6.1, 18.6.3, 18.6.4: against J, Q, K or A, no pontoon, the controlling player first.

    What is given up is half the wager, before any further card (18.3.1.4, nz:1 surrender).
    """
    if refusal := dealers_first_unread(play, "18.6.1"):
        return refusal
    if not shows_court_or_ace(play):
        return Refusal("18.6.1", "the dealer's first card is no J, Q, K or A")
    box = play.box(move.box)
    if box is None:
        return Refusal("18.6.1", f"box {move.box} is not in play")
    if refusal := _cards_known(play, box, "18.6.1"):
        return refusal
    if has_natural(box.hands[0]):
        return Refusal("18.6.1", f"box {box.number} has pontoon")
    live = box.live(box.hands[0])
    if not live:
        return Refusal("18.6.1", f"nobody plays box {box.number} any more")
    if not set(move.players) - set(box.surrendered) and box.caller(box.hands[0]) in box.surrendered:
        return Refusal("18.6.3", f"box {box.number} has surrendered already")
    if refusal := absent_player(box):
        return refusal
    return strangers("18.6.3", box, live, move.players) or not_there(box, move.players)


def surrender(play: Play, move: Surrender) -> Play:
    """The controlling player surrenders, and those named; no further cards for the box (18.6.2)."""
    box = play.box(move.box)
    assert box is not None
    gone = in_listed_order(box, (*box.surrendered, box.caller(box.hands[0]), *move.players))
    return pass_on(with_box(play, msgspec.structs.replace(box, surrendered=gone)))


def _shows_natural(play: Play, box: Box) -> bool:
    return has_natural(box.hands[0]) and not is_face_down(play, box, box.hands[0])


def standing(play: Play) -> tuple[str, ...]:
    """Return which offers stand now: ``insurance``, ``even money``, ``surrender``."""
    if play.state is not OPEN_AT:
        return ()
    offers = []
    if shows_ace(play):
        offers.append("insurance")
        if not play.game.is_pontoon and any(_shows_natural(play, box) for box in play.boxes):
            offers.append("even money")
    if play.game.is_pontoon and shows_court_or_ace(play):
        offers.append("surrender")
    return tuple(offers)
