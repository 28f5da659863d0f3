"""When Perfect Pairs are decided: with the initial deal, before anybody acts (14.9)."""

import pytest

from controller.game.machine import machine_for
from controller.game.moves import CardDealt, NoMoreBets, Wager
from controller.game.options import build
from controller.game.play import Play
from controller.game.settlement import settlements
from tests.controller.game.rounds import cards

GAME = build("blackjack-nsw", {"perfect_pairs": True})


@pytest.mark.parametrize(("second", "result"), [("8S", "win"), ("8H", "win"), ("9H", "lose")])
def test_14_9_it_is_settled_by_the_last_card_of_the_initial_deal_and_not_before(
    second: str, result: str
) -> None:
    """Box 1 holds its two cards before the deal is complete: box 2 is still to come."""
    play = Play(game=GAME)
    for move in (
        Wager(box=1, player="ann", main=1000, perfect_pairs=500),
        Wager(box=2, player="bob", main=1000, perfect_pairs=500),
        NoMoreBets(),
    ):
        play = machine_for(GAME).apply(play, move)
    settled = []
    for card in cards(f"8S TH 9D {second} TD"):
        play = machine_for(GAME).apply(play, CardDealt(card))
        pairs = [row for row in settlements(play) if row.wager == "perfect-pairs"]
        settled.append([(row.player, row.result) for row in pairs])
    assert settled == [[], [], [], [], [("ann", result), ("bob", "win")]]
