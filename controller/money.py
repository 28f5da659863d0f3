"""Money in whole cents and odds as exact fractions; nothing here is ever a float."""

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Final, NewType

Odds = NewType("Odds", str)

EVENS: Final = Odds("1:1")
TWO_TO_ONE: Final = Odds("2:1")
THREE_TO_TWO: Final = Odds("3:2")
THREE_TO_ONE: Final = Odds("3:1")


def dollars(text: str) -> int:
    """Return the cents of an amount written in dollars with at most two decimals.

    Raises:
        ValueError: it is no such amount.

    >>> dollars("25"), dollars("7.50"), dollars("0.05")
    (2500, 750, 5)
    """
    try:
        cents = Decimal(text) * 100
        exact = cents == cents.to_integral_value()
    except InvalidOperation:
        exact = False
    if not exact or not text.replace(".", "", 1).isascii() or text.strip("0123456789."):
        raise ValueError(f"{text!r} is no amount: write dollars with at most two decimals, as 7.50")
    return int(cents)


def show(cents: int) -> str:
    """Return an amount as people write it.

    >>> show(2500), show(1_000_050)
    ('$25', '$10,000.50')
    """
    whole, rest = divmod(cents, 100)
    return f"${whole:,}" if rest == 0 else f"${whole:,}.{rest:02d}"


def to_the_cent(cents: int) -> str:
    """Return an amount with its cents, for columns and books; what is owed has a minus.

    >>> to_the_cent(2500), to_the_cent(-1_000_050), to_the_cent(-5)
    ('$25.00', '-$10,000.50', '-$0.05')
    """
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}${whole:,}.{rest:02d}"


def up_to_chip(exact: Fraction, chip: int) -> int:
    """Round an amount in cents up to the next that can be paid in chips (5.9).

    >>> up_to_chip(Fraction(1875, 2), 50)
    950
    """
    return -(-exact.numerator // (exact.denominator * chip)) * chip


def pay(stake: int, odds: Odds, chip: int) -> int:
    """Return what the house pays on top of ``stake`` at ``odds``, in whole chips (5.9).

    >>> pay(2500, THREE_TO_TWO, 50)
    3750
    """
    to, of = odds.split(":")
    return up_to_chip(Fraction(stake * int(to), int(of)), chip)


def half(stake: int, chip: int) -> int:
    """Return half a stake, rounded up to whole chips: what a surrender gives back (18.6)."""
    return up_to_chip(Fraction(stake, 2), chip)
