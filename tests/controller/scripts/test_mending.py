"""Slips mended in a script: what was paid otherwise is told, and no card is lost over it."""

from typing import Any

import pytest

from controller.scripts.result import Result
from tests.controller.scripts.playing import play_text

FIRST = ("no-more-bets", "cards TS 9D 3S")
"""Box 1 has 13 against a dealer's 9."""


def play(*steps: str, game: str = "blackjack-nsw", bet: str = "main: 10") -> Result:
    """Play a round of ann's on box 1 from the steps."""
    lines = ["title: a slip", f"game: {game}", f"bets: [{{box: 1, player: ann, {bet}}}]", "play:"]
    return play_text("\n".join([*lines, *(f"  - {step}" for step in steps)]))


def ends(result: Result) -> list[tuple[Any, ...]]:
    """Return how each wager ended."""
    return [(row["wager"], row["result"], row["pays"]) for row in result.settlements]


def corrected(was: int, now: int) -> list[dict[str, Any]]:
    """Return the one correction there is, of ann's wager."""
    return [{"box": 1, "player": "ann", "hand": 1, "wager": "main", "was": was, "now": now}]


def test_a_hand_that_seemed_over_21_and_was_not_is_a_correction() -> None:
    result = play(*FIRST, "cards 9S", "undo", "burned 9S", "stand", "cards TD")
    assert ends(result) == [("main", "lose", 0)]
    assert (result.corrections, result.status) == ([], "complete")
    won = play(*FIRST, "cards 9S", "undo", "burned 9S", "stand", "cards 7D TC")
    assert ends(won) == [("main", "win", 1000)]
    assert won.corrections == corrected(0, 2000)


def test_an_amended_card_of_the_dealer_pays_otherwise() -> None:
    result = play("no-more-bets", "cards TS 9D 9S", "stand", "cards TD", "amend 4 8D")
    assert ends(result) == [("main", "win", 1000)]
    assert result.corrections == corrected(1000, 2000)
    assert result.status == "complete"


def test_taken_back_and_dealt_again_as_before_is_no_correction() -> None:
    result = play("no-more-bets", "cards TS 9D 9S", "stand", "cards TD", "undo", "cards TD")
    assert ends(result) == [("main", "stand-off", 0)]
    assert (result.corrections, result.refused) == ([], [])


def test_undo_as_the_last_line_opens_the_round_again() -> None:
    result = play("no-more-bets", "cards TS 9D 9S", "stand", "cards TD", "undo")
    assert (result.status, result.settlements) == ("open", [])
    assert [row["wager"] for row in result.pending] == ["main"]


def test_undo_repeated_goes_further_back() -> None:
    result = play(*FIRST, "cards 2S", "stand", "undo", "undo", "stand", "burned 2S", "cards TD")
    assert ends(result) == [("main", "lose", 0)]
    assert (result.refused, result.status) == ([], "complete")


def test_nothing_to_take_back_is_refused() -> None:
    result = play("undo", *FIRST, "stand", "cards TD")
    assert [(one.step, bool(one.rule)) for one in result.refused] == [("undo", True)]


def test_a_drawn_prize_is_not_taken_back() -> None:
    """18.14.6"""
    result = play("no-more-bets", "cards AS 7D KS", "press jackpot 1", "undo",
                  game="pontoon-nsw", bet="main: 10, pandemonium: 5")  # fmt: skip
    assert [(one.step, one.rule) for one in result.refused] == [("undo", "18.14.6")]
    assert result.status == "complete"


@pytest.mark.parametrize(("steps", "rule"), [
    (("cards 2S", "stand", "for-next"), "10.1.3"),  # the last step was no card
    (("undo", "undo", "undo", "for-next"), "10.1.3"),
])  # fmt: skip
def test_for_next_needs_a_card_that_a_hand_could_have_stood_before(
    steps: tuple[str, ...], rule: str
) -> None:
    result = play(*FIRST, *steps)
    assert [(one.step, one.rule) for one in result.refused] == [("for-next", rule)]


def test_10_2_a_hand_below_twelve_had_not_stood_before_the_card() -> None:
    result = play("no-more-bets", "cards 2S 9D 3S", "cards 4S", "for-next")
    assert [(one.step, one.rule) for one in result.refused] == [("for-next", "10.2")]


def test_there_is_no_fifth_card_of_four() -> None:
    result = play(*FIRST, "cards 2S", "amend 5 3S")
    assert [one.step for one in result.refused] == ["amend 5 3S"]


def test_an_unread_card_that_ended_a_hand_gives_the_later_one_to_the_next_place() -> None:
    """The unread card made 21, so that the card after it was the dealer's."""
    result = play(*FIRST, "cards ?? TD", "read 8S")
    assert (ends(result), result.status) == ([("main", "win", 1000)], "complete")


# --- no card is lost over a slip ------------------------------------------------------------------


def test_16_2_a_card_on_offer_is_not_lost_over_a_stand() -> None:
    """Whether the stand is refused or taken for a refusal, the card is the dealer's next."""
    result = play(*FIRST, "error-card 5H", "stand", "refuse", "cards TD")
    assert (ends(result), result.status) == ([("main", "win", 1000)], "complete")


def test_an_unread_card_taken_back_is_burned_by_its_face() -> None:
    result = play(*FIRST, "cards ??", "undo", "burned 5C", "stand", "cards TD")
    assert (ends(result), result.status) == ([("main", "lose", 0)], "complete")


def test_an_error_card_that_nobody_is_due_can_only_be_burned() -> None:
    steps = ("no-more-bets", "cards TS 9D 9S", "stand", "cards TD", "error-card 6S", "cards 6S")
    result = play(*steps, "burned 6S")
    assert (ends(result), result.status) == ([("main", "stand-off", 0)], "complete")
    assert [one.rule for one in result.refused] == ["16.2"]


def test_18_9_5_after_the_dealers_next_card_nobody_forfeits() -> None:
    result = play("no-more-bets", "cards 5S KD 6S", "double", "cards 2S", "cards 6D",
                  "forfeit ann", "cards KH", game="pontoon-nsw")  # fmt: skip
    assert [(one.step, one.rule) for one in result.refused] == [("forfeit ann", "18.9.5")]
