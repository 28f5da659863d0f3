"""A prize derived again from the random bytes that drew it, step by step (18.14.6)."""

from collections.abc import Iterator

from controller.game.prizes import BYTES, Weights, draw
from controller.money import to_the_cent

CHUNK = 8
"""Bytes that one number is made of."""


def derivation(weights: Weights, hexadecimal: str, recorded: int | None) -> Iterator[str]:
    """Yield how the bytes give a prize, so that it can be followed with pen and paper.

    ``recorded`` is the prize in the log, in dollars for each dollar; None if none is.
    """
    yield f"random bytes (hexadecimal): {hexadecimal}"
    total = sum(weight for _, weight in weights)
    if not total:
        yield "the game has no prizes: nothing can be derived"
        return
    try:
        chance = bytes.fromhex(hexadecimal)
    except ValueError:
        yield "!!! these are no bytes: nothing can be derived !!!"
        return
    if len(chance) != BYTES:
        yield f"!!! these are {len(chance)} bytes where a draw is given {BYTES} !!!"
    yield from _steps(weights, total, chance)
    derived = draw(weights, chance)
    if derived is None:
        yield "they draw nothing: new bytes are asked for"
    same = "the same" if derived == recorded else "NOT THE SAME: the log or the draw is wrong"
    yield f"derived here: {_prize(derived)}; recorded: {_prize(recorded)}; {same}"


def _prize(prize: int | None) -> str:
    return "none" if prize is None else f"{to_the_cent(prize * 100)} for each dollar wagered"


def _steps(weights: Weights, total: int, chance: bytes) -> Iterator[str]:
    limit = 256**CHUNK // total * total
    for at in range(0, len(chance) - CHUNK + 1, CHUNK):
        number = int.from_bytes(chance[at : at + CHUNK])
        place = f"bytes {at + 1} to {at + CHUNK}"
        if number >= limit:
            yield f"{place} as a number: {number}, passed over, as it is not below {limit}"
            continue
        point = number % total
        yield f"{place} as a number: {number}; divided by {total} (all weights) it leaves {point}"
        yield from _counted_off(weights, point)
        return


def _counted_off(weights: Weights, point: int) -> Iterator[str]:
    begin = 0
    for prize, weight in weights:
        end = begin + weight
        here = "  <-- here" if begin <= point < end else ""
        if weight:
            yield f"  {begin:>8} to {end - 1:<8} {to_the_cent(prize * 100):>14}{here}"
        begin = end
