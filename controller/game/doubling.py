"""Rules 11 and 18.9: doubling, and at Pontoon taking the doubled portion back."""

from collections.abc import Iterable

import msgspec

from controller.cards import is_ace
from controller.game.dealing import acted_on, close_forfeits
from controller.game.exposure import exposed_first, unread_first
from controller.game.hands import total
from controller.game.moves import Double, Forfeit
from controller.game.play import Box, Hand, Play, find_hand, with_hand
from controller.game.row import Refusal
from controller.game.turns import hand_in_turn, is_split_ace


def may_double(play: Play, move: Double) -> Refusal | None:
    """11.1 for Blackjack, 18.9.1 for Pontoon; others only with a wager on the hand (11.4).

    Pontoon and every other 21 have no turn any more, and so cannot double (18.9.1.1).
    """
    choice = "18.9.1" if play.game.is_pontoon else "11.1"
    turn = hand_in_turn(play)
    if turn is None:
        return Refusal(choice, "no hand is in turn")
    box, hand = turn
    if refusal := absent_player(box) or has_refused(play, box, hand):
        return refusal
    if hand.doubled_on:
        return Refusal("11.1.3", f"box {box.number} has doubled already and takes one card")
    if len(hand.cards) < 2:
        return Refusal("12.2", f"the split hand on box {box.number} takes its second card first")
    if is_split_ace(hand):
        return Refusal("18.9.1.2" if play.game.is_pontoon else "12.3.1", "split aces do not double")
    if refusal := unread_first(box, hand) or exposed_first(play, box, hand):
        return refusal
    if not play.game.is_pontoon and (refusal := _may_double_at_blackjack(play, box, hand)):
        return refusal
    rule = "18.9.4" if play.game.is_pontoon else "11.4"
    named = (box.caller(hand), *move.players)
    return strangers(rule, box, box.live(hand), named) or not_there(box, named)


def absent_player(box: Box) -> Refusal | None:
    """16.8: for a player who is not there the dealer only draws."""
    if not box.absent:
        return None
    return Refusal("16.8", f"nobody is at box {box.number}: cards are dealt until it exceeds 11")


def has_refused(play: Play, box: Box, hand: Hand) -> Refusal | None:
    """16.3: who refused a card in error takes no more than 10.2 asks for."""
    caller = box.caller(hand)
    if caller not in play.refused:
        return None
    return Refusal("16.3", f"{caller} refused a card: neither double nor split in this round")


def not_there(box: Box, named: Iterable[str]) -> Refusal | None:
    """16.8: refuse for the first of ``named`` who is away, and so decides nothing."""
    gone = next((name for name in named if name in box.away), None)
    if gone is None:
        return None
    return Refusal("16.8", f"{gone} is away from box {box.number}: note first that they are back")


def _may_double_at_blackjack(play: Play, box: Box, hand: Hand) -> Refusal | None:
    if len(hand.cards) != 2:
        return Refusal("11.1", f"box {box.number} doubles on its first two cards only")
    aces = sum(map(is_ace, hand.cards))
    if aces and not play.game.double_with_ace:
        return Refusal("11.1.2", f"box {box.number} holds an ace")
    counted = total(hand.cards, low_aces=aces)
    if counted not in {9, 10, 11}:
        return Refusal("11.1.1", f"box {box.number} has {counted}: 9, 10 or 11 may double")
    return None


def strangers(rule: str, box: Box, players: Iterable[str], named: Iterable[str]) -> Refusal | None:
    """Refuse for the first of ``named`` who is not among ``players`` on the box."""
    stranger = next((name for name in named if name not in players), None)
    if stranger is None:
        return None
    return Refusal(rule, f"{stranger} has no wager on this hand of box {box.number}")


def in_listed_order(box: Box, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names in the order in which the box lists its players, each once."""
    wanted = set(names)
    return tuple(player for player in box.players if player in wanted)


def double(play: Play, move: Double) -> Play:
    """The controlling player doubles, and those named with them (11.4, 18.9.4)."""
    turn = hand_in_turn(play)
    assert turn is not None
    box, hand = turn
    doubled = in_listed_order(box, (box.caller(hand), *move.players))
    hand = msgspec.structs.replace(hand, doubled=doubled, doubled_on=len(hand.cards))
    return acted_on(with_hand(play, box, hand), box, hand)


def may_forfeit(play: Play, move: Forfeit) -> Refusal | None:
    """18.9.5, 18.9.7: who doubled, once, after the double card and before anything else."""
    if play.may_forfeit is None:
        return Refusal("18.9.5", "nothing can be forfeited now: only right after the double card")
    box, hand = _forfeit_hand(play)
    if refusal := unread_first(box, hand, "18.9.5"):
        return refusal
    open_to = may_forfeit_now(box, hand)
    for name in move.players:
        if name not in open_to:
            return Refusal("18.9.7", f"{name} has no doubled wager on box {box.number} to keep")
    if not move.players and len(open_to) > 1:
        return Refusal("18.9.7", f"each chooses alone: say who forfeits, {' or '.join(open_to)}")
    return None


def may_forfeit_now(box: Box, hand: Hand) -> list[str]:
    """Return who on the hand doubled and may still take the doubled portion back."""
    live = box.live(hand)
    return [name for name in hand.doubled if name in live and name not in hand.forfeited]


def _forfeit_hand(play: Play) -> tuple[Box, Hand]:
    assert play.may_forfeit is not None
    number, hand_number = play.may_forfeit
    box = play.box(number)
    assert box is not None
    return box, find_hand(play, number, hand_number)


def forfeit(play: Play, move: Forfeit) -> Play:
    """Give the doubled portion back and take the original wager (18.3.1.1, 18.9.6)."""
    box, hand = _forfeit_hand(play)
    forfeited = in_listed_order(
        box, (*hand.forfeited, *(move.players or may_forfeit_now(box, hand)))
    )
    play = with_hand(play, box, msgspec.structs.replace(hand, forfeited=forfeited))
    box, hand = _forfeit_hand(play)
    return play if may_forfeit_now(box, hand) else close_forfeits(play)
