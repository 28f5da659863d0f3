"""Pandemonium's prizes (18.14.6): their return, their draw, and what is no table of them."""

import secrets
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Final

import pytest

from controller.errors import SettingsError
from controller.game.options import PONTOON_NSW, PONTOON_NZ, build
from controller.game.prizes import BYTES, PRIZES, draw, fault_in, percent, theoretical_return
from controller.settings import read_game

SHIPPED: Final = (2, 60, 1_000, 6_000, 30_000, 60_000, 90_000, 150_000, 300_000, 362_938)
"""The weights of the shipped table, largest prize first: a million in all."""

WEIGHTS: Final = tuple(zip(PRIZES, SHIPPED, strict=True))
WORD: Final = 8
"""Bytes of one number of the draw."""


def table(**few: int) -> dict[int, int]:
    """Return weights of 0 but for a few: ``five=2`` is twice the prize of $5."""
    named = {"five": 5, "twenty": 20, "twenty_five": 25, "highest": 250_000}
    return dict.fromkeys(PRIZES, 0) | {named[name]: weight for name, weight in few.items()}


def words(*numbers: int) -> bytes:
    """Return the random bytes that give these numbers, one after the other."""
    return b"".join(number.to_bytes(WORD) for number in numbers)


def test_18_14_6_the_shipped_table_is_as_it_is_here() -> None:
    assert read_game(PONTOON_NSW, {}).prizes == WEIGHTS
    assert sum(SHIPPED) == 1_000_000


# --- what they return -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decks", "pontoons", "told"), [(6, (12, 287), "67.16 %"), (8, (16, 383), "67.11 %")]
)
def test_18_14_6_the_return_worked_out_by_hand(
    decks: int, pontoons: tuple[int, int], told: str
) -> None:
    """A million draws give $15,064,690 for each dollar, and the dollar comes back each time."""
    by_hand = Fraction(*pontoons) * Fraction(15_064_690 + 1_000_000, 1_000_000)
    assert theoretical_return(WEIGHTS, decks) == by_hand
    assert percent(by_hand) == told


@pytest.mark.parametrize(("decks", "returned"), [(6, Fraction(12 * 6, 287)),
                                                 (8, Fraction(16 * 6, 383))])  # fmt: skip
def test_18_14_6_with_one_prize_of_five_a_pontoon_returns_six(
    decks: int, returned: Fraction
) -> None:
    assert theoretical_return([*table(five=1).items()], decks) == returned


# Five times $20 and seven times $25 of twelve: 275 / 12 for a dollar, 287 / 12 with the stake.
AT_ONE: Final = table(twenty=5, twenty_five=7)


def test_18_14_6_a_return_of_exactly_100_percent_is_refused() -> None:
    assert theoretical_return([*AT_ONE.items()], 6) == 1
    assert "100.00 %" in (fault_in(AT_ONE, 6) or "")
    assert fault_in(table(twenty=6, twenty_five=6), 6) is None


def test_18_14_6_the_same_weights_return_less_with_eight_decks() -> None:
    assert fault_in(AT_ONE, 8) is None
    given = {str(prize): weight for prize, weight in AT_ONE.items()}
    assert build(PONTOON_NSW, {"decks": 8, "prizes": given}).prizes
    with pytest.raises(SettingsError, match="below 100 %"):
        build(PONTOON_NSW, {"decks": 6, "prizes": given})


@pytest.mark.parametrize(
    ("weights", "what"),
    [
        (table(highest=1), "below 100 %"),
        (table(), "not all 0"),
        (table(five=-1, twenty=5), "from 0"),
        (table(five=1) | {6: 1}, "exactly"),
        ({5: 1}, "exactly"),
    ],
)
def test_18_14_6_weights_that_cannot_be_are_named(weights: dict[int, int], what: str) -> None:
    fault = fault_in(weights, 6)
    assert fault is not None
    assert what in fault
    assert "18.14.6" in fault


@pytest.mark.parametrize(
    ("game", "prizes"),
    [
        (PONTOON_NSW, {"5": 1.5}),
        (PONTOON_NSW, {"5": True}),
        (PONTOON_NSW, {"five": 1}),
        (PONTOON_NSW, {"6": 1}),
        (PONTOON_NSW, 7),
        (PONTOON_NZ, {"5": 1}),
    ],
)
def test_18_14_6_what_is_no_table_of_prizes_is_refused(game: str, prizes: object) -> None:
    with pytest.raises(SettingsError, match=r"18\.14"):
        build(game, {"prizes": prizes})


# --- the draw -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("point", "prize"), [(0, 5), (2, 5), (3, 20), (6, 20), (7, 5), (10, 20)])
def test_18_14_6_each_weight_is_as_many_numbers(point: int, prize: int) -> None:
    assert draw([(5, 3), (20, 4)], words(point)) == prize


def test_18_14_6_a_prize_of_weight_0_is_never_drawn() -> None:
    drawn = {draw([(25, 0), (20, 1), (5, 0)], words(number)) for number in range(100)}
    assert drawn == {20}


@pytest.mark.parametrize("total", [3, 7, 1_000_000, 2**40 + 1])
def test_18_14_6_numbers_beyond_the_last_whole_round_of_weights_favour_nobody(total: int) -> None:
    weights = [(20, 1), (5, total - 1)]
    limit = 256**WORD - 256**WORD % total
    assert limit < 256**WORD
    assert draw(weights, words(limit - 1)) == 5
    assert draw(weights, words(limit)) is None
    assert draw(weights, words(256**WORD - 1)) is None
    assert draw(weights, words(limit, 256**WORD - 1, 0)) == 20


def test_18_14_6_where_the_weights_divide_all_numbers_none_is_passed_over() -> None:
    assert draw([(20, 1), (5, 1)], words(256**WORD - 1)) == 5


def test_18_14_6_bytes_that_are_too_few_draw_nothing() -> None:
    assert draw(WEIGHTS, b"") is None
    assert draw(WEIGHTS, bytes(WORD - 1)) is None
    assert draw(WEIGHTS, b"\xff" * BYTES) is None


def chi_square(draws: int, source: Callable[[int], bytes]) -> float:
    """Return how far so many draws lie from their weights; the two rarest prizes count as one."""
    seen = Counter(draw(WEIGHTS, source(WORD)) for _ in range(draws))
    assert seen.total() == draws
    rarest, others = PRIZES[:2], WEIGHTS[2:]
    pairs = [(seen[prize], weight) for prize, weight in others]
    pairs.append((sum(seen[prize] for prize in rarest), sum(SHIPPED[:2])))
    expected = [(count, weight * draws / sum(SHIPPED)) for count, weight in pairs]
    return sum((count - mean) ** 2 / mean for count, mean in expected)


def test_18_14_6_a_million_draws_lie_by_their_weights() -> None:
    """Eight degrees of freedom: beyond 26.12 in one of a thousand runs, and this one is seeded."""
    assert chi_square(1_000_000, Random(18_146).randbytes) < 26.12


def test_18_14_6_draws_of_real_chance_lie_by_their_weights() -> None:
    """Beyond 200 only if the draw is wrong: by chance alone, less than once in 10^30 runs."""
    assert chi_square(100_000, secrets.token_bytes) < 200


def test_18_14_6_wrong_weights_would_be_seen() -> None:
    """The two tests above can fail: a source that favours low numbers lies far off."""

    def low(count: int) -> bytes:
        return words(min(luck.randrange(10**6) for _ in range(2)))[:count]

    luck = Random(1)
    assert chi_square(20_000, low) > 200
