"""What may be asked of the referee now, and what the texts leave open."""

from collections.abc import Iterable

from controller.game import moves as m
from tests.oracle.layout import Box
from tests.oracle.referee import Referee

OFFERS_SURRENDER = "JQKA"  # the dealer's first card (18.6.1)


def legal(referee: Referee, move: m.Request) -> bool | None:
    """Tell whether the move may be made now; None: the texts do not say."""
    if referee.unread or referee.undue or referee.cleared:
        return None
    match move:
        case m.Wager():
            return _wager(referee, move)
        case m.Withdraw():
            return _withdrawal(referee, move)
        case m.NoMoreBets():
            return bool(referee.boxes) and not referee.called and not referee.first_card_out
        case m.Stand() | m.Double() | m.Split():
            return _decision(referee, move)
        case m.Forfeit():
            return _forfeit(referee, move)
        case m.Surrender():
            return _surrender(referee, move)
        case m.Insure():
            return _insurance(referee, move)
        case m.EvenMoney():
            return _even_money(referee, move)
        case m.Cleared():
            return _clearing(referee)
        case m.Absent():
            return _absence(referee, move)


def _wager(referee: Referee, move: m.Wager) -> bool | None:
    if referee.first_card_out:
        return False  # 5.2, 5.3
    if referee.called:
        return None
    if not 1 <= move.box <= referee.game.boxes or move.main is None or move.main <= 0:
        return False
    for amount, offered in (
        (move.super_sevens, referee.game.super_sevens),
        (move.perfect_pairs, referee.game.perfect_pairs),
        (move.pandemonium, referee.game.pandemonium),
    ):
        if amount < 0 or (amount and not offered):
            return False
    box = referee.box(move.box)
    if box is None or move.player in box.players:
        return True
    return len(box.players) < 3  # 5.4


def _withdrawal(referee: Referee, move: m.Withdraw) -> bool | None:
    if referee.first_card_out:
        return False
    if referee.called:
        return None
    box = referee.box(move.box)
    return box is not None and (move.player is None or move.player in box.players)


def _decision(referee: Referee, move: m.Stand | m.Double | m.Split) -> bool | None:
    turn = referee.in_turn
    if turn is None or turn[1].waits_for_its_card:
        return False
    box, hand = turn
    if box.absent:
        return None
    match move:
        case m.Stand():
            return referee.may_stand(hand)
        case m.Double():
            allowed = referee.may_double(hand)
        case m.Split():
            allowed = referee.may_split(box, hand)
    return allowed and _others(referee, move.players, hand.players, box)


def _others(referee: Referee, named: Iterable[str], present: list[str], box: Box) -> bool | None:
    """Tell whether those named beside the controlling player are there to be named."""
    names = list(named)
    if any(name not in present for name in names):
        return False
    if box.controls in names or len(set(names)) < len(names):
        return None
    return True


def _forfeit(referee: Referee, move: m.Forfeit) -> bool | None:
    hand = referee.may_forfeit
    if hand is None:
        return False
    if not move.players:  # 18.9.7: each chooses alone, so it must be clear who does
        return sum(referee.may_take_back(hand, player) for player in hand.doubled) == 1
    if not all(referee.may_take_back(hand, player) for player in move.players):
        return False
    return True if len(set(move.players)) == len(move.players) else None


def _surrender(referee: Referee, move: m.Surrender) -> bool | None:
    box = referee.box(move.box)
    if not referee.game.is_pontoon or box is None or not referee.offers_stand:
        return False
    if referee.dealer[0][0] not in OFFERS_SURRENDER or box.natural:
        return False  # 18.6.1
    if any(name not in box.players for name in move.players):
        return False
    if referee.offers_in_doubt or box.surrendered:
        return None
    return _others(referee, move.players, box.players, box)


def _insurance(referee: Referee, move: m.Insure) -> bool | None:
    box = referee.box(move.box)
    if box is None or not referee.offers_stand or referee.dealer[0][0] != "A":
        return False
    stakes = box.stakes_of(move.player)
    if stakes is None or move.player in box.even_money:
        return False
    if referee.game.is_pontoon and box.natural:
        return False  # 18.5.1
    if move.amount <= 0 or move.amount % referee.game.smallest_chip:
        return False
    if 2 * move.amount > stakes.main:
        return False
    return None if referee.offers_in_doubt or move.player in box.insured else True


def _even_money(referee: Referee, move: m.EvenMoney) -> bool | None:
    box = referee.box(move.box)
    if referee.game.is_pontoon or box is None or not referee.offers_stand:
        return False
    if referee.dealer[0][0] != "A" or not box.natural:
        return False  # 9.1.2
    if move.player not in box.players or move.player in box.even_money:
        return False
    return None if referee.offers_in_doubt else True


def _clearing(referee: Referee) -> bool | None:
    if not referee.over:
        return False
    due = any(s.pandemonium for box in referee.boxes if box.natural for s in box.stakes)
    return None if due else True


def _absence(referee: Referee, move: m.Absent) -> bool | None:
    """Certain only for a box of one player that has decided nothing (16.8)."""
    box = referee.box(move.box)
    if box is None or not referee.initial_deal_done:
        return None
    waiting = len(box.hands) == 1 and len(box.dealt) == 2 and len(box.players) == 1
    if not waiting or box.absent or referee.finished(box, box.hands[0]):
        return None
    return None if box.hands[0].doubled else True
