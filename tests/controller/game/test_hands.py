"""Point totals and what a hand is: 1.1, 3.2, 12.1, 13.2, 18.9.2, 18.11, 18.13.1, nz:3.2, nz:4.1."""

from collections.abc import Sequence
from itertools import combinations_with_replacement, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.cards import UNREAD, Card, deck, value
from controller.game.hands import (
    could_be_natural,
    dealer_must_draw,
    has_natural,
    is_bust,
    is_natural,
    is_pair_by_value,
    is_soft,
    low_aces,
    odds_of_21,
    points,
    said,
    total,
)
from controller.game.play import Hand
from tests.controller.game.rounds import BLACKJACK, NEW_ZEALAND, PONTOON, cards

HANDS = st.lists(st.sampled_from(deck(tens=True)), max_size=12)


def _every_count(hand: Sequence[Card], low: int = 0) -> set[int]:
    """Return all totals that the aces allow, each 1 or 11, the first ``low`` of them 1."""
    hard = sum(map(value, hand))
    aces = sum(card[0] == "A" for card in hand)
    return {hard + 10 * high for high in range(max(aces - low, 0) + 1)}


SPADES = [card for card in deck(tens=True) if card[1] == "S"]
EVERY_HAND = [hand for size in range(6) for hand in combinations_with_replacement(SPADES, size)]
"""Of every five cards and fewer, whatever their suit."""


@pytest.mark.parametrize("low", range(4))
def test_3_2_1_the_total_is_the_best_that_the_aces_allow(low: int) -> None:
    """The total and whether it is soft (1.1 point total, 1.1 soft total, 1.1 hard total).

    The same in New Zealand: an ace counts 1 where 11 would be over 21 (nz:4.1(c)(i)).
    """
    for hand in EVERY_HAND:
        counts = _every_count(hand, low)
        within = [count for count in counts if count <= 21]
        assert total(hand, low) == (max(within) if within else min(counts)), hand
        assert is_soft(hand, low) == (total(hand, low) != min(counts)), hand


@given(HANDS, st.data())
def test_a_hand_with_an_unread_card_has_no_total(hand: list[Card], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(hand)))
    hand.insert(at, UNREAD)
    assert total(hand) is None
    assert not is_soft(hand)
    assert not is_natural(hand)
    assert said(hand) == "?"
    assert not is_bust(Hand(number=1, players=("ann",), cards=tuple(hand)), BLACKJACK)


def test_1_1_a_natural_is_an_ace_and_a_ten_valued_card_and_nothing_else() -> None:
    for first, second in product(deck(tens=True), repeat=2):
        faces = {first[0], second[0]}
        assert is_natural((first, second)) == ("A" in faces and bool(faces & set("TJQK")))
    assert not is_natural(cards("AS 5S 5H"))
    assert not is_natural(cards("AS"))


def test_12_3_2_a_split_hand_has_no_natural() -> None:
    hand = Hand(number=1, players=("ann",), cards=cards("AS KS"))
    assert has_natural(hand)
    assert not has_natural(Hand(number=1, players=("ann",), cards=cards("AS KS"), split=True))


def test_12_1_a_pair_is_two_cards_of_one_value() -> None:
    for first, second in product(deck(tens=True), repeat=2):
        assert is_pair_by_value((first, second)) == (value(first) == value(second))
    assert not is_pair_by_value(cards("8S 8H 8C"))
    assert not is_pair_by_value(cards("8S"))
    assert not is_pair_by_value((UNREAD, UNREAD))


def _doubled(words: str, on: int, *, split: bool = False) -> Hand:
    return Hand(number=1, players=("ann",), cards=cards(words), doubled_on=on, split=split)


