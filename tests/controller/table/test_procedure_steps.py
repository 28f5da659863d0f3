"""Rule 17 at the table: what is checked, what comes of it, what the dealer sees, a power cut."""

import pytest

from controller.cards import Card
from controller.events import Ask, ConfirmLayout, DeviceLost, DeviceOnline, Read, TakeBack
from controller.game.malfunction import (
    AnswerDamaged,
    AnswerDisadvantage,
    AnswerSpare,
    Confirm,
    Stay,
    TakeRefund,
    WorksAgain,
)
from controller.game.moves import Stand, Wager
from controller.game.play import RoundState
from controller.table.procedure import TROUBLE
from controller.table.procedure_view import next_words
from controller.table.state import cards_in_pack
from controller.table.view import view
from tests.controller.table.shufflers import (
    IN_USE,
    ROLES,
    SPARE,
    Shufflers,
    answers,
    dealt,
    jammed,
)
from tests.controller.table.tale import BLACKJACK, PONTOON, cards

TRANSFERRED = Confirm("transferred")
TWO = (Wager(box=1, player="ann", main=1000), Wager(box=2, player="bob", main=2000))
INSIDE = cards_in_pack(BLACKJACK) - 2


# --- what is checked ------------------------------------------------------------------------------


def test_nothing_is_answered_that_is_not_asked() -> None:
    table = dealt("TS 9D")
    for ask in (*answers(), TRANSFERRED, Stay(1, "ann"), TakeRefund(1, "ann"), WorksAgain()):
        refused = table.ask(ask)
        assert refused is not None
        assert refused.rule == "17.1"


@pytest.mark.parametrize("state", [*TROUBLE, "shuffling", "loading"])
def test_17_1_4_a_spare_that_is_not_ready_is_not_available(state: str) -> None:
    table = dealt("TS 9D")
    table.reports(SPARE, state)
    table.reports(IN_USE, "jam")
    before = table.state
    refused = table.ask(AnswerSpare(yes=True))
    assert refused is not None
    assert refused.rule == "17.1.4"
    assert SPARE in refused.why
    assert table.state == before
    table.must(AnswerSpare(yes=False))


def test_17_1_4_a_spare_that_is_away_is_not_available() -> None:
    table = dealt("TS 9D")
    table.take(DeviceLost(device=SPARE, why="unplugged"))
    table.reports(IN_USE, "jam")
    refused = table.ask(AnswerSpare(yes=True))
    assert refused is not None
    assert (refused.rule, "unplugged" in refused.why) == ("17.1.4", True)


def test_17_1_4_a_table_without_another_device_has_no_spare() -> None:
    table = Shufflers(roles={name: role for name, role in ROLES.items() if name != SPARE})
    table.must(Wager(box=1, player="ann", main=1000))
    table.deal("TS 9D")
    table.reports(IN_USE, "jam")
    refused = table.ask(AnswerSpare(yes=True))
    assert refused is not None
    assert refused.rule == "17.1.4"


def test_17_2_the_cards_are_not_transferred_into_a_spare_that_is_busy() -> None:
    table = jammed()
    table.must(*answers())
    table.reports(SPARE, "loading")
    refused = table.ask(TRANSFERRED)
    assert refused is not None
    assert refused.rule == "17.2"
    table.reports(SPARE, "ready", INSIDE)
    table.must(TRANSFERRED)


def test_17_2_the_cards_are_not_transferred_while_the_spare_reports_none_inside() -> None:
    table = jammed()
    table.reports(SPARE, "idle", 0)
    table.must(*answers())
    before = table.state
    refused = table.ask(TRANSFERRED)
    assert refused is not None
    assert refused.rule == "17.2"
    assert table.state == before
    table.reports(SPARE, "ready", INSIDE)
    table.must(TRANSFERRED)
    assert table.state.source == SPARE


@pytest.mark.parametrize("named", ["TS TS TS TS TS TS", "KH KH KH KH KH KH KH"])
def test_17_3_1_no_more_cards_are_damaged_than_are_in_the_device(named: str) -> None:
    table = jammed()
    before = table.state
    refused = table.ask(AnswerDamaged(tuple(cards(named))))
    assert refused is not None
    assert refused.rule == "17.3.1"
    assert table.state == before


def test_17_3_1_as_many_as_are_left_may_be_damaged() -> None:
    table = jammed()
    table.must(AnswerDamaged(tuple(cards("TS TS TS TS TS KH KH KH KH KH KH"))))


def test_17_3_1_there_are_no_tens_in_a_pontoon_device() -> None:
    table = jammed("9S 9D", PONTOON)
    refused = table.ask(AnswerDamaged((Card("TS"),)))
    assert refused is not None
    assert refused.rule == "17.3.1"


@pytest.mark.parametrize("named", ["QH", "KH KH", "KH QH"])
def test_17_3_3_the_replacement_cards_are_checked(named: str) -> None:
    table = jammed()
    table.must(*answers("KH"), Confirm("damaged-removed"), TRANSFERRED)
    before = table.state
    refused = table.ask(Confirm("replaced", tuple(cards(named))))
    assert refused is not None
    assert refused.rule == "17.3.3"
    assert table.state == before


