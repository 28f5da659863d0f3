"""What the pedal and the keys mean, and that the label on the screen says so."""

import msgspec
import pytest

from controller.cards import Card
from controller.events import Pressed
from controller.game.moves import Cleared, Insure, NoMoreBets, Split, Stand, Surrender
from controller.game.play import RoundState
from controller.outcomes import Accepted
from controller.table.controls import ACTIONS, DEFAULT_CONTROLS
from controller.table.decision import Decision
from controller.table.view import view
from tests.controller.table.tale import PONTOON, Tale, dealt, kinds, refused


def meant(decision: Decision) -> object:
    """Return what a press was taken for."""
    return next((one.what for one in decision.outcomes if isinstance(one, Accepted)), None)


def test_every_default_control_has_an_action_that_there_is() -> None:
    assert set(DEFAULT_CONTROLS.values()) <= set(ACTIONS)


def test_go_on_says_no_more_bets_then_stand_then_cleared() -> None:
    tale = Tale()
    tale.wager()
    assert meant(tale.pedal()) == msgspec.to_builtins(NoMoreBets())
    tale.deal("TS 9D 9S")
    assert meant(tale.pedal()) == msgspec.to_builtins(Stand())
    tale.deal("TD")
    assert meant(tale.pedal()) == msgspec.to_builtins(Cleared())


def test_the_label_tells_what_go_on_means_at_every_step() -> None:
    tale = Tale()

    def label() -> str:
        (only,) = set(view(tale.state)["labels"].values())
        return str(only)

    assert label() == ""
    tale.wager()
    assert label() == "no more bets"
    tale.pedal()
    assert label() == ""
    tale.deal("TS 9D 9S")
    assert label() == "Box 1 stands"
    tale.pedal()
    assert label() == ""
    tale.deal("TD")
    assert label() == "paid and cleared"


def test_go_on_with_nothing_to_go_on_with_is_refused() -> None:
    tale = Tale()
    assert refused(tale.pedal()) == "7"
    tale.wager()
    tale.pedal()
    tale.deal("TS")
    assert refused(tale.pedal()) == "7"


def test_10_2_the_pedal_does_not_stand_below_twelve() -> None:
    tale = dealt("2S 9D 3S")
    assert view(tale.state)["labels"]["pedal.middle"] == ""
    assert refused(tale.pedal()) == "10.2"


def test_a_digit_puts_a_box_in_play_without_an_amount_and_out_again() -> None:
    tale = Tale()
    tale.key("3")
    (box,) = tale.state.play.boxes
    assert (box.number, [bet.main for bet in box.bets]) == (3, [None])
    tale.key("3")
    assert tale.state.play.boxes == ()


def test_a_box_that_the_table_does_not_have_is_refused() -> None:
    assert refused(Tale().key("9")) == "2"
    assert refused(Tale(PONTOON).key("8")) == "18.1.1"


def test_a_box_and_a_letter_ask_for_that_box() -> None:
    tale = dealt("KS AD 6S", PONTOON)
    assert meant(tale.key("1")) == {"do": "box-1"}
    assert meant(tale.key("S")) == msgspec.to_builtins(Surrender(1))
    assert tale.state.play.boxes[0].surrendered == ("ann",)


def test_a_later_box_takes_the_place_of_an_earlier_one() -> None:
    tale = Tale(PONTOON)
    tale.wager(1)
    tale.wager(2, "bob")
    tale.pedal()
    tale.deal("KS KH AD 6S 6H")
    tale.key("1")
    tale.key("2")
    tale.key("S")
    assert [box.surrendered for box in tale.state.play.boxes] == [(), ("bob",)]


@pytest.mark.parametrize("between", ["D", "P", "S", "I"])
def test_a_letter_uses_the_box_up(between: str) -> None:
    tale = dealt("KS AD 6S", PONTOON)
    tale.key("1")
    tale.key(between)
    assert tale.state.keyed == ()


def test_a_letter_without_a_box_is_explained() -> None:
    tale = dealt("KS AD 6S", PONTOON)
    assert refused(tale.key("S")) == "18.6.1"
    assert refused(tale.key("I")) == "8"


def test_i_insures_for_the_most_that_may_be_in_whole_chips() -> None:
    tale = Tale()
    tale.wager(main=1525)
    tale.pedal()
    tale.deal("KS AD 6S")
    tale.key("1")
    assert meant(tale.key("I")) == msgspec.to_builtins(Insure(1, "ann", 750))


def test_p_splits_the_hand_in_turn() -> None:
    tale = dealt("8S 9D 8H")
    assert meant(tale.key("P")) == msgspec.to_builtins(Split())
    assert len(tale.state.play.boxes[0].hands) == 2


def test_a_control_without_a_meaning_does_nothing() -> None:
    tale = dealt("8S 9D 8H")
    before = tale.state
    for press in (
        Pressed(device="keys", control="Q"),
        Pressed(device="pedal", control="middle", held=True),
        Pressed(device="unknown", control="D"),
    ):
        assert kinds(tale.take(press)) == []
        assert tale.state == before


def test_a_held_left_pedal_takes_back() -> None:
    tale = dealt("TS 9D 9S 2S")
    tale.pedal("left", held=True)
    assert tale.state.in_hand == (Card("2S"),)
    assert tale.state.play.state is RoundState.INTERIM_SETTLEMENT


def test_the_right_pedal_gives_the_last_card_to_the_next_hand() -> None:
    """10.1.3: the hand that got it had stood."""
    tale = Tale()
    tale.wager(1)
    tale.wager(2, "bob")
    tale.pedal()
    tale.deal("TS TH 9D 3S 2H 5H")
    tale.pedal("right")
    first, second = (box.hands[0] for box in tale.state.play.boxes)
    assert (first.cards, first.stood) == ((Card("TS"), Card("3S")), True)
    assert second.cards == (Card("TH"), Card("2H"), Card("5H"))
