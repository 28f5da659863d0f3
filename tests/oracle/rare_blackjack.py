"""The rare cases of Blackjack and of rule 14."""

from typing import Final

from tests.oracle.ended import Case, Ended, is_soft, wager_ended
from tests.oracle.layout import total


def _sevens_after_a_split(ended: Ended) -> bool:
    return ended.any_box(
        lambda b: len(b.hands) > 1 and all(card[0] == "7" for card in b.dealt[:3])
    ) and any(row.odds in ("500:1", "5000:1") for row in ended.rows)


BLACKJACK: Final = (
    Case("even money gives insurance back", wager_ended("insurance", "void")),
    Case(
        "even money by some of several",
        lambda e: e.any_box(lambda b: 0 < len(b.even_money) < len(b.players)),
    ),
    Case("blackjack against blackjack", lambda e: e.at_dealer_natural(lambda h: h.natural)),
    Case(
        "blackjack waits for the dealer and wins",
        lambda e: any(row.rule == "15.1.1" for row in e.rows) and not e.referee.game.pay_at_end,
    ),
    Case(
        "21 loses to blackjack",
        lambda e: e.at_dealer_natural(lambda h: h.total == 21 and h.number == 1 and not h.natural),
    ),
    Case("a double on an ace", lambda e: e.any_hand(lambda h: h.aces_at_one > 0)),
    Case(
        "an ace on a double counts 11",
        lambda e: e.any_hand(lambda h: bool(h.doubled) and is_soft(h)),
    ),
    Case(
        "ten and picture split",
        lambda e: e.any_box(lambda b: len(b.hands) > 1 and b.dealt[0][0] != b.dealt[1][0]),
    ),
    Case(
        "the dealer stands on a soft 17",
        lambda e: len(e.referee.dealer) > 1 and total(e.referee.dealer) == (17, True),
    ),
    *(
        Case(f"Super Sevens {odds}", wager_ended("super-sevens", "win", odds))
        for odds in ("3:1", "50:1", "100:1", "500:1", "5000:1")
    ),
    Case("Super Sevens loses", wager_ended("super-sevens", "lose")),
    Case("Super Sevens after a split", _sevens_after_a_split),
    Case(
        "Super Sevens without a third card",
        lambda e: any(
            row.wager == "super-sevens" and row.odds in ("50:1", "100:1") and len(box.dealt) == 2
            for row in e.rows
            for box in e.referee.boxes
            if box.number == row.box
        ),
    ),
    *(
        Case(f"Perfect Pairs {odds}", wager_ended("perfect-pairs", "win", odds))
        for odds in ("5:1", "10:1", "30:1")
    ),
    Case("Perfect Pairs loses", wager_ended("perfect-pairs", "lose")),
)
