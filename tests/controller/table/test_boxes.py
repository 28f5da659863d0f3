"""Who sits at a box, and who calls its decisions (5.4 to 5.8, 5.13)."""

import pytest

from controller.events import SameAgain
from controller.game.callers import Reason
from controller.game.house import (
    Reject,
    Release,
    Reserve,
    SeatFound,
    SeatWanted,
    SetMostPlayers,
)
from controller.game.moves import Absent, CallDecisions, NoMoreBets, Present, Wager, Withdraw
from controller.game.options import build
from controller.outcomes import Accepted
from controller.table.view import view
from tests.controller.table.around import SUPERVISOR, flags, play_round, prompts, why
from tests.controller.table.tale import Tale, refused


def test_5_4_fewer_than_three_players_on_a_box() -> None:
    tale = Tale()
    assert refused(tale.ask(SetMostPlayers(2, 1), "dealer")) == "5.4"
    assert refused(tale.ask(SetMostPlayers(2, 9), SUPERVISOR)) == "5.4"
    assert "5.4" in prompts(tale.ask(SetMostPlayers(2, 1), SUPERVISOR))
    for player in ("ann", "bob"):
        assert refused(tale.wager(1, player)) == ""
    third = tale.wager(1, "cam")
    assert refused(third) == "5.4"
    assert why(third) == "only 2 players wager on box 1: ask a casino supervisor"
    assert refused(tale.wager(1, "bob", 2000)) == "", "who is there may change the wager"
    for player in ("ann", "bob", "cam"):
        assert refused(tale.wager(2, player)) == ""


def test_5_4_on_every_box_until_it_is_three_again() -> None:
    tale = Tale()
    tale.ask(SetMostPlayers(1), SUPERVISOR)
    tale.wager(5, "ann")
    assert refused(tale.wager(5, "bob")) == "5.4"
    tale.ask(SetMostPlayers(3), SUPERVISOR)
    assert refused(tale.wager(5, "bob")) == ""
    assert view(tale.state)["house"]["most_players"] == {}


def test_5_13_reserved_boxes_are_for_one_player_alone() -> None:
    tale = Tale()
    assert refused(tale.ask(Reserve("ann", (3,)), "dealer")) == "5.13"
    assert refused(tale.ask(Reserve("ann", (8,)), SUPERVISOR)) == "5.13", "no such box"
    tale.ask(Reserve("ann", (3, 4)), SUPERVISOR)
    assert view(tale.state)["house"]["reserved"] == {"3": "ann", "4": "ann"}
    other = tale.wager(3, "bob")
    assert refused(other) == "5.13"
    assert why(other) == "box 3 is reserved for ann: ask a casino supervisor"
    assert refused(tale.wager(3, "ann")) == ""
    assert refused(tale.wager(2, "bob")) == ""
    assert refused(tale.ask(Reserve("bob", (4,)), SUPERVISOR)) == "5.13"
    tale.ask(Release((3, 4)), SUPERVISOR)
    assert refused(tale.wager(3, "bob")) == ""
    assert refused(tale.ask(Release((3,)), SUPERVISOR)) == "5.13"


def test_5_13_a_box_with_anothers_wager_is_not_reserved() -> None:
    tale = Tale()
    tale.wager(3, "bob")
    assert refused(tale.ask(Reserve("ann", (3,)), SUPERVISOR)) == "5.13"
    tale.ask(Withdraw(3, "bob"))
    assert refused(tale.ask(Reserve("ann", (3,)), SUPERVISOR)) == ""


def test_5_13_the_key_of_a_reserved_box_is_refused() -> None:
    tale = Tale()
    tale.ask(Reserve("ann", (3,)), SUPERVISOR)
    assert refused(tale.key("3")) == "5.13"


def test_5_8_who_plays_several_boxes_gives_one_up() -> None:
    tale = Tale()
    tale.wager(1, "ann")
    tale.wager(3, "ann")
    tale.wager(2, "bob")
    told = tale.ask(SeatWanted("cam"))
    assert prompts(told) == {"5.8": "ann plays boxes 1, 3 and gives one up: cam finds no seat"}
    assert view(tale.state)["next"].startswith("ann plays boxes 1, 3 and gives one up")
    assert refused(tale.ask(SeatWanted("cam"))) == "5.8"
    tale.ask(Withdraw(3, "ann"))
    assert "5.8" in prompts(tale.wager(4, "ann"))
    tale.ask(Withdraw(4, "ann"))
    assert prompts(tale.wager(3, "cam")) == {}
    assert view(tale.state)["house"]["seats_wanted"] == []
    assert prompts(tale.wager(4, "ann")) == {}


