"""Cards and money: 3.1, 3.2, 5.9, 18.4.1, nz:4.1."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.cards import RANKS, SUITS, deck, is_red, is_ten_valued, pack, parse_card, value
from controller.money import Odds, dollars, half, pay, show, up_to_chip

CENTS = st.integers(0, 10_000_000)
CHIPS = st.sampled_from([5, 10, 25, 50, 100, 250, 500, 2000])
ODDS = st.sampled_from(["1:1", "3:2", "2:1", "3:1", "5:1", "30:1", "500:1"]).map(Odds)


def test_3_1_a_deck_has_every_card_once() -> None:
    cards = deck(tens=True)
    assert len(cards) == len(set(cards)) == 52
    assert set(cards) == {rank + suit for rank in RANKS for suit in SUITS}


def test_18_4_1_a_pontoon_deck_has_no_tens() -> None:
    cards = deck(tens=False)
    assert len(cards) == 48
    assert not [card for card in cards if card[0] == "T"]


def test_3_1_a_pack_has_each_card_once_a_deck() -> None:
    cards = pack(6, tens=True)
    assert len(cards) == 6 * 52
    assert all(cards.count(card) == 6 for card in deck(tens=True))


@pytest.mark.parametrize(
    ("rank", "points"),
    [("A", 1), *((str(n), n) for n in range(2, 10)), *((face, 10) for face in "TJQK")],
)
def test_3_2_each_rank_has_its_value(rank: str, points: int) -> None:
    """Numbers count themselves (3.2.2, nz:4.1(a)), jack, queen, king ten (3.2.3, nz:4.1(b))."""
    for suit in SUITS:
        card = parse_card(rank + suit)
        assert value(card) == points
        assert is_ten_valued(card) == (points == 10)
        assert is_red(card) == (suit in "HD")


@pytest.mark.parametrize("word", ["", "7", "S7", "10S", "7s", "1S", "??", "7S ", "77", "ZS"])
def test_what_is_no_card_is_told(word: str) -> None:
    with pytest.raises(ValueError, match="is no card: write rank"):
        parse_card(word)


@pytest.mark.parametrize(
    ("text", "cents"),
    [("0", 0), ("5", 500), ("7.5", 750), ("7.50", 750), ("0.05", 5), (".5", 50), ("5.", 500),
     ("1000000", 100_000_000)],
)  # fmt: skip
def test_dollars_are_read_as_cents(text: str, cents: int) -> None:
    assert dollars(text) == cents


@pytest.mark.parametrize(
    "text",
    ["", " ", ".", "5 ", "+5", "-5", "1e3", "1E3", "7.505", "1,000", "$5", "nan", "inf", "0x10",
     "1_000", "\u0665", "5.0.0", "five"],
)  # fmt: skip
def test_what_is_no_amount_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="is no amount: write dollars"):
        dollars(text)


@given(CENTS)
def test_an_amount_is_read_as_it_was_written(cents: int) -> None:
    assert dollars(show(cents).strip("$").replace(",", "")) == cents


@given(CENTS, CHIPS)
def test_5_9_an_amount_is_paid_to_the_next_chip_and_never_below(cents: int, chip: int) -> None:
    paid = up_to_chip(Fraction(cents), chip)
    assert paid % chip == 0
    assert cents <= paid < cents + chip


@given(CENTS, ODDS, CHIPS)
def test_5_9_odds_are_exact_before_they_are_rounded(stake: int, odds: Odds, chip: int) -> None:
    to, of = map(int, odds.split(":"))
    due = Fraction(stake * to, of)
    paid = pay(stake, odds, chip)
    assert paid % chip == 0
    assert due <= paid < due + chip


@given(CENTS, CHIPS)
def test_18_6_half_a_stake_is_rounded_up_to_the_chip(stake: int, chip: int) -> None:
    back = half(stake, chip)
    assert back % chip == 0
    assert Fraction(stake, 2) <= back < Fraction(stake, 2) + chip