# --- what comes of it -----------------------------------------------------------------------------


def test_17_2_the_round_goes_on_where_it_was_and_no_card_is_burned() -> None:
    table = jammed()
    play = table.state.play
    table.must(*answers(), TRANSFERRED)
    assert (table.procedure, table.state.source, table.state.play) == (None, SPARE, play)
    assert not table.state.ledger.burn_is_due
    assert table.state.ledger.damaged == ()


def test_17_3_the_ledger_has_the_cards_that_were_replaced() -> None:
    table = jammed()
    out = table.state.ledger.out
    table.must(*answers("KH 7C KH"), Confirm("damaged-removed"), TRANSFERRED)
    table.must(Confirm("replaced", tuple(cards("7C KH KH"))))
    assert sorted(table.state.ledger.damaged) == ["7C", "KH", "KH"]
    assert table.state.ledger.out == out
    assert (table.state.source, table.state.ledger.burn_is_due) == (SPARE, False)


def test_17_5_4_the_round_goes_on_from_the_shoe_whose_first_card_is_burned() -> None:
    table = jammed()
    table.must(*answers("KH", spare=False), Stay(1, "ann"), Confirm("replaced", (Card("KH"),)))
    table.must(Confirm("shuffled-and-cut"), Confirm("shoe-loaded"))
    assert (table.procedure, table.state.source) == (None, "shoe")
    assert (table.state.ledger.burn_is_due, table.state.ledger.damaged) == (True, ("KH",))
    play = table.state.play
    table.deal("2C")
    assert table.state.play == play, "the burn card is in nobody's hand"
    table.deal("9S")
    assert table.state.play.boxes[0].hands[0].cards == ("TS", "9S")


def test_17_4_nothing_is_left_open_and_the_wagers_go_back() -> None:
    table = jammed("TS 8H 9D", wagers=TWO)
    table.must(AnswerDisadvantage("house"))
    assert table.procedure is None
    rows = view(table.state)["settlements"]
    assert [(row["player"], row["returns"], row["rule"]) for row in rows] == [
        ("ann", 1000, "17.4"), ("bob", 2000, "17.4"),
    ]  # fmt: skip


def test_17_5_1_a_refund_is_not_taken_back() -> None:
    table = jammed("TS 8H 9D", wagers=TWO)
    table.must(*answers(spare=False), TakeRefund(1, "ann"), Stay(2, "bob"))
    table.must(Confirm("shuffled-and-cut"), Confirm("shoe-loaded"))
    refused = table.ask(TakeBack())
    assert refused is not None
    assert refused.rule == "17.1", "the procedure came after the refund"


def test_17_5_2_what_was_replaced_before_a_second_fault_stays_in_the_ledger() -> None:
    table = jammed()
    table.must(*answers("KH", spare=False), Confirm("replaced", (Card("KH"),)))
    table.reports(IN_USE, "unreadable-card")
    table.must(*answers(), TRANSFERRED)
    assert table.state.ledger.damaged == ("KH",)


def test_17_5_1_when_the_last_leaves_the_cards_are_where_they_were_loaded() -> None:
    table = jammed()
    table.must(*answers(spare=False), Confirm("shuffled-and-cut"), Confirm("shoe-loaded"))
    table.must(TakeRefund(1, "ann"))
    assert table.state.play.state is RoundState.VOID
    assert table.state.source == "shoe"
    assert table.state.ledger.burn_is_due


# --- what the dealer sees -------------------------------------------------------------------------


def test_the_dealer_is_told_what_to_touch_step_by_step() -> None:
    table = jammed()
    assert next_words(table.state).startswith("shuffler-1: a card is jammed. Are cards in")
    table.must(*answers("KH"))
    steps = view(table.state)["procedure"]["steps"]
    assert [one["step"] for one in steps] == ["damaged-removed", "transferred", "replaced"]
    assert "KH" in steps[0]["words"]
    assert "shuffler-1 to shuffler-2" in steps[1]["words"]
    for number, step in enumerate(steps, start=1):
        assert f"{number}. {step['words']}" in next_words(table.state)
        table.must(Confirm(step["step"], (Card("KH"),) if step["step"] == "replaced" else ()))
    assert next_words(table.state) == ""
    assert view(table.state)["procedure"] is None


def test_the_dealer_sees_who_has_not_chosen() -> None:
    table = jammed("TS 8H 9D", wagers=TWO)
    table.must(*answers(spare=False), TakeRefund(1, "ann"))
    chosen = [one["choice"] for one in view(table.state)["procedure"]["electors"]]
    assert chosen == ["refund", ""]
    table.must(Confirm("shuffled-and-cut"), Confirm("shoe-loaded"))
    assert "Box 2 bob" in next_words(table.state)


