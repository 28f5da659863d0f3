"""Rule 16 where something is refused, or put right after it was paid: told as scripts."""

from typing import Any

import pytest

from controller.cards import Card
from controller.events import Ask, Deal, ErrorNext, NewShoe, Read, TakeBack
from controller.game.moves import Absent, AcceptCard, Surrender
from controller.game.options import Game
from controller.outcomes import Undecided
from controller.scripts.result import Result
from controller.table.view import view
from tests.controller.scripts.playing import play_text
from tests.controller.table.tale import BLACKJACK, PONTOON, refused
from tests.controller.table.tale import dealt as dealt_on_box_1

FIRST = ("no-more-bets", "cards TS 9D 3S")
"""Box 1 has 13 against a dealer's 9."""

ROLES = ("game-supervisor", "casino-supervisor", "casino-duty-manager", "pit-manager")


def play(*steps: str, game: str = "blackjack-nsw", bets: str = "", options: str = "") -> Result:
    """Play a round of ann's $10 on box 1, unless other bets are given."""
    bets = bets or "{box: 1, player: ann, main: 10}"
    lines = ["title: a slip", f"game: {game}", f"options: {{{options}}}", f"bets: [{bets}]"]
    return play_text("\n".join([*lines, "play:", *(f"  - {step}" for step in steps)]))


def ends(result: Result) -> list[tuple[Any, ...]]:
    """Return how each wager ended."""
    return [(row["wager"], row["result"], row["pays"]) for row in result.settlements]


def refusals(result: Result) -> list[tuple[str, str]]:
    """Return every refused step with its clause."""
    return [(one.step, one.rule) for one in result.refused]


# --- the card on offer ----------------------------------------------------------------------------


def test_16_3_a_hand_below_twelve_must_take_the_card() -> None:
    steps = ("no-more-bets", "cards 2S 9D 3S", "error-card 7C", "refuse", "accept", "stand")
    result = play(*steps, "cards TD")
    assert refusals(result) == [("refuse", "10.2")]
    assert ends(result) == [("main", "lose", 0)]


def test_16_2_the_double_card_cannot_be_refused() -> None:
    steps = ("no-more-bets", "cards 5S 9D 6S", "double", "error-card 9C", "refuse", "accept")
    result = play(*steps, "cards TD")
    assert [step for step, _ in refusals(result)] == ["refuse"]
    assert ends(result) == [("main", "win", 1000), ("double", "win", 1000)]


@pytest.mark.parametrize("word", ["accept", "refuse"])
@pytest.mark.parametrize("where", [(), FIRST, (*FIRST, "stand")])
def test_16_2_without_a_card_on_offer_there_is_no_answer(word: str, where: tuple[str]) -> None:
    ((step, rule),) = refusals(play(*where, word))
    assert step == word
    assert rule in {"16.2", "16.3"}


def test_16_3_after_a_refusal_the_hand_takes_no_card_and_cannot_double() -> None:
    bets = "{box: 1, player: ann, main: 10}, {box: 2, player: bob, main: 10}"
    steps = ("no-more-bets", "cards TS TH 9D 3S 4H", "error-card 7C", "refuse", "accept")
    result = play(*steps, "double", "cards TD", bets=bets)
    assert [step for step, _ in refusals(result)] == ["double"]
    assert ends(result) == [("main", "lose", 0), ("main", "win", 1000)]


def test_16_2_a_card_behind_the_one_on_offer_waits_for_a_word() -> None:
    steps = (*FIRST, "error-card 5C", "cards 2C", "accept", "burned 2C", "stand", "cards TD")
    result = play(*steps)
    assert (ends(result), result.status) == ([("main", "lose", 0)], "complete")


@pytest.mark.parametrize(
    ("game", "dealt", "ask"),
    [
        (BLACKJACK, "TS 9D 3S", Absent(1)),
        (PONTOON, "KS 9D 3S", Absent(1)),
        (PONTOON, "KS KD 3S", Surrender(1)),
    ],
)
def test_16_4_a_card_on_offer_is_left_to_nobody_that_could_not_answer(
    game: Game, dealt: str, ask: Ask
) -> None:
    """Such a step is refused while the card is on offer, or the card goes on to the dealer."""
    tale = dealt_on_box_1(dealt, game)
    tale.ask(ErrorNext())
    tale.deal("5C")
    told = tale.ask(ask)
    assert refused(told) or view(tale.state)["offered"] is None
    assert not [one for one in tale.ask(AcceptCard()).outcomes if isinstance(one, Undecided)]


def test_16_2_the_burn_card_was_the_card_in_error_and_the_one_behind_it_is_none() -> None:
    """4.7: who says that the next card comes in error speaks of no other."""
    tale = dealt_on_box_1("TS 9D 3S")
    tale.ask(NewShoe())
    tale.ask(ErrorNext())
    tale.deal("5C 2H")
    assert view(tale.state)["offered"] != "2H"


