"""All that the seed of a demo decides: the order of the cards, the wagers, the decisions.

Each is drawn anew from the seed and from where it is asked for, so that a demo that was cut off
goes on as it would have gone.
"""

import random
from typing import Any, Final, NamedTuple

from controller.cards import pack
from controller.game.options import Game

PLAYERS: Final = ("ann", "bob", "cam", "dee", "eve", "fay", "gus", "hal")
PANDEMONIUM_LOVERS: Final = 0.3
CHIPS: Final = (500, 1000, 1500, 2500, 5000, 10_000)


class Loaded(NamedTuple):
    """A shuffled pack, and how many cards lie before the cutting card."""

    cards: list[str]
    cutting_card: int


class Chance:
    """The dice of one seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def shuffled(self, game: Game, shoe: int) -> Loaded:
        """Return the pack of the n-th shoe, cut by rule 4.5."""
        dice = self._dice("shoe", shoe)
        cards: list[str] = list(pack(game.decks, tens=game.tens))
        dice.shuffle(cards)
        deck = len(cards) // game.decks
        return Loaded(cards, len(cards) - dice.randrange(deck, len(cards) // 2))

    def wagers(self, game: Game, round_: int) -> list[dict[str, Any]]:
        """Return the wagers of a round, as they are asked for at the table."""
        dice = self._dice("wagers", round_)
        taken = sorted(dice.sample(range(1, game.boxes + 1), dice.randint(2, min(5, game.boxes))))
        wagers = []
        for box in taken:
            for player in dice.sample(PLAYERS, dice.choice((1, 1, 1, 1, 2, 3))):
                wager = {"do": "wager", "box": box, "player": player, "main": dice.choice(CHIPS)}
                if game.pandemonium and dice.random() < PANDEMONIUM_LOVERS:
                    wager["pandemonium"] = 500
                wagers.append(wager)
        return wagers

    def decides(self, round_: int, where: object, chance: float) -> bool:
        """Tell whether something of this chance happens there."""
        return self._dice("decision", round_, where).random() < chance

    def some_of(self, round_: int, where: object, names: list[str]) -> list[str]:
        """Return some of the names, perhaps none."""
        dice = self._dice("names", round_, where)
        return [name for name in names if dice.random() < 0.5]

    def _dice(self, *where: object) -> random.Random:
        return random.Random(f"{self._seed}:{where}")  # noqa: S311 - a demo is meant to repeat
