"""One row of the rule book: a clause, where it holds, what happens, and where that leads."""

from collections.abc import Callable
from typing import Any, NamedTuple

from controller.game.moves import Move
from controller.game.play import Play, RoundState


class Refusal(NamedTuple):
    """Why not: the clause that forbids it, and the reason in the words of the table."""

    rule: str
    why: str


Guard = Callable[[Play, Any], Refusal | None]
"""Whether the row holds: None, or the reason why not.  Pure."""

Effect = Callable[[Play, Any], Play]
"""What the table looks like afterwards.  Pure."""


class Row(NamedTuple):
    """Read as a sentence: by *rule*, in *states*, on *move*, go *to*, if *when*, then *then*.

    ``to`` None stays where it is.
    """

    rule: str
    states: tuple[RoundState, ...]
    on: type[Move]
    to: RoundState | None
    when: Guard | None = None
    then: Effect | None = None
