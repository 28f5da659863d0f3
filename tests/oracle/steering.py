"""Which card comes next: chosen, not shuffled fairly, so that what is rare at a table occurs.

Every box and the dealer follow a plan.  A plan names the cards it would like; what the pack no
longer holds, or the plan does not care about, is drawn at random.
"""

import random
from collections import Counter
from typing import NamedTuple

from controller.cards import RANKS, UNREAD, Card, pack
from controller.game.options import Game
from tests.oracle.layout import Hand, points, total

TENS = "TJQK"

DEALER_PLANS = ("any", "ace", "ten", "natural", "ten natural", "seven", "soft 17", "small", "bust")
BOX_PLANS = (
    "any",
    "natural",
    "pair",
    "aces",
    "tens",
    "sevens",
    "suited sevens",
    "6-7-8",
    "suited 6-7-8",
    "many",
    "split many",
    "double",
    "ace double",
    "late ace",
    "split late ace",
    "split bust",
    "bust",
)

THEMES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "anything": (DEALER_PLANS, BOX_PLANS),
    "super bonus": (("seven",), ("suited sevens",) * 4 + ("sevens", "any", "bust")),
    "dealer natural": (
        ("natural", "ten natural"),
        ("pair", "aces", "double", "natural", "bust", "any", "split many", "split bust"),
    ),
    "pairs": (("any", "ten", "ace", "small"), ("pair", "aces", "tens", "split many")),
    "long hands": (DEALER_PLANS, ("many", "split many", "split many", "6-7-8", "suited 6-7-8")),
    "sevens": (DEALER_PLANS, ("sevens", "suited sevens")),
    "insurance": (("ace", "natural"), ("natural", "natural", "any", "pair", "bust", "double")),
    "doubles": (("any", "ten", "small", "natural"), ("double", "ace double", "pair")),
    "late aces": (("any", "small", "ace"), ("late ace", "split late ace")),
    "nothing to draw for": (("any", "ten", "ace", "seven"), ("bust", "natural", "bust")),
}


