"""The product and the referee agree on every wager, every refusal and every card."""

from collections import Counter

import pytest
import yaml

from controller.cards import Card
from controller.game import moves as m
from controller.game.options import BLACKJACK_NSW, NAMES, build
from tests.oracle.agreement import Disagreement, Match, play_round
from tests.oracle.rare import cases
from tests.oracle.run import run

ROUNDS = 300


@pytest.mark.parametrize("game", NAMES)
def test_product_and_referee_agree_and_the_rare_cases_occur(game: str) -> None:
    rare, figures, complaints = run(game, ROUNDS, first=0)

    if complaints:
        pytest.fail(f"{len(complaints)} of {ROUNDS} rounds; the first:\n{complaints[0]}")
    assert [case.name for case in cases(game) if not rare[case.name]] == []
    assert figures["refused"] > ROUNDS
    assert figures["allowed"] > ROUNDS


@pytest.mark.parametrize("game", NAMES)
def test_they_cite_the_same_clauses(game: str) -> None:
    differing: Counter[tuple[str, str]] = Counter()
    for seed in range(ROUNDS, ROUNDS + 40):
        differing.update(play_round(game, seed).clauses)

    assert differing == Counter()


def half_a_round() -> Match:
    """Return a match with two players at a box and one card to come."""
    match = Match(build(BLACKJACK_NSW, {}), "two players and a fault")
    for move in (
        m.Wager(box=1, player="ann", main=1000, super_sevens=250),
        m.Wager(box=1, player="bob", main=733, voucher=True),
        m.NoMoreBets(),
        *(m.CardDealt(Card(card)) for card in ("TS", "6D", "9H")),
        m.Stand(),
    ):
        match.make(move)
    return match


def test_a_difference_is_told_together_with_the_round_as_a_script() -> None:
    match = half_a_round()
    match.make(m.CardDealt(Card("TH")))
    match.referee.boxes[0].hands[0].cards[1] = "TC"  # misread by the referee: it is a nine

    with pytest.raises(Disagreement, match="settled differ") as told:
        match.make(m.CardDealt(Card("4C")))

    script = yaml.safe_load(str(told.value).partition("\n\n")[2])
    assert script["game"] == BLACKJACK_NSW
    assert script["bets"] == [
        {"box": 1, "player": "ann", "main": 10.0, "super_sevens": 2.5},
        {"box": 1, "player": "bob", "main": 7.33, "voucher": True},
    ]
    assert script["play"] == [
        "controls 1 ann because highest",
        "no-more-bets",
        *("cards TS", "cards 6D", "cards 9H", "stand", "cards TH", "cards 4C"),
    ]


@pytest.mark.parametrize(
    ("move", "told"),
    [(m.Split(), "refused though legal"), (m.Insure(1, "ann", 500), "refused though legal")],
)
def test_a_refusal_that_the_referee_would_not_make_is_told(move: m.Request, told: str) -> None:
    match = Match(build(BLACKJACK_NSW, {}), "a pair and an ace that are none")
    match.make(m.Wager(box=1, player="ann", main=1000))
    for card in ("TS", "6D", "9H"):
        match.make(m.CardDealt(Card(card)))
    match.referee.dealer[0] = "AD"
    match.referee.boxes[0].hands[0].cards[1] = "TH"

    with pytest.raises(Disagreement, match=told):
        match.ask(move)


def test_a_missing_card_is_told() -> None:
    match = half_a_round()
    match._out[Card("2C")] += 1

    with pytest.raises(Disagreement, match="cards: missing"):
        match.check_cards()


def test_money_that_does_not_add_up_is_told() -> None:
    match = half_a_round()
    match.referee.boxes[0].stakes[0].main += 1

    with pytest.raises(Disagreement, match="money: players"):
        match.check_money()
