"""Rule 5.5: who calls the decisions for a box on which several players wager."""

from collections.abc import Mapping
from typing import Literal

Reason = Literal["seated", "highest", "nearest"]
"""Why a player calls the decisions for a box (5.5.1 to 5.5.3)."""

Stakes = Mapping[str, int | None]
"""The main wagers of those who may call, in cents, as they are listed; None for no amount."""


def highest(stakes: Stakes) -> tuple[str, ...]:
    """Return who has the highest wager, as listed (5.5.2); a wager without an amount may be it."""
    most = max((amount for amount in stakes.values() if amount is not None), default=0)
    return tuple(player for player, amount in stakes.items() if amount in {None, most})


def holds(stakes: Stakes, player: str, because: Reason) -> bool:
    """Tell whether the dealer's word makes the player the one who calls.

    Who sits at the box calls while they are among ``stakes`` (5.5.1).  The highest wager calls
    while no other is known to be as high (5.5.2), the nearest while none is known to be higher
    (5.5.3).
    """
    if because == "seated" or player not in stakes:
        return player in stakes
    others = [other for other in highest(stakes) if other != player]
    alone = stakes[player] is None or all(stakes[other] is None for other in others)
    return player in highest(stakes) and (because == "nearest" or alone)


def who_calls(stakes: Stakes, said: str = "", because: Reason = "seated") -> str:
    """Return who calls the decisions among those with ``stakes``; empty where there are none.

    ``said`` is whom the dealer named, and ``because`` why: it counts as long as it holds.  Else
    the highest wager calls (5.5.2), and of several the first listed, until the dealer says whose
    is nearest (5.5.3).
    """
    if holds(stakes, said, because):
        return said
    return next(iter(highest(stakes)), "")
