"""What a round script says, once it is read."""

from typing import Any

import msgspec

from controller.game.moves import Wager
from controller.game.options import Game


class Step(msgspec.Struct, frozen=True):
    """One line of play: where it stands, as it was written, and what it asks for."""

    line: int
    text: str
    word: str
    args: tuple[Any, ...] = ()


class Expected(msgspec.Struct, frozen=True):
    """One row that the result must hold; keys left out are not compared.  Money is cents."""

    line: int
    row: dict[str, Any]


class Script(msgspec.Struct, frozen=True):
    """A whole script, ready to be performed."""

    title: str
    game: Game
    source: str
    wagers: tuple[Wager, ...]
    steps: tuple[Step, ...]
    expected: tuple[Expected, ...]


class Fault(msgspec.Struct, frozen=True, order=True):
    """Something wrong in a script: the line (from 1, 0 for the whole file) and what it is."""

    line: int
    what: str