@pytest.mark.parametrize(
    ("words", "on", "split", "nsw", "nz"),
    [
        ("AS 7S 2H", 2, False, 10, 10),   # the ace was dealt in the initial deal
        ("4S 5S AH", 2, False, 20, 20),   # the double card counts 11
        ("2S 2H AS 5S", 3, False, 10, 20),  # drawn before the double
        ("AS 2S AH 6S", 3, False, 10, 20),  # one of each
        ("AS AH 9S", 2, False, 11, 11),
        ("4S AS 5S", 2, True, 10, 20),    # drawn to a split hand
        ("9S AH KS", 2, True, 20, 20),
    ],
)  # fmt: skip
def test_18_9_2_and_nz_4_1_c_ii_which_aces_count_one_after_a_double(
    words: str, on: int, split: bool, nsw: int, nz: int
) -> None:
    hand = _doubled(words, on, split=split)
    assert points(hand, PONTOON) == nsw
    assert points(hand, NEW_ZEALAND) == nz


def test_an_ace_counts_freely_where_nobody_doubled() -> None:
    hand = _doubled("AS 7S 2H", 0)
    assert low_aces(hand, PONTOON) == low_aces(hand, NEW_ZEALAND) == 0
    assert points(hand, PONTOON) == 20


def _hands_of_21(size: int) -> list[tuple[Card, ...]]:
    ranks = [rank for rank in "A23456789K" if rank != "T"]
    found = []
    for faces in combinations_with_replacement(ranks, size):
        hand = cards(" ".join(face + suit for face, suit in zip(faces, "SHDCSHDC", strict=False)))
        if total(hand) == 21:
            found.append(hand)
    return found


@pytest.mark.parametrize(
    ("size", "odds"), [(4, "1:1"), (5, "3:2"), (6, "2:1"), (7, "3:1"), (8, "3:1")]
)
def test_18_13_1_a_21_of_more_than_three_cards_is_paid_by_its_number(size: int, odds: str) -> None:
    hands = _hands_of_21(size)
    assert hands
    assert {odds_of_21(hand) for hand in hands} == {odds}


SPECIAL = {("6", "7", "8"), ("7", "7", "7")}


def test_18_13_1_a_21_of_three_cards_by_ranks_and_suits_in_every_order() -> None:
    for hand in _hands_of_21(3):
        faces = tuple(sorted(card[0] for card in hand))
        for suits in product("SHDC", repeat=3):
            suited = len(set(suits)) == 1
            odds = "1:1"
            if faces in SPECIAL:
                odds = ("3:1" if suits[0] == "S" else "2:1") if suited else "3:2"
            for order in permutations(zip(faces, suits, strict=True)):
                drawn = cards(" ".join(face + suit for face, suit in order))
                assert odds_of_21(drawn) == odds, drawn


@given(HANDS.filter(bool))
def test_13_2_the_blackjack_dealer_draws_to_16(hand: list[Card]) -> None:
    assert dealer_must_draw(hand, BLACKJACK) == ((total(hand) or 0) <= 16)


@given(HANDS.filter(bool))
def test_18_11_1_and_nz_3_2_b_the_pontoon_dealer_draws_to_soft_17(hand: list[Card]) -> None:
    best = total(hand) or 0
    draws = best <= 16 or (best == 17 and sum(map(value, hand)) == 7)
    assert dealer_must_draw(hand, PONTOON) == draws
    assert dealer_must_draw(hand, NEW_ZEALAND) == draws


def test_the_dealer_waits_for_an_unread_card() -> None:
    assert not dealer_must_draw((Card("2S"), UNREAD), BLACKJACK)


def test_13_4_only_an_ace_or_a_ten_valued_card_can_become_a_natural() -> None:
    for card in deck(tens=True):
        assert could_be_natural(card) == (card[0] in "ATJQK")
    assert not could_be_natural(UNREAD)


@pytest.mark.parametrize(
    ("words", "announced"),
    [("TS 5S", "15"), ("AS 6S", "7 or 17"), ("AS KS", "21"), ("AS 5S 5H", "21"),
     ("AS 6S KS", "17"), ("AS", "1 or 11"), ("KS QS 5S", "25")],
)  # fmt: skip
def test_10_1_the_total_is_announced(words: str, announced: str) -> None:
    assert said(cards(words)) == announced
