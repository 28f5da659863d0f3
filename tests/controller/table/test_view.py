"""The view: what may be seen and nothing else, and when a round is complete."""

import msgspec
import pytest

from controller.cards import Card
from controller.events import CardOut, ConfirmLayout, DeviceLost, EndRound, NewShoe
from controller.game.moves import Burn, Double, Split, Stand, Surrender
from controller.game.options import Game, build
from controller.table.view import is_complete, view
from tests.controller.table.tale import PONTOON, SUPERVISOR, Tale, dealt


def test_the_view_is_plain_json() -> None:
    seen = view(dealt("TS 9D 9S").state)
    assert msgspec.json.decode(msgspec.json.encode(seen)) == seen


def test_4_7_the_burn_card_is_never_in_it() -> None:
    """The queen of clubs is burned: no later view knows her."""
    tale = Tale()
    tale.ask(NewShoe())
    tale.wager()
    for word in ("QC", "TS", "9D", "9S", "stand", "TD", "clear"):
        tale.deal(word) if word not in {"stand", "clear"} else tale.pedal()
        assert b"QC" not in msgspec.json.encode(view(tale.state))
    assert view(tale.state)["shoe"]["out"] == 5
    assert view(tale.state)["round"] == 2


def test_the_cards_left_are_what_the_pack_holds_less_what_came_out() -> None:
    tale = Tale(PONTOON)
    tale.deal("7S 8S ??")
    assert view(tale.state)["shoe"]["left"] == 6 * 48 - 3
    blackjack = Tale(build("blackjack-nsw", {"decks": 3}))
    assert view(blackjack.state)["shoe"]["left"] == 3 * 52


def test_it_tells_whose_turn_it_is_and_what_that_hand_may_do() -> None:
    tale = dealt("8S 9D 8H")
    seen = view(tale.state)
    assert seen["turn"] == {"box": 1, "hand": 1}
    assert seen["allowed"] == ["stand", "split"]
    assert seen["next_card"] == "box 1"
    assert seen["next"] == "Box 1 has 16: card, stand, split?"


def test_it_tells_which_offers_stand() -> None:
    assert view(dealt("AS AD KS").state)["offers"] == ["insurance", "even money"]
    assert view(dealt("KS AD 6S", PONTOON).state)["offers"] == ["insurance", "surrender"]
    assert view(dealt("KS JD 6S", PONTOON).state)["offers"] == ["surrender"]
    assert view(dealt("KS 9D 6S", PONTOON).state)["offers"] == []
    assert view(dealt("2S AD 3S 4S").state)["offers"] == []


def test_it_tells_who_may_forfeit_just_now() -> None:
    tale = dealt("5S 9D 6S", PONTOON)
    tale.ask(Double())
    assert view(tale.state)["may_forfeit"] == []
    tale.deal("2S")
    assert view(tale.state)["may_forfeit"] == ["ann"]
    tale.deal("8D")
    assert view(tale.state)["may_forfeit"] == []


SAYS = {
    "bust": ("TS 9D 6S KS", PONTOON.name),
    "21": ("5S 9D 6S KS", PONTOON.name),
    "pontoon": ("AS 9D KS", PONTOON.name),
    "blackjack": ("AS 9D KS", "blackjack-nsw"),
}


@pytest.mark.parametrize("says", SAYS)
def test_it_says_of_a_hand_what_it_is(says: str) -> None:
    words, game = SAYS[says]
    tale = dealt(words.replace("TS", "KD"), build(game, {}))
    assert view(tale.state)["boxes"][0]["hands"][0]["says"] == says


def complete() -> Tale:
    """Return a table whose round is over."""
    tale = dealt("TS 9D 9S")
    tale.ask(Stand())
    tale.deal("TD")
    return tale


def test_a_round_is_complete_when_everything_is_settled_and_nothing_waits() -> None:
    """The round of play lasts that long (1.1 round of play, nz:1 round)."""
    tale = complete()
    assert is_complete(view(tale.state))
    assert view(tale.state)["pending"] == []


def test_11_3_the_double_card_is_asked_for_sideways() -> None:
    tale = dealt("5S 9D 6H")
    tale.ask(Double())
    assert view(tale.state)["next"] == "Box 1 doubled: one card, sideways and face up"


def test_12_3_the_total_of_a_split_hand_is_announced_and_its_choices_asked() -> None:
    tale = dealt("8S 9D 8H")
    tale.ask(Split())
    assert view(tale.state)["next"] == "Box 1 hand 1: deal its second card"
    tale.deal("3C")
    assert view(tale.state)["next"] == "Box 1 hand 1 has 11: card, double?"


def test_18_6_2_a_marker_is_laid_on_what_was_surrendered() -> None:
    """The marker of 18.3.1.5."""
    tale = dealt("KS JD 6S", PONTOON)
    told = tale.ask(Surrender(1)).outcomes
    assert [one.what for one in told if getattr(one, "rule", "") == "18.6.2"][-1] == (
        "Lay the surrender marker on box 1"
    )
    assert view(tale.state)["next"].startswith("Lay the surrender marker on box 1")


def test_18_7_2_3_the_others_are_paid_before_the_super_bonus_cards_go() -> None:
    tale = Tale(PONTOON)
    tale.wager(1, "ann", 500)
    tale.wager(2, "bob", 500)
    tale.deal("7S KS 7D 7S KH 7S")
    tale.ask(Stand())
    tale.deal("KD")
    assert "Super Bonus share" in view(tale.state)["next"]


ALL = build("pontoon-nsw", {"void_returns": "all"})


@pytest.mark.parametrize(
    ("game", "cards", "words"),
    [
        (PONTOON, "7S 9H 7D 7S 9C", "Give the wagers back and clear"),
        (PONTOON, "7S 9H 7D 7S 9C 7S", "Give the wagers back, pay the others their Super Bonus"),
        (ALL, "7S 9H 7D 7S 9C 7S", "Give the wagers back, put right what was settled before and"),
    ],
)
def test_16_6_a_void_round_says_what_is_still_to_be_done(
    game: Game, cards: str, words: str
) -> None:
    tale = Tale(game)
    tale.wager(1, "ann")
    tale.wager(2, "bob")
    tale.deal(cards)
    tale.ask(EndRound(), SUPERVISOR)
    assert view(tale.state)["next"].startswith(f"The round is void. {words}")


def test_a_faulty_device_does_not_keep_a_round_open() -> None:
    tale = complete()
    tale.take(DeviceLost(device="shoe", why="unplugged"))
    assert is_complete(view(tale.state))


def test_a_doubt_or_an_undue_card_does() -> None:
    tale = complete()
    tale.deal("2C")
    assert not is_complete(view(tale.state))
    tale.ask(Burn(Card("2C")))
    assert is_complete(view(tale.state))
    tale.take(DeviceLost(device="shoe", why="unplugged"))
    tale.take(CardOut(device="shoe", card=Card("2D")))
    assert not is_complete(view(tale.state))


def test_a_round_that_is_played_is_not_complete() -> None:
    for tale in (Tale(), dealt("TS"), dealt("TS 9D 9S"), dealt("TS 9D 9S 2S")):
        assert not is_complete(view(tale.state))


def test_confirmed_means_no_doubt_in_the_view() -> None:
    tale = complete()
    tale.take(tale.events[0])
    assert view(tale.state)["in_doubt"] == "the controller was started again"
    assert not is_complete(view(tale.state))
    tale.ask(ConfirmLayout())
    assert is_complete(view(tale.state))
