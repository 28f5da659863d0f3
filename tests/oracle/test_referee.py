"""The referee itself, on rounds worked out by hand from the texts."""

import pytest

from controller.cards import Card
from controller.game import moves as m
from controller.game.options import BLACKJACK_NSW, PONTOON_NSW, PONTOON_NZ, build
from tests.oracle.legality import legal
from tests.oracle.referee import Referee
from tests.oracle.settling import rows, table_1


def played(game: str, wagers: list[m.Wager], steps: list[m.Request | str]) -> Referee:
    """Return the referee after the wagers and steps; cards are written as in ``7S KD``."""
    referee = Referee(build(game, {}))
    for wager in wagers:
        referee.apply(wager)
    for step in steps:
        if isinstance(step, str):
            for card in step.split():
                referee.apply(m.CardDealt(Card(card)))
        else:
            assert legal(referee, step)
            referee.apply(step)
    return referee


def paid(referee: Referee) -> list[tuple[str, str, str, int, int]]:
    """Return player, wager, result, pays and returns of every settled wager."""
    return [(row.player, row.wager, row.result, row.pays, row.returns) for row in rows(referee)[0]]


@pytest.mark.parametrize(
    ("cards", "odds"),
    [
        ("2S 3S 4S 5S 7S", "3:2"),
        ("2S 2H 3S 4S 4H 6S", "2:1"),
        ("2S 2H 2D 3S 3H 4S 5S", "3:1"),
        ("2S 2H 2D 2C 3S 3H 3D 4S", "3:1"),
        ("8S 6H 7D", "3:2"),
        ("8H 6H 7H", "2:1"),
        ("7S 6S 8S", "3:1"),
        ("7S 7S 7H", "3:2"),
        ("7C 7C 7C", "2:1"),
        ("7S 7S 7S", "3:1"),
        ("AS KD", "1:1"),
        ("9S 5H 7D", "1:1"),
        ("6S 7H 2D 6C", "1:1"),
    ],
)
def test_table_1(cards: str, odds: str) -> None:
    assert table_1(cards.split()) == odds


def test_a_super_bonus_pays_the_winner_and_fifty_dollars_to_the_others_once() -> None:
    referee = played(
        PONTOON_NSW,
        [
            m.Wager(box=1, player="ann", main=2500),
            m.Wager(box=2, player="bob", main=1000),
            m.Wager(box=2, player="cam", main=1000),
            m.Wager(box=3, player="cam", main=1000),
        ],
        ["7S KD TD 7D 7S 9C TH 7S", m.Stand(), m.Stand(), "9H QC"],
    )

    assert referee.over
    assert paid(referee) == [
        ("ann", "main", "win", 500_000, 2500),
        ("bob", "main", "win", 1000, 1000),
        ("cam", "main", "win", 1000, 1000),
        ("cam", "main", "win", 1000, 1000),
        ("bob", "super-bonus-share", "win", 5000, 0),
        ("cam", "super-bonus-share", "win", 5000, 0),
    ]


def test_a_dealers_blackjack_takes_the_original_wager_only() -> None:
    referee = played(
        BLACKJACK_NSW,
        [m.Wager(box=1, player="ann", main=1000)],
        [
            "8S AD 8H",
            m.Insure(1, "ann", 500),
            m.Split(),
            "3C",
            m.Double(),
            "TS TD",
            m.Stand(),
            "KD",
        ],
    )

    assert referee.over
    assert paid(referee) == [
        ("ann", "main", "lose", 0, 0),
        ("ann", "double", "stand-off", 0, 1000),
        ("ann", "split", "stand-off", 0, 1000),
        ("ann", "insurance", "win", 1000, 500),
    ]


def test_a_first_hand_that_went_bust_is_lost_whatever_the_dealer_gets() -> None:
    referee = played(
        BLACKJACK_NSW,
        [m.Wager(box=1, player="ann", main=1000)],
        ["8S TD 8H", m.Split(), "6C TS TH", m.Stand(), "AS"],
    )

    assert paid(referee) == [
        ("ann", "main", "lose", 0, 0),
        ("ann", "split", "stand-off", 0, 1000),
    ]


@pytest.mark.parametrize(("game", "total"), [(PONTOON_NSW, 12), (PONTOON_NZ, 12)])
def test_an_ace_of_the_initial_deal_counts_one_after_a_double(game: str, total: int) -> None:
    referee = played(
        game, [m.Wager(box=1, player="ann", main=1000)], ["AS 5D 9H", m.Double(), "2C"]
    )

    assert referee.boxes[0].hands[0].total == total


@pytest.mark.parametrize(("game", "total"), [(PONTOON_NSW, 8), (PONTOON_NZ, 18)])
def test_an_ace_drawn_later_counts_by_the_text_of_its_country(game: str, total: int) -> None:
    referee = played(
        game, [m.Wager(box=1, player="ann", main=1000)], ["2S 5D 3H AC", m.Double(), "2C"]
    )

    assert referee.boxes[0].hands[0].total == total


def test_one_of_two_doublers_forfeits_and_the_other_plays_on() -> None:
    referee = played(
        PONTOON_NSW,
        [m.Wager(box=1, player="ann", main=1000), m.Wager(box=1, player="bob", main=733)],
        ["5S 9D 6H", m.Double(("bob",)), "2C", m.Forfeit(("bob",)), "4H KD"],
    )

    assert paid(referee) == [
        ("ann", "main", "win", 1000, 1000),
        ("ann", "double", "win", 1000, 1000),
        ("bob", "main", "lose", 0, 0),
        ("bob", "double", "forfeited", 0, 733),
    ]


def test_a_surrender_gives_half_back_rounded_up_to_the_chip() -> None:
    referee = played(
        PONTOON_NSW,
        [m.Wager(box=1, player="ann", main=1010)],
        ["9S KD 7H", m.Surrender(1), "5C"],
    )

    assert referee.over
    assert paid(referee) == [("ann", "main", "surrendered", 0, 550)]


def test_the_dealer_draws_nothing_when_all_is_settled() -> None:
    referee = played(BLACKJACK_NSW, [m.Wager(box=1, player="ann", main=1000)], ["9S KD 7H TC"])

    assert referee.over
    assert legal(referee, m.Stand()) is False


def test_only_the_second_card_matters_to_a_blackjack() -> None:
    referee = played(BLACKJACK_NSW, [m.Wager(box=1, player="ann", main=1050)], ["AS KD TH"])

    assert not referee.over
    referee.apply(m.CardDealt(Card("2C")))
    assert referee.over
    assert paid(referee) == [("ann", "main", "win", 1600, 1050)]


def test_super_sevens_of_a_split_pair_is_decided_by_the_next_card() -> None:
    referee = played(
        BLACKJACK_NSW,
        [m.Wager(box=1, player="ann", main=1000, super_sevens=100)],
        ["7S KD 7S", m.Split(), "7S"],
    )

    assert paid(referee) == [("ann", "super-sevens", "win", 500_000, 100)]
