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
        case m.Absent() | m.Present():
            return _coming_and_going(referee, move)
        case m.CallDecisions():
            return _call(referee, move)


def _wager(referee: Referee, move: m.Wager) -> bool | None:
    if referee.first_card_out:
        return False  # 5.2, 5.3
    if referee.called:
        return None
    if not 1 <= move.box <= referee.game.boxes or (move.main is not None and move.main <= 0):
        return False
    box = referee.box(move.box)
    lies = box.stakes_of(move.player) if box else None
    if lies is None and move.main is None:
        return False if any(_aside(move)) else None  # 14.3, 18.14.3; else followed in odds
    if lies and lies.voucher and move.voucher is None and move.main not in (None, lies.main):
        return False  # 1.1: good for the amount on it
    for amount, offered in (
        (move.super_sevens, referee.game.super_sevens),
        (move.perfect_pairs, referee.game.perfect_pairs),
        (move.pandemonium, referee.game.pandemonium),
    ):
        if amount is not None and (amount < 0 or (amount and not offered)):
            return False
    if box is None or lies:
        return True
    return len(box.players) < 3  # 5.4


def _aside(move: m.Wager) -> Iterable[int | None]:
    return move.super_sevens, move.perfect_pairs, move.pandemonium


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
    if not box.present:
        return False  # 16.8
    match move:
        case m.Stand():
            return referee.may_stand(hand)
        case m.Double():
            allowed = referee.may_double(hand)
        case m.Split():
            allowed = referee.may_split(box, hand)
    if box.decides(hand) not in hand.players:
        return False  # who has no wager on the hand has none to add to
    return allowed and _others(move.players, hand.players, box, box.decides(hand))


def _others(named: Iterable[str], on_it: list[str], box: Box, caller: str) -> bool | None:
    """Tell whether those named beside the controlling player are there to be named."""
    names = list(named)
    if any(name not in on_it or name in box.away for name in names):
        return False
    if caller in names or len(set(names)) < len(names):
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
    if box.surrendered:
        return None
    if not box.present:
        return False  # 16.8
    return _others(move.players, box.players, box, box.decides())


def _insurance(referee: Referee, move: m.Insure) -> bool | None:
    box = referee.box(move.box)
    if box is None or not referee.offers_stand or referee.dealer[0][0] != "A":
        return False
    stakes = box.stakes_of(move.player)
    if stakes is None or move.player in box.even_money or move.player in box.away:
        return False
    if referee.game.is_pontoon and box.natural:
        return False  # 18.5.1
    if move.amount <= 0 or move.amount % referee.game.smallest_chip:
        return False
    if 2 * move.amount > stakes.main:
        return False
    return None if move.player in box.insured else True


def _even_money(referee: Referee, move: m.EvenMoney) -> bool | None:
    box = referee.box(move.box)
    if referee.game.is_pontoon or box is None or not referee.offers_stand:
        return False
    if referee.dealer[0][0] != "A" or not box.natural:
        return False  # 9.1.2
    return move.player in box.present and move.player not in box.even_money


def _clearing(referee: Referee) -> bool | None:
    if not referee.over:
        return False
    due = any(s.pandemonium for box in referee.boxes if box.natural for s in box.stakes)
    return None if due else True


def _coming_and_going(referee: Referee, move: m.Absent | m.Present) -> bool | None:
    """16.8: who has a wager on the box walks away, or comes back."""
    box = referee.box(move.box)
    if box is None or not (referee.called or referee.first_card_out):
        return False
    may = box.present if isinstance(move, m.Absent) else box.away
    return all(name in may for name in move.players) and bool(may)


def _call(referee: Referee, move: m.CallDecisions) -> bool | None:
    """5.5: one of those who are there, for a reason that is true."""
    box = referee.box(move.box)
    if box is None or move.player not in box.present:
        return False
    if referee.initial_deal_done and referee.in_turn is None:
        return None
    leaders = box.leaders(box.present)
    match move.because:
        case "seated":
            return True
        case "highest":
            return leaders == [move.player]
        case "nearest":
            return move.player in leaders and (len(leaders) > 1 or len(box.present) == 1)