def theme(game: Game, luck: random.Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the dealer's plans and the boxes' plans of a round, drawn together."""
    favoured = ["super bonus"] * 3 if game.super_bonus else []
    return THEMES[luck.choice([*THEMES, *favoured])]


class Habits(NamedTuple):
    """How likely a decision is, where it may be made; asked in this order, else a card."""

    split: float
    double: float
    stand: float


def habits(plan: str, hand: Hand) -> Habits:
    """Return what the plan does with the hand as it is."""
    if hand.split and hand.cards[0][0] == "A":
        return Habits(split=0.5, double=0.0, stand=0.3)
    match plan:
        case "double":
            return Habits(split=0.6, double=0.8, stand=0.2)
        case "late ace" | "split late ace":
            late = any(card[0] == "A" for card in hand.cards)
            return Habits(split=0.9, double=0.7 if late else 0.0, stand=0.1)
        case "ace double":
            return Habits(split=0.3, double=0.6, stand=0.1)
        case "pair" | "aces" | "tens":
            return Habits(split=0.9, double=0.5, stand=0.3 if hand.total < 16 else 0.8)
        case "many" | "split many":
            return Habits(split=0.9, double=0.03, stand=0.03)
        case "sevens" | "suited sevens":
            return Habits(split=0.25, double=0.1, stand=0.15)
        case "6-7-8" | "suited 6-7-8":
            return Habits(split=0.5, double=0.1, stand=0.1)
        case "split bust":
            return Habits(split=0.95, double=0.0, stand=0.3)
        case "bust":
            return Habits(split=0.5, double=0.2, stand=0.05)
        case _:
            return Habits(split=0.7, double=0.2, stand=0.3 if hand.total < 16 else 0.85)


class Pack:
    """The cards of one round, chosen as they are dealt; no card more often than it is there."""

    def __init__(self, game: Game, luck: random.Random) -> None:
        self._left = Counter(pack(game.decks, tens=game.tens))
        self._luck = luck

    def take(self, ranks: str, suits: str = "SHDC") -> Card:
        """Take a card of these ranks and suits; if there is none left, any card."""
        wanted = [card for card in self._of(ranks, suits) if self._left[card]]
        card = self._luck.choice(wanted or [card for card, count in self._left.items() if count])
        self._left[card] -= 1
        return card

    @staticmethod
    def _of(ranks: str, suits: str) -> list[Card]:
        return [Card(rank + suit) for rank in ranks for suit in suits]


def for_dealer(plan: str, cards: list[str], luck: random.Random) -> tuple[str, str]:
    """Return the ranks and suits that the dealer's plan asks for."""
    first = {
        "ace": "A",
        "natural": "A",
        "ten": TENS,
        "ten natural": TENS,
        "seven": "7",
        "soft 17": "A",
        "small": "2345",
        "bust": TENS,
    }
    second = {"natural": TENS, "ten natural": "A", "soft 17": "6", "bust": "6", "seven": "7T"}
    third = {"bust": TENS}
    wishes = (first, second, third)
    wished = wishes[len(cards)].get(plan) if len(cards) < 3 else None
    if wished is None or luck.random() < 0.1:
        return RANKS, "SHDC"
    return wished, "SHDC"


def for_hand(plan: str, hand: Hand, luck: random.Random) -> tuple[str, str]:
    """Return the ranks and suits that the plan asks for as the next card of the hand."""
    cards = hand.cards
    if UNREAD in cards or luck.random() < 0.05:
        return RANKS, "SHDC"
    suits = "SHDC"
    if plan.startswith("suited"):
        suits = cards[0][1] if cards else luck.choice(("SHDC", "S"))
    if hand.split and plan in ("pair", "aces", "tens"):
        return _for_split(cards, luck), suits
    match plan:
        case "natural":
            return (TENS if cards and cards[0][0] == "A" else "A") if cards else "A" + TENS, suits
        case "pair":
            return _same_value(cards, luck), suits
        case "aces":
            return ("A" if len(cards) < 2 else RANKS), suits
        case "tens":
            return (TENS if len(cards) < 2 else RANKS), suits
        case "sevens" | "suited sevens":
            return ("7" if luck.random() < 0.9 else RANKS), suits
        case "6-7-8" | "suited 6-7-8":
            left = "".join(rank for rank in "678" if all(card[0] != rank for card in cards))
            return (left if len(cards) < 3 and left else RANKS), suits
        case "many":
            return _small(cards), suits
        case "split many":
            return (cards[0][0] if len(cards) == 1 and not hand.split else _small(cards)), suits
        case "double":
            return _to_total(cards, luck.choice((9, 10, 11))) if cards else "2345678", suits
        case "split bust":
            return ("6" if not cards or not hand.split else TENS), suits
        case "late ace":
            return ("234" if len(cards) < 2 else "A23"), suits
        case "split late ace":
            return (_same_value(cards, luck) if not hand.split else "A2"), suits
        case "ace double":
            return luck.choice(("A", "89", "234567", "A2")), suits
        case "bust":
            return (TENS if not cards else "6789J"), suits
        case _:
            return RANKS, suits


def _same_value(cards: list[str], luck: random.Random) -> str:
    if len(cards) == 1:
        return TENS if cards[0][0] in TENS else cards[0][0]
    return luck.choice("23456789") if not cards else RANKS


def _for_split(cards: list[str], luck: random.Random) -> str:
    """A second card that makes a pair again, a double, or a 21."""
    if len(cards) != 1:
        return RANKS
    same = TENS if cards[0][0] in TENS else cards[0][0]
    return luck.choice((same, same, _to_total(cards, luck.choice((9, 10, 11, 21))), RANKS))


def _to_total(cards: list[str], wanted: int) -> str:
    missing = wanted - sum(map(points, cards))
    if missing in (1, 11):
        return "A"
    if missing == 10:
        return TENS
    return str(missing) if 2 <= missing <= 9 else RANKS


def _small(cards: list[str]) -> str:
    """Cards that make a long hand, and at the end of it 21."""
    count, soft = total(cards)
    missing = 21 - count
    if len(cards) >= 4 and missing <= (4 if len(cards) < 6 else 10):
        return _to_total([], missing)
    return "3456" if soft and len(cards) < 3 else "234" if len(cards) % 2 else "23"
