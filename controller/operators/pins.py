"""How a PIN and an operator's name are written."""

import re
from typing import Final

from controller.errors import UsageError
from controller.table.roles import ROLES

PIN_RULE: Final = (
    "a PIN has 4 to 12 digits, no piece over and over (0000, 1212), none in a row (1234, 9876)"
)
NAME_RULE: Final = "a name has 2 to 32 small letters, digits, dots and dashes, a letter first"

_PIN: Final = re.compile(r"[0-9]{4,12}", re.ASCII)
_NAME: Final = re.compile(r"[a-z][a-z0-9.-]{1,31}", re.ASCII)
_ROWS: Final = ("01234567890123456789", "98765432109876543210")


def check_pin(pin: str) -> None:
    """Make sure that a new PIN is one, and not among the first that somebody would try.

    Raises:
        UsageError: it is not; says the rule, never the PIN.
    """
    if not _PIN.fullmatch(pin) or _is_trivial(pin):
        raise UsageError(PIN_RULE)


def _is_trivial(pin: str) -> bool:
    """Tell whether it is one digit or one short piece over and over, or digits in a row."""
    half = len(pin) // 2
    repeated = any(
        pin == pin[:length] * (len(pin) // length)
        for length in range(1, half + 1)
        if len(pin) % length == 0
    )
    return repeated or any(pin in row for row in _ROWS)


def check_name(name: str) -> None:
    """Make sure that an operator's name is one.  No PIN is a name, and no role.

    Raises:
        UsageError: it is not; says the rule.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(NAME_RULE)
    if name in ROLES:
        raise UsageError(f"{name} is a role: an operator has a name of their own")


def check_role(role: str) -> None:
    """Make sure that a role is one of the rule texts.

    Raises:
        UsageError: it is none; names them.
    """
    if role not in ROLES:
        raise UsageError(f"{role!r} is no role: {', '.join(ROLES)}")
