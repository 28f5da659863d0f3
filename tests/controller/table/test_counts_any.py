"""Whatever is done with the cards, and told truly: no alarm; one card gone: an alarm (3.1)."""

from collections.abc import Callable
from itertools import cycle
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cards import pack
from controller.events import (
    CardOut,
    ConfirmLayout,
    DeviceLost,
    DeviceOnline,
    DeviceReports,
    EndRound,
    NewShoe,
    Use,
)
from controller.game.moves import Cleared
from controller.game.options import build
from controller.table.state import StandingAlarm, cards_in_pack
from tests.controller.table.fitted import fitted, restarted
from tests.controller.table.tale import SUPERVISOR

ROLES: Final = {
    "shoe": "shoe",
    "shuffler-1": "shuffler",
    "shuffler-2": "shuffler",
    "multishuffler": "multishuffler",
}
GAMES: Final = ("blackjack-nsw", "pontoon-nsw", "pontoon-nz")
FEWEST: Final = 8
"""Cards that a round takes at most, with its burn card."""


class World:
    """The cards as they lie, and a table that hears of them what its devices say."""

    def __init__(self, game: str) -> None:
        self.game = build(game, {})
        self.tale = fitted(ROLES, self.game)
        self.inside = dict.fromkeys(ROLES, 0)
        self.rack = cards_in_pack(self.game)
        self.faces = cycle(pack(1, tens=self.game.tens))
        self.use("shuffler-1")

    @property
    def source(self) -> str:
        return self.tale.state.source

    @property
    def counts(self) -> list[str]:
        """What the standing alarms about counts say."""
        standing = self.tale.state.standing
        return [
            one.what
            for one in standing
            if isinstance(one, StandingAlarm) and one.cause.startswith("count")
        ]

    def says(self, device: str, state: str = "") -> None:
        """Let a device say how it is and how many cards it holds."""
        if ROLES[device] == "shoe":
            return
        inside = self.inside[device]
        state = state or ("ready" if inside else "idle")
        self.tale.take(DeviceReports(device=device, state=state, cards_inside=inside))

    def card(self) -> None:
        self.inside[self.source] -= 1
        self.rack += 1
        self.tale.take(CardOut(device=self.source, card=next(self.faces)))

    def load(self, device: str) -> None:
        """Put the discards into a device; a shuffler says what comes of it."""
        self.says(device, "loading")
        self.inside[device], self.rack = self.inside[device] + self.rack, 0
        self.says(device, "shuffling")
        self.says(device)

    def use(self, device: str) -> None:
        """Move all cards into a device and say that they come from it."""
        if device == self.source:
            return self.reload()
        self.rack, self.inside[self.source] = self.rack + self.inside[self.source], 0
        self.says(self.source)
        self.load(device)
        self.tale.ask(Use(device))
        return None

    # --- what may happen between two rounds -------------------------------------------------------

    def reload(self) -> None:
        self.load(self.source)
        self.tale.ask(NewShoe())

    def round(self) -> None:
        if self.inside[self.source] < FEWEST:
            self.reload()
        if self.tale.state.ledger.burn_is_due:
            self.card()
        self.tale.wager()
        for _ in range(3):
            self.card()
        self.says(self.source, "delivering")
        self.tale.ask(EndRound(), SUPERVISOR)
        self.tale.ask(Cleared())

    def look(self) -> None:
        self.says(self.source)

    def trouble(self) -> None:
        self.says(self.source, "jam")
        self.says(self.source)

    def away(self) -> None:
        self.tale.take(DeviceLost(device=self.source, why="unplugged"))
        self._back(self.source)

    def restart(self) -> None:
        self.tale.take(restarted(self.game, ROLES))
        for device in ROLES:
            self._back(device)

    def _back(self, device: str) -> None:
        self.tale.take(DeviceOnline(device=device, port="p"))
        self.says(device)
        self.tale.ask(ConfirmLayout())

    def mix(self) -> None:
        """A second pack goes through the multishuffler."""
        for inside in (cards_in_pack(self.game), 0):
            self.inside["multishuffler"] = inside
            self.says("multishuffler")

    def first(self) -> None:
        self.use("shuffler-1")

    def second(self) -> None:
        self.use("shuffler-2")

    def shoe(self) -> None:
        self.use("shoe")


Step = Callable[[World], None]
STEPS: Final[tuple[Step, ...]] = (
    World.reload, World.round, World.round, World.look, World.trouble, World.away, World.restart,
    World.mix, World.first, World.second, World.shoe,
)  # fmt: skip
TELLING: Final[tuple[Step, ...]] = (
    World.look, World.trouble, World.away, World.restart, World.reload, World.first, World.second,
)  # fmt: skip
"""Steps in which a shuffling device that holds the cards says how many, before the next round."""

tales = st.lists(st.sampled_from(STEPS), max_size=25)


@given(st.sampled_from(GAMES), tales)
@settings(max_examples=150, deadline=None)
def test_3_1_what_is_told_truly_is_never_off(game: str, steps: list[Step]) -> None:
    world = World(game)
    for step in steps:
        step(world)
        assert world.counts == [], step


@pytest.mark.parametrize("telling", TELLING, ids=lambda step: str(step.__name__))
@given(st.sampled_from(GAMES), tales, st.integers(-3, 20).filter(bool))
@settings(max_examples=25, deadline=None)
def test_3_1_cards_that_are_gone_or_too_many_are_told_before_the_next_round(
    telling: Step, game: str, steps: list[Step], gone: int
) -> None:
    world = World(game)
    for step in steps:
        step(world)
    if world.source == "shoe" and telling not in (World.first, World.second):
        world.first()
    gone = min(gone, world.inside[world.source] - 1)
    world.inside[world.source] -= gone
    telling(world)
    (what,) = world.counts
    number = f"{abs(gone)} {'too many' if gone < 0 else 'is' if gone == 1 else 'are'}"
    assert f": {number}" in what
    world.round()
    world.look()
    assert world.counts == [what], "it is the same number, and told once"
