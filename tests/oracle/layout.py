"""What lies on the referee's table: boxes, hands, cards and what they count.

Everything here is written from the rule texts alone, and plainly.  Nothing is shared with the
product but the games' options and the moves.  Amounts are cents; a card is two characters.
"""

from dataclasses import dataclass, field

COUNTS = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10} | {str(n): n for n in range(2, 10)}
"""What each rank counts, an ace as 1 (3.2)."""


def points(card: str) -> int:
    """Return what a card counts, an ace as 1."""
    return COUNTS[card[0]]


def total(cards: list[str], aces_at_one: int = 0) -> tuple[int, bool]:
    """Return the point total and whether it is soft (3.2.1).

    ``aces_at_one`` aces of the hand can never count 11: it doubled with them (11.2.2, 18.9.2).
    """
    hard = aces = 0
    for card in cards:
        hard += COUNTS[card[0]]
        if card[0] == "A":
            aces += 1
    if aces > aces_at_one and hard + 10 <= 21:
        return hard + 10, True
    return hard, False


def ace_and_ten(cards: list[str]) -> bool:
    """Tell whether these are an ace and a card that counts ten, and nothing else."""
    return len(cards) == 2 and sorted(points(card) for card in cards) == [1, 10]


@dataclass
class Stakes:
    """What one player put on one box."""

    player: str
    main: int
    super_sevens: int = 0
    perfect_pairs: int = 0
    pandemonium: int = 0
    voucher: bool = False


@dataclass
class Hand:
    """One hand; ``number`` says as which of its box it was formed."""

    number: int
    players: list[str]
    cards: list[str] = field(default_factory=list)
    split: bool = False
    stood: bool = False
    doubled: list[str] = field(default_factory=list)
    doubled_with: int = 0
    """How many cards it had when it doubled."""
    aces_at_one: int = 0
    forfeited: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """What the hand counts."""
        return total(self.cards, self.aces_at_one)[0]

    @property
    def natural(self) -> bool:
        """Blackjack or pontoon: of the initial two cards, never after a split (1.1, 18.3.1.3)."""
        return not self.split and ace_and_ten(self.cards)

    @property
    def waits_for_its_card(self) -> bool:
        """A card must come before anything can be decided: just split, or just doubled."""
        return len(self.cards) < 2 or (bool(self.doubled) and len(self.cards) == self.doubled_with)


@dataclass
class Box:
    """One playing area.  ``hands`` stand in the order in which they act."""

    number: int
    stakes: list[Stakes]
    controls: str
    hands: list[Hand] = field(default_factory=list)
    dealt: list[str] = field(default_factory=list)
    """All cards dealt to the box, in order."""
    surrendered: list[str] = field(default_factory=list)
    insured: dict[str, int] = field(default_factory=dict)
    even_money: list[str] = field(default_factory=list)
    absent: bool = False

    @property
    def players(self) -> list[str]:
        """Everybody with a wager on the box, as listed."""
        return [stakes.player for stakes in self.stakes]

    @property
    def natural(self) -> bool:
        """Tell whether the box holds a blackjack or pontoon."""
        return len(self.hands) == 1 and self.hands[0].natural

    def stakes_of(self, player: str) -> Stakes | None:
        """Return what the player put here, or None."""
        return next((stakes for stakes in self.stakes if stakes.player == player), None)
