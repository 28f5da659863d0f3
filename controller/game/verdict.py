"""How one wager ends, before it is turned into money."""

from typing import Literal, NamedTuple

from controller.money import Odds

Result = Literal["win", "lose", "stand-off", "surrendered", "forfeited", "void"]
"""A stand off gives the wager back (1.1 stand off); so does a wager without a result (1.1 void)."""


class Verdict(NamedTuple):
    """A result with the clause that decided it; a win says how it is paid, in one of three ways."""

    result: Result
    rule: str
    odds: Odds | None = None
    fixed: int | None = None
    """An amount in cents whatever the stake (Super Bonus)."""
    prize: int | None = None
    """So many times the stake (Pontoon Pandemonium)."""
