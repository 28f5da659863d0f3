"""The dealer and the players of a demo: from what the table shows to the next thing to do.

They know the game only as people do: the view tells whose turn it is, what may be done and
where the next card goes.
"""

from typing import Any, NamedTuple

from controller.demo.chance import Chance
from controller.game.options import Game
from controller.game.play import RoundState


class Do(NamedTuple):
    """One thing to do at the table, and for how many beats a person takes over it."""

    what: str
    """``draw``, ``press``, ``ask`` or ``load``."""
    args: tuple[Any, ...] = ()
    beats: float = 1.0


DRAW = Do("draw", beats=1.0)
GO_ON = Do("press", ("pedal", "middle"), beats=1.2)
WAIT = Do("wait")

FEWEST_CARDS = 60
"""With fewer left, another round might not end: new cards are loaded first."""


class Dealer:
    """Plays by a seed; keeps nothing between two looks at the table."""

    def __init__(self, game: Game, chance: Chance, source: str) -> None:
        self._game = game
        self._chance = chance
        self._source = source

    def next(self, view: dict[str, Any], drawn: int) -> Do:
        """Return what to do now; ``drawn`` is how many cards left the shoe since it was loaded."""
        if view["suspended"] or view["trouble"] or view["procedure"]:
            return WAIT
        if view["in_doubt"]:
            return self._mend(view, drawn)
        if view["undue"]:
            return Do("ask", ({"do": "burn", "card": view["undue"][0]},))
        if view["shoe"]["burn_is_due"]:
            return DRAW
        if view["jackpots"]:
            return Do("press", ("buttons", f"jackpot-{view['jackpots'][0]}"), beats=2.0)
        state = view["state"]
        if state == RoundState.WAGERS.value:
            return self._before_the_deal(view, drawn)
        if state == RoundState.FINAL_SETTLEMENT.value and view["pending"]:
            return WAIT  # a prize is being drawn
        if state == RoundState.FINAL_SETTLEMENT.value:
            return GO_ON._replace(beats=5.0)
        return self._decision(view) if view["turn"] else DRAW

    def _mend(self, view: dict[str, Any], drawn: int) -> Do:
        """Enter the cards that came out while nobody was looking, then say that all is shown."""
        missing = drawn - view["shoe"]["out"]
        if missing > 0:
            return Do("enter", (view["shoe"]["out"],))
        return GO_ON

    def _before_the_deal(self, view: dict[str, Any], drawn: int) -> Do:
        shoe = view["shoe"]
        runs_out = shoe["left"] < FEWEST_CARDS  # a shuffling device has no cutting card
        fresh = drawn == 0 and shoe["out"] == 0
        if shoe["cutting_card"] or runs_out or fresh or view["source"] != self._source:
            return self._shuffle(view)
        placed = {(box["box"], bet["player"]) for box in view["boxes"] for bet in box["players"]}
        for wager in self._chance.wagers(self._game, view["round"]):
            if (wager["box"], wager["player"]) not in placed:
                return Do("ask", (wager,), beats=0.4)
        return GO_ON

    def _shuffle(self, view: dict[str, Any]) -> Do:
        """Load a shuffled pack and tell the table; cut off in between, both are done again."""
        same = view["source"] == self._source
        ask = {"do": "new-shoe"} if same else {"do": "use", "device": self._source}
        return Do("load", (view["shoe"]["number"], ask), beats=2.0)

    def _decision(self, view: dict[str, Any]) -> Do:
        """Decide for the hand in turn, much as people do."""
        turn, round_ = view["turn"], view["round"]
        box = next(box for box in view["boxes"] if box["box"] == turn["box"])
        hand = next(hand for hand in box["hands"] if hand["hand"] == turn["hand"])
        where = (box["box"], hand["hand"], *hand["cards"])
        if offer := self._offer(view, round_):
            return offer
        others = [name for name in hand["players"] if name != box["controls"]]
        total = int(hand["total"].split()[-1])
        if "split" in view["allowed"] and self._chance.decides(round_, (where, "split"), 0.5):
            return self._with_others("split", round_, where, others)
        worth = 9 <= total <= 11 or len(hand["cards"]) > 2
        if (
            worth
            and "double" in view["allowed"]
            and self._chance.decides(round_, (where, "double"), 0.4)
        ):
            return self._with_others("double", round_, where, others)
        draws_to = 12 if self._chance.decides(round_, (where, "timid"), 0.2) else 17
        if "stand" in view["allowed"] and total >= draws_to:
            return GO_ON
        return DRAW

    def _offer(self, view: dict[str, Any], round_: int) -> Do | None:
        """Take back a poor double, or surrender, now and then."""
        names = view["may_forfeit"]
        if names and self._chance.decides(round_, ("forfeit", *names), 0.3):
            return Do("ask", ({"do": "forfeit", "players": names[:1]},))
        if "surrender" not in view["offers"]:
            return None
        for box in view["boxes"]:
            natural = box["hands"][0]["says"] in {"pontoon", "blackjack"}
            if box["surrendered"] or natural:
                continue
            if self._chance.decides(round_, ("surrender", box["box"]), 0.08):
                return Do("press", ("buttons", f"surrender-{box['box']}"))
        return None

    def _with_others(self, what: str, round_: int, where: object, others: list[str]) -> Do:
        """Decide with those of the box who do the same: by key alone, by name together."""
        same = self._chance.some_of(round_, (where, what), others)
        if same:
            return Do("ask", ({"do": what, "players": same},))
        return Do("keys", ({"double": "D", "split": "P"}[what],))
