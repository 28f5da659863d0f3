"""Which clause of the game that is played a refusal names.

Most of what is forbidden is forbidden by the same sentence everywhere, and the code cites the New
South Wales one.  The New Zealand division has sentences of its own; where its text ends, the rules
of New South Wales fill in and are cited as they are (nz:2).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from controller.game.options import Game

IN_NEW_ZEALAND: Final[Mapping[str, str]] = MappingProxyType({
    "2": "nz:3.1",
    "3.1": "nz:3.3(a)",
    "5.1": "nz:5.2",
    "5.2": "nz:5.5(a)",
    "5.3": "nz:5.5(b)",
    "5.10": "nz:5.8",
    "5.11": "nz:5.8",
    "5.12": "nz:5.8",
    # The optional wagers that the division knows are insurance, double and split.
    "14.1": "nz:5.6",
    "14.2": "nz:5.6",
    "14.3": "nz:5.6",
    "18.1.1": "nz:3.1",
    "18.4.1": "nz:3.3(a)",
    "18.6.1": "nz:1 surrender",
    "18.7.1": "nz:5.1(c)",
    "18.14.2": "nz:5.6",
    "18.14.3": "nz:5.6",
    "18.14.5": "nz:5.6",
    "18.14.6": "nz:5.6",
})  # fmt: skip
"""The division's own clause for what a clause of New South Wales forbids."""


def own_clause(game: Game, rule: str) -> str:
    """Return the clause of the game that says what ``rule`` of New South Wales says."""
    return IN_NEW_ZEALAND.get(rule, rule) if game.is_nz else rule
