"""Tables fitted with more than shoe, pedal and keys."""

from collections.abc import Mapping
from typing import Final

from controller.events import AnyEvent, ConfirmLayout, DeviceOnline, Started
from controller.game.options import Game
from controller.table.controls import DEFAULT_CONTROLS
from controller.table.decide import DECIDER
from tests.controller.table.tale import BLACKJACK, Tale

PLAIN: Final = {"shoe": "shoe", "pedal": "pedal", "keys": "keys"}
SHUFFLER: Final = {**PLAIN, "shuffler-1": "shuffler"}
BUTTONS: Final = {**PLAIN, "buttons": "buttons", "meter": "meter"}


def restarted(game: Game, devices: Mapping[str, str]) -> Started:
    """Return the event by which a controller takes a table with these devices."""
    return Started(
        version="test",
        decider=DECIDER,
        config="",
        boot="",
        cards_ready=True,
        game=game,
        controls=dict(DEFAULT_CONTROLS),
        devices=dict(devices),
    )


def coming_up(game: Game, devices: Mapping[str, str]) -> list[AnyEvent]:
    """Return the events by which the table comes up with all of its devices."""
    online = (DeviceOnline(device=name, port="test") for name in devices)
    return [restarted(game, devices), *online]


def fitted(devices: Mapping[str, str], game: Game = BLACKJACK) -> Tale:
    """Return a table with these devices, all there, that waits for wagers."""
    tale = Tale(game)
    for event in coming_up(game, devices):
        tale.take(event)
    tale.ask(ConfirmLayout())
    return tale