def test_5_8_who_wants_no_seat_any_more_asks_nobody_to_give_up() -> None:
    tale = Tale()
    assert refused(tale.ask(SeatFound("cam"))) == "5.8"
    tale.ask(SeatWanted("cam"))
    tale.ask(SeatFound("cam"))
    tale.wager(1, "ann")
    assert prompts(tale.wager(2, "ann")) == {}


def test_5_8_5_13_reserved_boxes_are_not_given_up() -> None:
    tale = Tale()
    tale.ask(Reserve("ann", (1, 2)), SUPERVISOR)
    tale.wager(1, "ann")
    tale.wager(2, "ann")
    assert prompts(tale.ask(SeatWanted("cam"))) == {}


def shared(first: int = 1000, second: int = 2000) -> Tale:
    """Return a table with ann and bob on box 1."""
    tale = Tale()
    tale.wager(1, "ann", first)
    tale.wager(1, "bob", second)
    return tale


@pytest.mark.parametrize(
    ("stakes", "player", "because", "rule"),
    [
        ((1000, 2000), "ann", "seated", ""),
        ((1000, 2000), "bob", "highest", ""),
        ((1000, 2000), "ann", "highest", "5.5.2"),
        ((1000, 1000), "ann", "highest", "5.5.2"),
        ((1000, 1000), "bob", "nearest", ""),
        ((1000, 2000), "bob", "nearest", "5.5.3"),
        ((1000, 2000), "cam", "seated", "5.5"),
    ],
)
def test_5_5_1_5_5_2_5_5_3_who_calls_the_decisions(
    stakes: tuple[int, int], player: str, because: Reason, rule: str
) -> None:
    tale = shared(*stakes)
    assert refused(tale.ask(CallDecisions(1, player, because))) == rule
    highest = "ann" if stakes == (1000, 1000) else "bob"
    assert tale.state.play.boxes[0].controls == (highest if rule else player)


def test_5_6_the_dealer_is_prompted_when_a_box_becomes_shared() -> None:
    tale = Tale()
    assert prompts(tale.wager(1, "ann")) == {}
    assert prompts(tale.wager(1, "bob"))["5.6"] == "Ask who calls the decisions for box 1"
    assert prompts(tale.wager(1, "bob", 1500)) == {}, "nobody new"


def test_5_6_nobody_asked_is_flagged_with_the_first_card() -> None:
    tale = shared()
    tale.ask(NoMoreBets())
    assert flags(tale.deal("TS"))["5.6"].endswith("for box 1: bob does")


def test_5_6_who_said_it_before_the_round_is_not_flagged() -> None:
    tale = shared()
    tale.ask(CallDecisions(1, "bob", "highest"))
    tale.ask(NoMoreBets())
    assert flags(tale.deal("TS")) == {}


def test_5_7_1_5_7_2_where_the_wagers_lie_is_prompted() -> None:
    told = shared().ask(CallDecisions(1, "bob", "highest"))
    assert prompts(told) == {
        "5.7.1": "bob's wager on box 1 lies nearest the dealer",
        "5.7.2": "The others' wagers lie in a line behind it",
    }


def test_5_5_a_player_alone_on_a_box_lies_nowhere_else() -> None:
    tale = Tale()
    tale.wager(1, "ann")
    assert prompts(tale.ask(CallDecisions(1, "ann", "seated"))) == {}


def test_5_5_a_voucher_stays_one_when_its_player_calls() -> None:
    tale = shared()
    tale.ask(Wager(box=1, player="bob", main=2000, voucher=True))
    tale.ask(CallDecisions(1, "bob", "highest"))
    assert tale.state.play.boxes[0].bets[1].voucher


def test_5_6_it_is_asked_again_when_what_was_said_holds_no_more() -> None:
    tale = shared(2000, 1000)
    tale.ask(CallDecisions(1, "ann", "highest"))
    assert prompts(tale.wager(1, "bob", 1500)) == {}, "ann still has the highest wager"
    assert prompts(tale.wager(1, "bob", 5000))["5.6"] == "Ask who calls the decisions for box 1"
    assert prompts(tale.wager(1, "bob", 6000)) == {}, "it was asked"
    assert flags(tale.deal("TS"))["5.6"].endswith("for box 1: bob does")


def test_5_6_it_is_asked_again_when_the_one_who_called_withdraws() -> None:
    tale = shared()
    tale.wager(1, "cam", 500)
    tale.ask(CallDecisions(1, "ann", "seated"))
    assert prompts(tale.ask(Withdraw(1, "cam"))) == {}
    tale.wager(1, "cam", 500)
    assert "5.6" in prompts(tale.ask(Withdraw(1, "ann")))
    assert tale.state.play.boxes[0].controls == "bob"


def test_5_6_a_wager_may_say_who_is_seated() -> None:
    tale = shared()
    told = tale.ask(Wager(box=1, player="ann", controls=True))
    assert prompts(told)["5.7.1"] == "ann's wager on box 1 lies nearest the dealer"
    assert "5.7.2" in prompts(told)
    assert "5.6" not in flags(tale.deal("TS"))
    assert tale.state.play.boxes[0].controls == "ann"


