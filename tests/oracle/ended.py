"""A round that is over, and what can be asked about it when rare cases are counted."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from controller.events import Read
from controller.game import moves as m
from tests.oracle.layout import Box, Hand, total
from tests.oracle.referee import Referee
from tests.oracle.settling import Row, is_suited_sevens


@dataclass
class Ended:
    """A round that is over."""

    referee: Referee
    rows: list[Row]
    moves: list[m.Made | Read]

    @property
    def hands(self) -> Iterator[tuple[Box, Hand]]:
        """All hands, each with its box."""
        return ((box, hand) for box in self.referee.boxes for hand in box.hands)

    def any_hand(self, test: Callable[[Hand], bool]) -> bool:
        """Tell whether a hand passes the test."""
        return any(test(hand) for _, hand in self.hands)

    def any_box(self, test: Callable[[Box], bool]) -> bool:
        """Tell whether a box passes the test."""
        return any(map(test, self.referee.boxes))

    def row(
        self, wager: str, result: str, odds: str | None = None, hand: int | None = None
    ) -> bool:
        """Tell whether a wager of that name ended so."""
        return any(
            row.wager == wager
            and row.result == result
            and odds in (None, row.odds)
            and hand in (None, row.hand)
            for row in self.rows
        )

    def at_dealer_natural(self, test: Callable[[Hand], bool]) -> bool:
        """Tell whether the dealer had a natural, and a hand passes the test."""
        return self.referee.dealer_natural and self.any_hand(test)

    @property
    def shows_seven(self) -> bool:
        """Tell whether the dealer's first card was a seven, if it came at all."""
        return any(card[0] == "7" for card in self.referee.dealer[:1])

    def suited_sevens_at_seven(self, test: Callable[[Box], bool]) -> bool:
        """Tell whether a box that could take the Super Bonus passes the test."""
        seven = self.shows_seven and self.referee.game.super_bonus
        return seven and self.any_box(lambda box: is_suited_sevens(box.hands[0]) and test(box))

    def moved(self, kind: type[m.Made | Read]) -> int:
        """Return how many moves of that kind there were."""
        return sum(isinstance(move, kind) for move in self.moves)


class Case(NamedTuple):
    """Something rare, and how to recognise it in a round that is over."""

    name: str
    happened: Callable[[Ended], bool]


def is_soft(hand: Hand) -> bool:
    """Tell whether an ace of the hand counts 11."""
    return total(hand.cards, hand.aces_at_one)[1]


def wager_ended(wager: str, result: str, odds: str | None = None) -> Callable[[Ended], bool]:
    """Return the test for a wager that ended so."""
    return lambda ended: ended.row(wager, result, odds)


def voucher(result: str) -> Callable[[Ended], bool]:
    """Return the test for a voucher that ended so."""

    def happened(ended: Ended) -> bool:
        vouchers = {
            (box.number, stakes.player)
            for box in ended.referee.boxes
            for stakes in box.stakes
            if stakes.voucher
        }
        return any(
            row.wager == "main" and row.result == result and (row.box, row.player) in vouchers
            for row in ended.rows
        )

    return happened
