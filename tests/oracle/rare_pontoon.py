"""The rare cases of Pontoon: rule 18, and what only one of the two texts has."""

from collections.abc import Callable
from typing import Final

from tests.oracle.ended import Case, Ended, is_soft, voucher, wager_ended
from tests.oracle.layout import Box, Hand, total
from tests.oracle.settling import is_suited_sevens, super_bonus_winners


def _three(hand: Hand, ranks: str, suits: str | None = None) -> bool:
    """Tell whether the hand is three cards of those ranks, of one suit out of ``suits``."""
    if "".join(sorted(card[0] for card in hand.cards)) != ranks or hand.doubled:
        return False
    own = {card[1] for card in hand.cards}
    return len(own) > 1 if suits is None else len(own) == 1 and own <= set(suits)


def _long_21(count: int, *, split: bool = False) -> Callable[[Ended], bool]:
    def is_one(hand: Hand) -> bool:
        long = len(hand.cards) == count or len(hand.cards) > count == 7
        return long and hand.total == 21 and not hand.doubled and hand.split >= split

    return lambda ended: ended.any_hand(is_one)


def _three_cards(ranks: str, suits: str | None = None) -> Callable[[Ended], bool]:
    return lambda ended: ended.any_hand(lambda hand: _three(hand, ranks, suits))


def _soft_17_on_the_way(ended: Ended) -> bool:
    dealer = ended.referee.dealer
    return any(total(dealer[:count]) == (17, True) for count in range(2, len(dealer)))


def _forfeits(test: Callable[[Hand], bool]) -> Callable[[Ended], bool]:
    return lambda ended: ended.any_hand(lambda hand: bool(hand.forfeited) and test(hand))


def _long_double(ended: Ended) -> bool:
    return ended.any_hand(
        lambda hand: bool(hand.doubled) and (len(hand.cards) > 4) and hand.total == 21
    )


PONTOON: Final = (
    Case(
        "dealer's natural, doubled hand bust",
        lambda e: e.at_dealer_natural(lambda h: bool(h.doubled) and h.total > 21),
    ),
    Case("the dealer draws to a soft 17", _soft_17_on_the_way),
    *(Case(f"{count}-card 21", _long_21(count)) for count in (5, 6, 7)),
    *(Case(f"{count}-card 21 on a split hand", _long_21(count, split=True)) for count in (5, 6, 7)),
    Case("6-7-8", _three_cards("678")),
    Case("6-7-8 of a suit", _three_cards("678", "HDC")),
    Case("6-7-8 of spades", _three_cards("678", "S")),
    Case("7-7-7", _three_cards("777")),
    Case("7-7-7 of a suit", _three_cards("777", "HDC")),
    Case("7-7-7 of spades", _three_cards("777", "S")),
    Case(
        "7-7-7 of a suit on a split hand",
        lambda e: e.any_hand(lambda h: h.split and _three(h, "777", "SHDC")),
    ),
    Case("a long 21 doubled pays evens", _long_double),
    Case(
        "another's double takes the odds away",
        lambda e: e.any_hand(lambda h: 0 < len(h.doubled) < len(h.players) and h.total == 21),
    ),
    Case("a double on three or more cards", lambda e: e.any_hand(lambda h: h.doubled_with > 2)),
    Case("a double with an ace at one", lambda e: e.any_hand(lambda h: h.aces_at_one > 0)),
    Case(
        "one of several doublers forfeits", _forfeits(lambda h: len(h.forfeited) < len(h.doubled))
    ),
    Case("all of several doublers forfeit", _forfeits(lambda h: len(h.forfeited) > 1)),
    Case("a forfeit beside a single wager", _forfeits(lambda h: len(h.doubled) < len(h.players))),
    Case("a forfeit on a split hand", _forfeits(lambda h: h.split)),
    Case(
        "a forfeit, then the dealer's pontoon",
        lambda e: e.at_dealer_natural(lambda h: bool(h.forfeited)),
    ),
    Case("a surrender", wager_ended("main", "surrendered")),
    Case("a voucher surrendered", voucher("surrendered")),
    Case(
        "a surrender, then the dealer's pontoon",
        lambda e: any(row.rule == "18.6.5" for row in e.rows),
    ),
    Case(
        "some surrender and others stand on two cards",
        lambda e: e.any_box(lambda b: 0 < len(b.surrendered) < len(b.players)),
    ),
    Case(
        "a surrendered wager insured",
        lambda e: e.any_box(lambda b: any(player in b.insured for player in b.surrendered)),
    ),
    Case(
        "stands on two cards below 12",
        lambda e: e.any_hand(lambda h: h.stood and len(h.cards) == 2 and h.total < 12),
    ),
)


def _bonus_beside_less(box: Box) -> bool:
    return len({stakes.main >= 500 for stakes in box.stakes}) == 2


def _bonus_boxes(ended: Ended) -> int:
    return len({row.box for row in ended.rows if row.pays in (100_000, 500_000) and not row.odds})


NSW: Final = (
    Case("Super Bonus of $1000", lambda e: any(r.pays == 100_000 and not r.odds for r in e.rows)),
    Case("Super Bonus of $5000", lambda e: any(r.pays == 500_000 and not r.odds for r in e.rows)),
    Case("two Super Bonus boxes", lambda e: _bonus_boxes(e) > 1),
    Case("two Super Bonus winners on a box", lambda e: _bonus_rows(e) > _bonus_boxes(e)),
    Case("below $5 beside a Super Bonus", lambda e: e.suited_sevens_at_seven(_bonus_beside_less)),
    Case(
        "nobody on the hand has $5 for the Super Bonus",
        lambda e: e.suited_sevens_at_seven(lambda b: all(s.main < 500 for s in b.stakes)),
    ),
    Case("Super Bonus share", wager_ended("super-bonus-share", "win")),
    Case(
        "a Super Bonus winner elsewhere too",
        lambda e: any(
            sum(player in box.players for box in e.referee.boxes) > 1
            for player in super_bonus_winners(e.referee)
        ),
    ),
    Case(
        "Super Bonus not offered",
        lambda e: not e.referee.game.super_bonus and e.shows_seven and e.any_hand(is_suited_sevens),
    ),
    Case(
        "suited sevens doubled: no Super Bonus",
        lambda e: (
            e.shows_seven
            and e.any_hand(lambda h: bool(h.doubled) and [c[0] for c in h.cards] == ["7"] * 3)
        ),
    ),
    Case("Pandemonium loses", wager_ended("pandemonium", "lose")),
    Case(
        "Pandemonium wins and waits for the button",
        lambda e: e.any_box(lambda b: b.natural and any(s.pandemonium for s in b.stakes)),
    ),
)


def _bonus_rows(ended: Ended) -> int:
    return sum(row.pays in (100_000, 500_000) and not row.odds for row in ended.rows)


def _late_ace(hand: Hand) -> bool:
    """An ace that was drawn before the double and counts 11 after it (nz:4.1(c)(ii))."""
    first = 1 if hand.split else 2
    drawn = [card for card in hand.cards[first : hand.doubled_with] if card[0] == "A"]
    return bool(hand.doubled and drawn) and is_soft(hand)


NZ: Final = (
    Case("an ace drawn before a double still counts 11", lambda e: e.any_hand(_late_ace)),
    Case(
        "an ace drawn to a split hand counts 11 after a double",
        lambda e: e.any_hand(lambda h: h.split and _late_ace(h)),
    ),
)
