"""What an event makes of a table: cards, shoes, doubts, alarms, and faults of the program."""

import msgspec
import pytest

from controller.cards import Card
from controller.events import (
    AnyEvent,
    Asked,
    CardOut,
    ConfirmLayout,
    CuttingCardOut,
    Deal,
    EndRound,
    NewShoe,
    NotBurned,
    Resume,
    SameAgain,
    Stopped,
    TakeBack,
)
from controller.game.moves import Burn, Cleared, NoMoreBets, Stand, Withdraw
from controller.game.options import build
from controller.game.play import RoundState
from controller.outcomes import Alarm, Burned, Dealt, Flagged, Prompted, Settled
from controller.table.decide import decide
from controller.table.record import entry, state_of
from controller.table.view import is_complete, view
from tests.controller.table.tale import (
    BLACKJACK,
    DEVICES,
    PONTOON,
    SUPERVISOR,
    Tale,
    dealt,
    kinds,
    refused,
    started,
)


def test_a_table_begins_with_started() -> None:
    with pytest.raises(ValueError, match="begins with Started"):
        decide(None, Stopped())


def test_the_first_round_opens_with_all_that_is_known() -> None:
    opened = decide(None, started(BLACKJACK))
    assert kinds(opened) == ["RoundOpened"]
    assert opened.state.round == 1
    assert set(opened.state.devices) == set(DEVICES)
    assert state_of(entry(1, opened.outcomes[-1]).body) == opened.state


def test_4_1_1_before_play_starts_the_dealer_is_told_to_shuffle() -> None:
    opened = decide(None, started(BLACKJACK, cards_ready=False))
    shuffle = "Shuffle the cards by hand or in the multishuffler"
    assert Prompted(rule="4.1.1", what=shuffle) in opened.outcomes
    assert view(opened.state)["next"].endswith(shuffle)
    begun = decide(opened.state, started(BLACKJACK, cards_ready=False))
    assert "Prompted" not in kinds(begun), "a controller that starts again begins no game"


def test_a_row_is_the_same_whether_the_event_was_just_made_or_read_from_the_log() -> None:
    event = started(BLACKJACK)
    read_again = msgspec.json.decode(msgspec.json.encode(event), type=AnyEvent)
    made, again = (
        [entry(number, one) for number, one in enumerate(decide(None, it).outcomes, start=1)]
        for it in (event, read_again)
    )
    assert made == again
    assert made


def test_deciding_is_pure() -> None:
    tale = dealt("TS 9D 9S")
    before = msgspec.json.encode(tale.state)
    event = CardOut(device="shoe", card=Card("5H"))
    assert decide(tale.state, event) == decide(tale.state, event)
    assert msgspec.json.encode(tale.state) == before


# --- cards ---------------------------------------------------------------------------------------


def test_each_card_is_told_with_its_place_and_the_hands_total() -> None:
    tale = Tale()
    tale.wager()
    tale.pedal()
    places = [tale.deal(word).outcomes[0] for word in ("AS", "9D", "6S", "TS")]
    assert places == [
        Dealt(card=Card("AS"), to="box", rule="7", box=1, hand=1, total="1 or 11"),
        Dealt(card=Card("9D"), to="dealer", rule="7", total="9"),
        Dealt(card=Card("6S"), to="box", rule="7", box=1, hand=1, total="7 or 17"),
        Dealt(card=Card("TS"), to="box", rule="10.1.4", box=1, hand=1, total="17"),
    ]


def test_a_settled_wager_is_told_with_the_card_that_decides_it() -> None:
    tale = dealt("TS 9D 6S")
    last = tale.deal("KS")
    assert kinds(last) == ["Dealt", "Reached", "Settled", "Prompted"]
    (row,) = [one.row for one in last.outcomes if isinstance(one, Settled)]
    assert (row.result, row.rule) == ("lose", "10.5")


def test_16_2_a_card_without_a_wager_waits_for_a_word() -> None:
    tale = Tale()
    (told,) = tale.deal("7S").outcomes
    assert told == Dealt(card=Card("7S"), to="undue", rule="16.2")
    assert tale.state.play.undue == (Card("7S"),)
    assert tale.state.ledger.count == 1


def test_16_5_a_card_for_the_dealers_completed_hand_waits_and_keeps_the_round_open() -> None:
    tale = dealt("TS 9D 9S")
    tale.pedal()
    tale.deal("TD 2C")
    assert view(tale.state)["undue"] == ["2C"]
    assert not is_complete(view(tale.state))
    assert refused(tale.ask(Cleared())) == "16.2"
    assert kinds(tale.ask(Burn(Card("2C")))) == ["Burned"]
    assert is_complete(view(tale.state))
    assert tale.state.ledger.count == 5


