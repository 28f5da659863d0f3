"""One row of the rule book: a clause, where it holds, what happens, and where that leads."""

import enum
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec


class Refusal(NamedTuple):
    """Why not: the clause that forbids it, and the reason in the words of the table."""

    rule: str
    why: str


Guard = Callable[[Any, Any], Refusal | None]
"""Whether the row holds for a record and a move: None, or the reason why not.  Pure."""

Effect = Callable[[Any, Any], Any]
"""The record after the move.  Pure."""


class Row(NamedTuple):
    """Read as a sentence: by *rule*, in *states*, on *move*, go *to*, if *when*, then *then*.

    ``to`` None stays where it is.
    """

    rule: str
    states: tuple[enum.Enum, ...]
    on: type[msgspec.Struct]
    to: enum.Enum | None
    when: Guard | None = None
    then: Effect | None = None