def test_each_open_question_is_put_in_words_until_it_is_answered() -> None:
    table = jammed()
    for left, answer in zip((4, 3, 2, 1), answers(), strict=True):
        questions = view(table.state)["procedure"]["questions"]
        assert len(questions) == left
        assert questions[0]["words"] in view(table.state)["next"]
        table.must(answer)
    assert view(table.state)["procedure"]["branch"] == "17.2"


def shoe_words(table: Shufflers) -> str:
    """Return what is said at the step of the shuffle and the cut."""
    steps = view(table.state)["procedure"]["steps"]
    return str(next(one["words"] for one in steps if one["step"] == "shuffled-and-cut"))


def test_17_5_3_the_cut_is_offered_by_rule_4_to_those_who_play_on() -> None:
    wagers = (*TWO, Wager(box=7, player="cam", main=3000), Wager(box=7, player="dee", main=500))
    table = jammed("TS 8H 7C 9D", wagers=wagers)
    table.must(*answers(spare=False))
    assert shoe_words(table) == (
        "Shuffle the cards out of shuffler-1. "
        "Offer the cut to cam (4.2), then to dee, ann, bob, the game supervisor (4.3)"
    )
    table.must(TakeRefund(7, "cam"), TakeRefund(1, "ann"))
    assert "cut to dee (4.2), then to bob, the game" in shoe_words(table)
    table.must(TakeRefund(7, "dee"))
    assert "cut to bob (4.2), then to the game" in shoe_words(table)


def test_17_5_1_players_are_asked_before_the_shuffle_and_damage_before_that() -> None:
    table = jammed("TS 8H 9D", wagers=TWO)
    table.must(*answers(spare=False)[1:])
    assert "Are cards in the device damaged" in next_words(table.state)
    table.must(AnswerDamaged((Card("KH"),)))
    assert "Box 1 ann: stay" in next_words(table.state)
    table.must(Stay(1, "ann"), Stay(2, "bob"))
    assert "1. Take KH from a new deck" in next_words(table.state)


def test_17_5_1_a_card_that_nobody_has_read_is_entered_before_anybody_chooses() -> None:
    table = jammed("TS 8H 9D 9S ??", wagers=TWO)
    table.must(*answers(spare=False), Stay(1, "ann"))
    assert "enter it before bob at box 2 chooses" in next_words(table.state)
    for choice in (Stay(2, "bob"), TakeRefund(2, "bob")):
        refused = table.ask(choice)
        assert refused is not None
        assert refused.rule == "17.5.1"
    table.must(Read(Card("9H")))
    assert "Box 2 bob: stay" in next_words(table.state)
    table.must(Stay(2, "bob"))


def test_17_5_1_the_dealers_unread_card_may_have_decided_for_everybody() -> None:
    table = dealt("TS 8H 9D 9S 9H", wagers=TWO)
    table.must(Stand(), Stand())
    table.deal("??")
    table.reports(IN_USE, "jam")
    table.must(*answers(spare=False))
    for player, box in (("ann", 1), ("bob", 2)):
        refused = table.ask(Stay(box, player))
        assert refused is not None
        assert refused.rule == "17.5.1"
    table.must(Read(Card("8D")), Confirm("shuffled-and-cut"), Confirm("shoe-loaded"))
    assert table.procedure is None, "the dealer has 17: nothing is unsettled"


# --- a power cut ----------------------------------------------------------------------------------

WORDS: tuple[Ask, ...] = (
    *answers("KH"),
    Confirm("damaged-removed"),
    TRANSFERRED,
    Confirm("replaced", (Card("KH"),)),
)


def started_again(table: Shufflers) -> None:
    """Let the controller start anew: the devices are there as they were, and say so."""
    table.start()
    for name, role in ROLES.items():
        table.take(DeviceOnline(device=name, port="test"))
        if role == "shuffler":
            table.reports(name, "jam" if name == IN_USE else "ready", INSIDE)
    table.must(ConfirmLayout())


@pytest.mark.parametrize("said", range(len(WORDS)))
def test_what_was_said_before_a_power_cut_stays_said(said: int) -> None:
    table = jammed()
    table.must(*WORDS[:said])
    procedure = table.procedure
    started_again(table)
    assert table.procedure == procedure
    table.must(*WORDS[said:])
    assert (table.procedure, table.state.source) == (None, SPARE)


def test_a_link_that_comes_back_with_the_same_fault_does_not_ask_again() -> None:
    table = jammed()
    table.must(*WORDS[:2])
    procedure = table.procedure
    table.take(DeviceOnline(device=IN_USE, port="test"))
    table.reports(IN_USE, "jam")
    assert table.procedure == procedure


def test_the_door_that_is_opened_for_a_step_is_no_new_fault() -> None:
    table = jammed()
    table.must(*WORDS[:4])
    table.reports(IN_USE, "door-open")
    table.must(*WORDS[4:5])
    table.reports(IN_USE, "jam")  # shut again: the card that jammed is still in it
    assert table.open.done == ("damaged-removed",)
    table.must(*WORDS[5:])
    assert table.procedure is None