def test_5_5_in_mid_round_another_calls_and_the_reason_is_recorded() -> None:
    tale = shared()
    tale.ask(NoMoreBets())
    tale.deal("5S 9D")
    told = tale.ask(CallDecisions(1, "ann", "seated"))
    assert told.outcomes[0] == Accepted(
        what={"do": "controls", "box": 1, "player": "ann", "because": "seated"}, rule="5.5.1", box=1
    )
    assert prompts(told) == {"5.5": "ann calls the decisions for box 1 now"}, "no wager is moved"
    (box,) = view(tale.state)["boxes"]
    assert (box["controls"], box["absent"], box["away"]) == ("ann", False, [])


def test_5_5_16_8_the_dealer_is_told_who_calls_now() -> None:
    tale = shared()
    tale.ask(NoMoreBets())
    tale.deal("5S 9D 6S")
    told = tale.ask(Absent(1, ("bob",)))
    assert prompts(told) == {"5.5": "ann calls the decisions for box 1 now"}
    (box,) = view(tale.state)["boxes"]
    assert (box["controls"], box["absent"], box["away"]) == ("ann", False, ["bob"])
    assert prompts(tale.ask(Present(1))) == {"5.5": "bob calls the decisions for box 1 now"}
    tale.ask(Absent(1))
    assert view(tale.state)["boxes"][0]["absent"]
    assert view(tale.state)["allowed"] == [], "nobody decides: cards until more than 11"
    assert view(tale.state)["next"] == "Box 1 has 11: card?"


@pytest.mark.parametrize("cards", ["TS 9D 9S TD", "TS 9D 9S"])
def test_5_5_when_every_hand_has_acted_nobody_calls_any_more(cards: str) -> None:
    tale = shared()
    tale.ask(NoMoreBets())
    tale.deal("TS 9D 9S")
    tale.pedal()
    for card in cards.split()[3:]:
        tale.deal(card)
    assert refused(tale.ask(CallDecisions(1, "ann", "seated"))) == "5.5"


def test_5_3_a_key_means_the_player_whose_wager_lies_there_whoever_calls_now() -> None:
    """The wagers lie in the line in which they lay at the first card: bob, ann."""
    tale = shared(1000, 3000)
    tale.ask(NoMoreBets())
    tale.deal("TS AD 9S")
    tale.ask(Absent(1, ("bob",)))
    for name in ("1", ".", "1"):
        tale.key(name)
    assert refused(tale.key("I")) == "16.8", "position 1 is bob"
    tale.key("1")
    tale.key("I")
    assert tale.state.play.boxes[0].insured == (("ann", 500),), "without a position: who calls"


def test_5_2_the_same_again_repeats_side_wagers_and_who_calls_and_leaves_what_lies() -> None:
    tale = Tale(build("blackjack-nsw", {"perfect_pairs": True, "super_sevens": True}))
    tale.ask(Wager(box=1, player="ann", main=1000, perfect_pairs=500, voucher=True))
    tale.ask(Wager(box=1, player="bob", main=1000))
    tale.ask(CallDecisions(1, "bob", "nearest"))
    tale.ask(NoMoreBets())
    tale.deal("TS 9D 9S")
    tale.pedal()
    tale.deal("TD")
    tale.pedal()
    tale.ask(Wager(box=1, player="ann", main=500, super_sevens=200))
    tale.ask(SameAgain())
    (box,) = tale.state.play.boxes
    assert [(bet.main, bet.perfect_pairs, bet.super_sevens, bet.voucher) for bet in box.bets] == [
        (1000, 500, 200, False),  # a voucher is forfeited after its round (1.1)
        (1000, 0, 0, False),
    ]
    assert (box.controls, box.is_said) == ("bob", True)
    assert flags(tale.deal("TS")).keys() == {"5.2"}


def test_1_1_voucher_the_same_again_does_not_turn_one_into_chips() -> None:
    tale = Tale()
    play_round(tale, "ann")
    tale.ask(Wager(box=1, player="ann", main=2000, voucher=True))
    assert refused(tale.ask(SameAgain())) == "1.1 voucher"
    assert tale.state.play.boxes[0].bets[0].main == 2000


def test_14_3_18_14_3_what_is_rejected_is_given_back_with_its_side_wagers() -> None:
    tale = Tale(build("blackjack-nsw", {"perfect_pairs": True}))
    tale.ask(Wager(box=1, player="ann", main=200_000, perfect_pairs=500))
    told = tale.ask(Reject(1, "ann"))
    assert prompts(told)["6.2"] == "Give ann back $2,000 and $5 on Perfect Pairs from box 1"
    assert tale.state.play.boxes == ()
