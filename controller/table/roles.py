"""Who may do what: the roles of the rule texts."""

from typing import Final

from controller.errors import NotAllowed

DEALER: Final = "dealer"  # 1.1 dealer
DUTY_MANAGER: Final = "casino-duty-manager"
INSPECTOR: Final = "inspector"  # 1.1 inspector
SUPERVISORS: Final = frozenset(
    {"game-supervisor", "casino-supervisor", "pit-manager", "casino-duty-manager"}
)
"""Who may do what a casino supervisor may (1.1 casino supervisor): a game supervisor is one
(1.1 game supervisor), and those above are."""

WHO_ANSWERS: Final = "a game supervisor or above"
"""Who may answer an alarm, in the words of every screen, page and refusal: the roles in
``SUPERVISORS``, and nobody else.  An inspector is told of it and does not answer it."""

ROLES: Final = (
    DEALER,
    "game-supervisor",
    "casino-supervisor",
    "pit-manager",
    "casino-duty-manager",
    "inspector",
)


def need_supervisor(by: str, rule: str, does: str) -> None:
    """Refuse by the clause what only a casino supervisor does.

    Raises:
        NotAllowed: ``by`` is none.
    """
    if by not in SUPERVISORS:
        raise NotAllowed(rule, f"a casino supervisor {does}, not the {by}")
