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
    seated: str = ""
    """Who sits here, as far as that was said (5.5.1)."""
    nearest: str = ""
    """Whose wager was said to lie nearest the dealer (5.5.3)."""
    hands: list[Hand] = field(default_factory=list)
    dealt: list[str] = field(default_factory=list)
    """All cards dealt to the box, in order."""
    surrendered: list[str] = field(default_factory=list)
    insured: dict[str, int] = field(default_factory=dict)
    even_money: list[str] = field(default_factory=list)
    away: list[str] = field(default_factory=list)

    @property
    def players(self) -> list[str]:
        """Everybody with a wager on the box, as listed."""
        return [stakes.player for stakes in self.stakes]

    @property
    def present(self) -> list[str]:
        """Everybody who is there to decide (16.8)."""
        return [player for player in self.players if player not in self.away]

    def leaders(self, group: list[str]) -> list[str]:
        """Return who of the group has wagered most (5.5.2)."""
        amounts = {stakes.player: stakes.main for stakes in self.stakes}
        return [player for player in group if amounts[player] == max(map(amounts.get, group))]

    def decides(self, hand: Hand | None = None) -> str:
        """Return who speaks for the box, or for a hand of it: rule 5.5, step by step.

        Those with a wager on the hand come first; are they all away, somebody else on the box
        speaks for it (16.8).
        """
        concerned = self.players if hand is None else hand.players
        here = [player for player in concerned if player not in self.away]
        group = here or self.present or concerned
        if self.seated in group:
            return self.seated
        leaders = self.leaders(group)
        return self.nearest if self.nearest in leaders else leaders[0]

    @property
    def natural(self) -> bool:
        """Tell whether the box holds a blackjack or pontoon."""
        return len(self.hands) == 1 and self.hands[0].natural

    def stakes_of(self, player: str) -> Stakes | None:
        """Return what the player put here, or None."""
        return next((stakes for stakes in self.stakes if stakes.player == player), None)
