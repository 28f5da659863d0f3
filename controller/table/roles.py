"""Who may do what: the roles of the rule texts."""

from typing import Final

DEALER: Final = "dealer"
SUPERVISORS: Final = frozenset(
    {"game-supervisor", "casino-supervisor", "pit-manager", "casino-duty-manager"}
)
"""Who may do what a casino supervisor may: a game supervisor is one (1.1), and those above are."""

ROLES: Final = (
    DEALER,
    "game-supervisor",
    "casino-supervisor",
    "pit-manager",
    "casino-duty-manager",
    "inspector",
)