def test_16_2_the_card_in_error_is_the_one_that_came_and_not_the_one_in_the_hand() -> None:
    tale = dealt_on_box_1("TS 9D 3S 4C")
    tale.ask(TakeBack())
    tale.ask(ErrorNext())
    tale.deal("9C")
    tale.ask(Deal(Card("4C")))
    assert view(tale.state)["offered"] != "4C"


def test_10_4_an_unread_card_on_offer_is_asked_for_before_it_is_answered() -> None:
    tale = dealt_on_box_1("TS 9D 3S")
    tale.ask(ErrorNext())
    assert view(tale.state)["next"].startswith("The next card comes in error")
    tale.deal("??")
    assert view(tale.state)["next"] == "A card could not be read: enter the card on offer"
    assert refused(tale.ask(AcceptCard())) == "16.2"
    tale.ask(Read(Card("5C")))
    assert view(tale.state)["offered"] == "5C"


def test_16_2_the_mark_that_the_next_card_comes_in_error_is_seen_and_taken_back() -> None:
    tale = dealt_on_box_1("TS 9D 3S")
    tale.ask(ErrorNext())
    assert view(tale.state)["error_next"]
    tale.ask(TakeBack())
    assert not view(tale.state)["error_next"]
    tale.deal("5C")
    assert (view(tale.state)["offered"], tale.state.error_is_next) == (None, False)


# --- who declares a round void --------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("steps", [("no-more-bets",), FIRST, (*FIRST, "stand", "cards 4D")])
def test_16_6_every_casino_supervisor_may_void_at_any_time(
    role: str, steps: tuple[str, ...]
) -> None:
    result = play(*steps, f"supervisor {role} void-round")
    assert (result.status, refusals(result), ends(result)) == ("void", [], [("main", "void", 0)])


def test_16_6_an_inspector_may_not() -> None:
    """An officer who is told and approves, and decides no round (1.1 inspector)."""
    step = "supervisor inspector void-round"
    result = play(*FIRST, step, "stand", "cards TD")
    assert refusals(result) == [(step, "16.6")]
    assert result.status == "complete"


def test_16_6_a_round_without_a_wager_returns_none_and_a_void_one_is_void_once() -> None:
    step = "supervisor casino-supervisor void-round"
    result = play(*FIRST, step, step, "undo", "stand")
    assert [one for one, _ in refusals(result)] == [step, "undo", "stand"]
    assert all(rule for _, rule in refusals(result))


def test_16_6_with_the_option_what_was_settled_goes_back_too() -> None:
    bets = "{box: 1, player: ann, main: 10}, {box: 2, player: bob, main: 20}"
    steps = ("no-more-bets", "cards AS TH 9D KS 9H", "supervisor pit-manager void-round")
    assert ends(play(*steps, bets=bets)) == [("main", "win", 1500), ("main", "void", 0)]
    every = play(*steps, bets=bets, options="void_returns: all")
    assert ends(every) == [("main", "void", 0), ("main", "void", 0)]


# --- put right after it was paid ------------------------------------------------------------------


def test_16_6_even_money_taken_back_is_a_correction() -> None:
    steps = ("no-more-bets", "cards AS AD KS", "even-money 1 ann", "undo", "cards 9D")
    result = play(*steps)
    assert ends(result) == [("main", "win", 1500)]
    assert result.corrections == [
        {"box": 1, "player": "ann", "hand": 1, "wager": "main", "was": 2000, "now": 2500}
    ]


def test_18_9_5_a_forfeit_taken_back_is_a_correction() -> None:
    steps = ("no-more-bets", "cards 5S 9D 6S", "double", "cards 2S", "forfeit ann", "undo")
    result = play(*steps, "cards 8D", game="pontoon-nsw")
    assert ends(result) == [("main", "lose", 0), ("double", "lose", 0)]
    assert [(one["wager"], one["was"], one["now"]) for one in result.corrections] == [
        ("double", 1000, 0)
    ]


def test_16_6_a_whole_round_taken_back_step_by_step_after_its_settlement() -> None:
    steps = (*FIRST, "cards 4C", "stand", "cards TD")
    backwards = ["undo"] * 7
    again = ("no-more-bets", "cards TS 9D 3S 4C", "stand", "cards TD")
    result = play(*steps, *backwards, *again)
    assert refusals(result) == []
    assert (ends(result), result.corrections) == ([("main", "lose", 0)], [])
    assert result.status == "complete"


def test_16_6_a_card_taken_back_comes_before_any_other() -> None:
    result = play(*FIRST, "cards 4C", "undo", "cards 5C")
    assert result.status == "open"
    dealt = play(*FIRST, "cards 4C", "undo", "cards 5C", "cards 4C", "cards 5C")
    assert ends(dealt) == [("main", "lose", 0)]  # 10-3-4-5 is over 21


@pytest.mark.parametrize("cards", ["cards 7C", "cards ??"])
def test_16_6_for_next_is_for_a_card_and_not_for_a_decision(cards: str) -> None:
    result = play(*FIRST, cards, "undo", "for-next")
    assert [step for step, _ in refusals(result)] == ["for-next"]
