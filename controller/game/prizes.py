"""Pontoon Pandemonium's prizes: their weights, what they return, and how one is drawn (18.14.6)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

PRIZES: Final = (250_000, 7_500, 750, 250, 50, 25, 20, 15, 10, 5)
"""The possible prizes, in dollars for each dollar wagered (18.14.6)."""

BYTES: Final = 64
"""Random bytes that one draw is given; far more than it needs."""

_CHUNK: Final = 8

Weights = Sequence[tuple[int, int]]
"""Pairs of prize and weight: of all weights together, so many draws give this prize."""


def theoretical_return(weights: Weights, decks: int) -> Fraction:
    """Return the part of all Pandemonium wagers that goes back to the players in the long run.

    A pontoon comes with probability 2n / (48n - 1) from n decks; the winner has the prize for
    each dollar, and the stake back.
    """
    total = sum(weight for _, weight in weights)
    mean = Fraction(sum(prize * weight for prize, weight in weights), total)
    return Fraction(2 * decks, 48 * decks - 1) * (mean + 1)


def fault_in(weights: Mapping[int, int], decks: int) -> str | None:
    """Return what is wrong with the weights, or None."""
    if set(weights) != set(PRIZES):
        return f"prizes must be exactly {', '.join(map(str, PRIZES))} (18.14.6)"
    if any(weight < 0 for weight in weights.values()) or not any(weights.values()):
        return "the weights of prizes are whole numbers from 0, not all 0 (18.14.6)"
    returned = theoretical_return(list(weights.items()), decks)
    if returned >= 1:
        return f"these prizes return {percent(returned)} of what is wagered: below 100 % (18.14.6)"
    return None


def percent(part: Fraction) -> str:
    """Write a fraction in percent with two decimals, rounded down.

    >>> percent(Fraction(2, 3))
    '66.66 %'
    """
    hundredths = part * 10_000 // 1
    return f"{hundredths // 100}.{hundredths % 100:02d} %"


def draw(weights: Weights, chance: bytes) -> int | None:
    """Return the prize that random bytes draw, each by its weight exactly.

    Bytes that fall beyond the largest multiple of the weights are passed over, so that no prize
    is favoured; None if all of them do, which new bytes mend.
    """
    total = sum(weight for _, weight in weights)
    limit = 256**_CHUNK // total * total
    for at in range(0, len(chance) - _CHUNK + 1, _CHUNK):
        number = int.from_bytes(chance[at : at + _CHUNK])
        if number < limit:
            return _prize_at(weights, number % total)
    return None


def _prize_at(weights: Weights, point: int) -> int:
    for prize, weight in weights:
        if point < weight:
            return prize
        point -= weight
    raise AssertionError("a point beyond all weights")
