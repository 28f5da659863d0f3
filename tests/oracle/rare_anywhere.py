"""The rare cases of every game."""

import itertools
from typing import Final

from controller.cards import UNREAD
from controller.events import Read
from controller.game import moves as m
from tests.oracle.ended import Case, Ended, voucher, wager_ended
from tests.oracle.layout import Box, total


def _rounded_up(ended: Ended) -> bool:
    for row in ended.rows:
        if row.odds is not None:
            to, of = map(int, row.odds.split(":"))
            if row.pays * of != row.stake * to:
                return True
    return False


def _dealer_only_looks(ended: Ended) -> bool:
    dealer = ended.referee.dealer
    return len(dealer) == 2 and total(dealer)[0] < 17


def _late_match(box: Box) -> bool:
    """Somebody leaves the first split alone and matches the second."""
    late = [set(hand.players) for hand in sorted(box.hands, key=lambda hand: hand.number)]
    return len(late) == 3 and bool(late[2] - late[1])


def _a_card_says_stand(ended: Ended) -> bool:
    return sum(hand.stood for _, hand in ended.hands) > ended.moved(m.Stand)


def _unread_in_the_deal(ended: Ended) -> bool:
    moves = ended.moves
    return any(
        isinstance(move, m.CardDealt) and move.card == UNREAD and isinstance(after, m.CardDealt)
        for move, after in itertools.pairwise(moves)
    )


def _doubled_and_gone(ended: Ended) -> bool:
    """A double, and the player away before its card comes."""
    return any(
        isinstance(move, m.Double) and isinstance(after, m.Absent)
        for move, after in itertools.pairwise(ended.moves)
    )


def _wagers(ended: Ended) -> int:
    return sum(len(box.stakes) for box in ended.referee.boxes)


def _placed(ended: Ended) -> int:
    return sum(len(hand.cards) for _, hand in ended.hands) + len(ended.referee.dealer)


def _only_the_original(ended: Ended, wager: str, hand: int | None = None) -> bool:
    """The dealer's natural leaves the wager that is not the original alone."""
    return ended.referee.dealer_natural and ended.row(wager, "stand-off", hand=hand)


def _void(ended: Ended, returns: str) -> bool:
    """The round is declared void when something was decided, and something was not."""
    game = ended.referee.game
    return bool(ended.referee.void_by) and game.void_returns == returns and len(ended.rows) > 1


ANYWHERE: Final = (
    Case("a third hand doubled", lambda e: e.any_hand(lambda h: h.number == 3 and bool(h.doubled))),
    Case(
        "aces split again", lambda e: e.any_hand(lambda h: h.number == 3 and h.cards[0][0] == "A")
    ),
    Case("the next card says that split aces stand", _a_card_says_stand),
    Case(
        "split ace and ten",
        lambda e: e.any_hand(lambda h: h.split and h.cards[0][0] == "A" and h.total == 21),
    ),
    Case(
        "split ten and ace",
        lambda e: e.any_hand(
            lambda h: h.split and len(h.cards) == 2 and h.cards[1][0] == "A" and h.total == 21
        ),
    ),
    Case(
        "somebody does not match a split",
        lambda e: e.any_box(lambda b: any(len(h.players) < len(b.players) for h in b.hands)),
    ),
    Case("somebody matches only the second split", lambda e: e.any_box(_late_match)),
    Case(
        "some double beside others who do not",
        lambda e: e.any_hand(lambda h: 0 < len(h.doubled) < len(h.players)),
    ),
    Case("dealer's natural, doubled hand", lambda e: _only_the_original(e, "double")),
    Case("dealer's natural, second hand", lambda e: _only_the_original(e, "split", 2)),
    Case("dealer's natural, third hand", lambda e: _only_the_original(e, "split", 3)),
    Case(
        "dealer's natural, first hand bust before the second stood",
        lambda e: (
            e.referee.dealer_natural
            and e.any_box(
                lambda b: b.hands[0].total > 21 and any(h.total < 21 for h in b.hands[1:])
            )
        ),
    ),
    Case("the dealer draws nothing", lambda e: len(e.referee.dealer) == 1),
    Case("the dealer draws the second card only", _dealer_only_looks),
    Case("insurance wins", wager_ended("insurance", "win")),
    Case("insurance loses", wager_ended("insurance", "lose")),
    Case("a voucher wins", voucher("win")),
    Case("a voucher stands off", voucher("stand-off")),
    Case("a voucher goes back", voucher("void")),
    Case("what waits goes back", lambda e: _void(e, "unsettled")),
    Case("everything goes back", lambda e: _void(e, "all")),
    Case("a payment rounded up to the chip", _rounded_up),
    Case("one player on several boxes", lambda e: len(e.referee.listed) < _wagers(e)),
    Case(
        "not the first listed controls", lambda e: e.any_box(lambda b: b.decides() != b.players[0])
    ),
    Case("a wager withdrawn", lambda e: e.moved(m.Withdraw) > 0),
    Case("a wager changed", lambda e: e.moved(m.Wager) > _wagers(e) and not e.moved(m.Withdraw)),
    Case("nobody decides for a box", lambda e: e.any_box(lambda b: not b.present)),
    Case(
        "another decides for who is away",
        lambda e: e.any_box(lambda b: bool(b.away) and bool(b.present)),
    ),
    Case("somebody is back", lambda e: e.moved(m.Present) > 0),
    Case("the nearest decides", lambda e: e.any_box(lambda b: b.decides() == b.nearest)),
    Case("a doubled hand that nobody is there for", _doubled_and_gone),
    Case("a card burned", lambda e: e.moved(m.Burn) > e.moved(m.CardDealt) - _placed(e)),
    Case("a card that was not due", lambda e: e.moved(m.CardDealt) > _placed(e)),
    Case("an unread card", lambda e: e.moved(Read) > 0),
    Case("an unread card in the initial deal", _unread_in_the_deal),
)