def test_16_1_a_card_burned_face_up_counts_as_out() -> None:
    tale = dealt("TS 9D")
    (told,) = tale.ask(Burn(Card("KC"))).outcomes
    assert told == Burned(card=Card("KC"), rule="16.1")
    assert tale.state.ledger.count == 3
    assert tale.state.ledger.out[Card("KC")] == 1


def test_5_2_the_first_card_closes_the_wagers_and_that_is_flagged_if_nobody_called() -> None:
    tale = Tale()
    tale.wager()
    first = tale.deal("TS")
    assert [one.rule for one in first.outcomes if isinstance(one, Flagged)] == ["5.2"]
    called = Tale()
    called.wager()
    called.pedal()
    assert not [one for one in called.deal("TS").outcomes if isinstance(one, Flagged)]


@pytest.mark.parametrize(("main", "flagged"), [(499, True), (500, False), (100_000, False),
                                               (100_001, True)])  # fmt: skip
def test_6_2_a_wager_outside_the_limits_is_valid_and_flagged(main: int, flagged: bool) -> None:
    tale = Tale()
    told = tale.wager(main=main).outcomes
    assert [one.rule for one in told if isinstance(one, Flagged)] == ["6.2"] * flagged
    assert tale.state.play.boxes[0].bets[0].main == main


# --- alarms --------------------------------------------------------------------------------------


def test_18_4_1_a_ten_at_pontoon_is_dealt_and_alarms() -> None:
    tale = dealt("TS", PONTOON)
    assert [one.rule for one in tale.outcomes if isinstance(one, Alarm)] == ["18.4.1"]
    assert tale.state.play.boxes[0].hands[0].cards == (Card("TS"),)
    assert tale.state.alarms == ("TS is not in this pack",)


def test_3_1_one_copy_more_than_the_pack_holds_alarms() -> None:
    tale = Tale(build("blackjack-nsw", {"decks": 3}))
    tale.deal("5S 5S 5S")
    assert tale.state.alarms == ()
    (alarm,) = [one for one in tale.deal("5S").outcomes if isinstance(one, Alarm)]
    assert (alarm.rule, alarm.what) == (
        "3.1", "5S came out 4 times since the shuffle: the pack holds 3",
    )  # fmt: skip


def test_a_round_with_an_alarm_is_not_complete_and_a_shuffle_does_not_answer_it() -> None:
    tale = dealt("TS 9D 9S", PONTOON)
    tale.pedal()
    tale.deal("KD")
    assert not is_complete(view(tale.state))
    alarms = tale.state.alarms
    tale.ask(NewShoe())
    assert tale.state.alarms == alarms


def test_an_unread_card_raises_no_alarm_of_its_own() -> None:
    tale = Tale(build("blackjack-nsw", {"decks": 3}))
    tale.deal("?? ?? ?? ?? ??")
    assert tale.state.alarms == ()
    assert tale.state.ledger.count == 5


# --- the shoe ------------------------------------------------------------------------------------


def test_4_7_the_first_card_of_a_shoe_is_burned_face_down() -> None:
    tale = Tale()
    tale.wager()
    tale.ask(NewShoe())
    assert view(tale.state)["next_card"] == "burn card"
    (told,) = tale.deal("KC").outcomes
    assert told == Burned(card=Card("KC"), rule="4.7", face_down=True)
    assert tale.state.ledger.count == 1
    assert kinds(tale.deal("TS")) == ["Flagged", "Dealt", "Reached"]


def test_16_9_a_forgotten_burn_card_stays_in_play() -> None:
    tale = Tale()
    tale.wager()
    tale.ask(NewShoe())
    tale.ask(NotBurned())
    tale.deal("KC")
    assert tale.state.play.boxes[0].hands[0].cards == (Card("KC"),)


def test_16_7_what_lies_on_the_layout_does_not_go_back_into_the_shoe() -> None:
    tale = dealt("TS 9D 9S")
    tale.ask(Burn(Card("KC")))
    tale.ask(NewShoe())
    assert tale.state.ledger.out == {Card("TS"): 1, Card("9D"): 1, Card("9S"): 1}
    assert tale.state.ledger.shoe == 2
    tale.deal("2H")
    assert kinds(tale.deal("2S")) == ["Dealt", "Reached"]


def test_4_1_3_the_cutting_card_asks_for_a_shuffle_after_the_round() -> None:
    tale = dealt("TS 9D")
    told = tale.take(CuttingCardOut(device="shoe")).outcomes
    assert any(isinstance(one, Flagged) and one.rule.startswith("4.1") for one in told)
    assert view(tale.state)["shoe"]["cutting_card"]
    tale.deal("9S")
    assert tale.state.play.state is RoundState.INTERIM_SETTLEMENT


# --- the round's end and the next one -------------------------------------------------------------


def test_15_2_clearing_the_table_opens_the_next_round() -> None:
    tale = dealt("TS 9D 9S")
    tale.pedal()
    tale.deal("TD")
    assert kinds(tale.pedal()) == ["Accepted", "Reached", "RoundOpened"]
    assert (tale.state.round, tale.state.play.state) == (2, RoundState.WAGERS)
    assert tale.state.play.boxes == ()
    assert tale.state.ledger.count == 4


def test_the_same_again_repeats_boxes_wagers_and_who_decides() -> None:
    tale = Tale()
    tale.wager(3, "ann", 1000)
    tale.wager(3, "bob", 2500)
    tale.wager(1, "ann", 500)
    wagered = tale.state.play
    tale.pedal()
    tale.deal("TS TH 9D 9S 9H")
    tale.ask(Stand())
    tale.ask(Stand())
    tale.deal("TD")
    tale.pedal()
    assert kinds(tale.ask(SameAgain())) == ["Accepted"]
    assert tale.state.play.boxes == wagered.boxes
    assert view(tale.state)["can_repeat"]


def test_without_a_last_round_there_is_nothing_to_repeat() -> None:
    assert refused(Tale().ask(SameAgain())) == "5.2"


def test_a_changed_configuration_holds_from_the_next_round_on() -> None:
    tale = dealt("TS 9D 9S")
    tale.take(started(build("blackjack-nsw", {"minimum": 25})))
    assert tale.state.play.game.minimum == 500
    tale.ask(ConfirmLayout())
    tale.ask(Stand())
    tale.deal("TD")
    tale.ask(Cleared())
    assert tale.state.play.game.minimum == 2500


def test_a_withdrawn_box_is_out_of_play() -> None:
    tale = Tale()
    tale.wager()
    tale.ask(Withdraw(1))
    assert refused(tale.ask(NoMoreBets())) == "7"


# --- what a refusal leaves ------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [Stand(), Cleared(), Resume(), Deal(Card("7S")), SameAgain()])
def test_a_refusal_changes_nothing_not_even_what_was_keyed(ask: Stand) -> None:
    tale = dealt("TS 9D")
    tale.key("1")
    before = tale.state
    assert before.keyed == (1,)
    decision = decide(before, Asked(ask=ask))
    assert refused(decision)
    assert decision.state == before


def test_a_key_that_is_refused_changes_nothing_but_what_was_keyed() -> None:
    tale = dealt("TS 9D")
    tale.key("1")
    before = tale.state
    assert refused(tale.key("D"))
    assert tale.state == msgspec.structs.replace(before, keyed=())


# --- slips ----------------------------------------------------------------------------------------


def test_16_2_the_waiting_card_is_dealt_and_not_another_of_the_same_face() -> None:
    tale = Tale()
    tale.deal("7S")
    tale.wager()
    tale.pedal()
    tale.deal("7S 9D")
    tale.ask(Deal(Card("7S")))
    assert tale.state.play.boxes[0].hands[0].cards == (Card("7S"), Card("7S"))
    assert (tale.state.play.dealer, tale.state.play.undue) == ((Card("9D"),), ())


def test_taking_back_past_a_payment_or_more_than_one_step_needs_a_game_supervisor() -> None:
    tale = dealt("TS 9D 3S 2S")
    assert kinds(tale.ask(TakeBack()))[0] == "Accepted"
    assert refused(tale.ask(TakeBack())) == "16.6"
    assert kinds(tale.ask(TakeBack(), SUPERVISOR))[0] == "Accepted"
    paid = dealt("TS 9D 3S KS")
    assert refused(paid.ask(TakeBack())) == "16.6"
    assert "Corrected" in kinds(paid.ask(TakeBack(), SUPERVISOR))


@pytest.mark.parametrize("role", ["dealer", "inspector", "nobody"])
def test_16_6_only_a_casino_supervisor_declares_a_round_void(role: str) -> None:
    tale = dealt("TS 9D 3S")
    assert refused(tale.ask(EndRound(), by=role)) == "16.6"
    assert kinds(tale.ask(EndRound(), by="casino-supervisor"))[0] == "Accepted"
    assert view(tale.state)["state"] == "void"


def test_a_card_after_one_taken_back_waits_behind_it() -> None:
    tale = dealt("TS 9D 3S 2S")
    tale.ask(TakeBack())
    tale.deal("4S")
    assert view(tale.state)["undue"] == ["2S", "4S"]
    assert refused(tale.ask(Deal(Card("4S")))) == "16.2"
    tale.ask(Deal(Card("2S")))
    tale.ask(Deal(Card("4S")))
    assert [str(card) for card in tale.state.play.boxes[0].hands[0].cards] == [
        "TS", "3S", "2S", "4S",
    ]  # fmt: skip
