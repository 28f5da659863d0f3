"""Clauses that no round script can show: what is seen, flagged, or asked between rounds."""

import pytest

from controller.errors import SettingsError
from controller.events import CardOut, NewCards, Use
from controller.game.house import InspectorNotified, Lift, Limits, Restrict
from controller.game.malfunction import (
    MACHINE,
    AnswerDamaged,
    AnswerDisadvantage,
    AnswerPracticable,
    AnswerSpare,
    FaultAgain,
    Malfunction,
    ProcedureState,
    questions_open,
)
from controller.game.moves import Burn, Cleared, NoMoreBets, Split, Stand, Wager
from controller.game.options import NAMES, build
from controller.game.play import RoundState
from controller.game.shuffle import Shuffled, ShuffleState
from controller.outcomes import Dealt, Flagged
from controller.table.roles import DUTY_MANAGER
from controller.table.view import view
from tests.controller.game.rounds import NEW_ZEALAND, cards, table, then
from tests.controller.table.fitted import PLAIN, SHUFFLER, fitted
from tests.controller.table.tale import BLACKJACK, PONTOON, SUPERVISOR, Tale, dealt, refused


@pytest.mark.parametrize("name", NAMES)
def test_rule_2_seven_boxes_unless_configured_otherwise(name: str) -> None:
    assert build(name, {}).boxes == 7


@pytest.mark.parametrize(
    ("name", "left"), [("blackjack-nsw", 6 * 52), ("pontoon-nsw", 6 * 48), ("pontoon-nz", 6 * 48)]
)
def test_3_1_18_4_1_nz_3_3_a_so_many_cards_are_in_six_decks(name: str, left: int) -> None:
    assert view(Tale(build(name, {})).state)["shoe"]["left"] == left


def test_3_4_1_cards_are_replaced_before_they_are_shuffled_and_not_after() -> None:
    tale = Tale()
    tale.ask(NewCards(), by=SUPERVISOR)
    tale.ask(Shuffled())
    assert refused(tale.ask(NewCards(), by=SUPERVISOR)) == "3.4.1"


def test_3_5_a_card_of_another_device_is_dealt_to_nobody() -> None:
    tale = fitted({**SHUFFLER, "shuffler-2": "shuffler"})
    tale.wager()
    told = tale.take(CardOut(device="shuffler-2", card=cards("9S")[0])).outcomes
    assert [(one.to, one.rule) for one in told if isinstance(one, Dealt)] == [("undue", "3.5")]
    assert tale.state.play.state is RoundState.WAGERS


@pytest.mark.parametrize("device", ["pedal", "multishuffler", "another"])
def test_3_5_cards_come_from_a_shoe_or_a_shuffling_device(device: str) -> None:
    """And from no machine that only shuffles (1.1 multishuffler)."""
    tale = fitted({**PLAIN, "multishuffler": "multishuffler"})
    assert refused(tale.ask(Use(device))) == "3.5"
    assert tale.state.source == "shoe"


@pytest.mark.parametrize("game", [BLACKJACK, PONTOON], ids=lambda game: game.name)
def test_3_5_2_the_first_two_cards_lie_face_up_where_the_inspector_approved_nothing_else(
    game: object,
) -> None:
    tale = dealt("9S 8D 7S", game)  # type: ignore[arg-type]
    assert view(tale.state)["boxes"][0]["hands"][0]["cards"] == ["9S", "7S"]


def test_4_6_3_cards_in_a_shuffling_device_are_not_cut() -> None:
    tale = fitted(SHUFFLER)
    tale.ask(Use("shuffler-1"))
    tale.take(CardOut(device="shuffler-1", card=cards("2C")[0]))  # the burn card
    tale.ask(NewCards(), by=SUPERVISOR)
    shuffle = tale.state.shuffle
    assert shuffle is not None
    assert shuffle.state is ShuffleState.DUE
    done = tale.ask(Shuffled())
    assert done.state.ledger.burn_is_due, "the cards are loaded, and nobody cut them"


def test_5_1_a_wager_is_an_amount() -> None:
    assert refused(Tale().wager(main=0)) == "5.1"


# --- around the round -----------------------------------------------------------------------------


def _held_to_one_box() -> Tale:
    tale = Tale()
    tale.ask(Restrict("ann", "one-box"), by=DUTY_MANAGER)
    return tale


def test_5_12_a_restriction_holds_when_an_inspector_was_notified_and_not_before() -> None:
    tale = _held_to_one_box()
    assert refused(tale.wager(main=2000)) == ""
    tale.ask(InspectorNotified("ann"), by=DUTY_MANAGER)
    assert refused(tale.wager(main=3000)) == "5.12"


def test_5_11_5_12_only_the_duty_manager_lifts_what_only_they_may_lay_on() -> None:
    tale = dealt("9S 8D 7S")
    tale.ask(Stand())
    tale.deal("TD")
    tale.ask(Cleared())
    tale.ask(Restrict("bob", "further-shoes"), by=DUTY_MANAGER)
    tale.ask(Restrict("ann", "one-box"), by=DUTY_MANAGER)
    for player, rule in (("bob", "5.11"), ("ann", "5.12")):
        assert refused(tale.ask(Lift(player), by=SUPERVISOR)) == rule
        assert refused(tale.ask(Lift(player), by=DUTY_MANAGER)) == ""


def test_6_1_a_wager_is_from_the_minimum_to_the_maximum_in_the_unit_above_the_minimum() -> None:
    limits = Limits(minimum=500, maximum=5000, unit=200)
    allowed = [amount for amount in range(0, 6000, 100) if limits.allow(amount)]
    assert allowed == list(range(500, 5001, 200))
    assert Limits(minimum=500, maximum=5000).allow(550)


# --- the round ------------------------------------------------------------------------------------


def test_rule_7_no_more_bets_is_called_when_somebody_has_wagered() -> None:
    tale = Tale()
    assert refused(tale.ask(NoMoreBets())) == "7"
    tale.wager()
    assert refused(tale.ask(NoMoreBets())) == ""


def test_10_1_4_a_further_card_begins_the_subsequent_deal() -> None:
    tale = dealt("9S 8D 2S")
    assert tale.state.play.state is RoundState.INTERIM_SETTLEMENT
    tale.deal("2C")
    assert tale.state.play.state is RoundState.SUBSEQUENT_DEAL


def test_nz_1_round_it_is_over_when_the_cards_are_in_the_discard_rack() -> None:
    """In New Zealand as everywhere (nz:1 round)."""
    over = table(NEW_ZEALAND, "9S 8D 9C", Stand(), "KD")
    assert over.state is RoundState.FINAL_SETTLEMENT
    assert then(over, Cleared()).state is RoundState.CLEARED


def test_16_1_a_card_found_face_up_is_among_the_burned() -> None:
    tale = dealt("9S 8D 2S")
    tale.ask(Burn(cards("KC")[0]))
    assert tale.state.play.burned == cards("KC")


# --- side wagers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("side", ["super_sevens", "perfect_pairs"])
@pytest.mark.parametrize("name", ["pontoon-nsw", "pontoon-nz"])
def test_14_1_a_wager_of_blackjack_is_offered_at_no_pontoon_table(name: str, side: str) -> None:
    with pytest.raises(SettingsError, match=rf"{side} is not offered at {name} \(14\.1\)"):
        build(name, {side: "true"})


@pytest.mark.parametrize(
    ("name", "side", "rule"),
    [
        ("blackjack-nsw", "super_sevens", "14.2"),
        ("blackjack-nsw", "perfect_pairs", "14.2"),
        ("pontoon-nsw", "pandemonium", "18.14.2"),
    ],
)
def test_14_2_18_14_2_a_side_wager_is_placed_where_it_is_offered(
    name: str, side: str, rule: str
) -> None:
    wager = Wager(box=1, player="ann", main=1000, **{side: 500})  # type: ignore[arg-type]
    assert refused(Tale(build(name, {side: "true"})).ask(wager)) == ""
    assert refused(Tale(build(name, {side: "false"})).ask(wager)) == rule


@pytest.mark.parametrize(
    ("name", "side", "rule"),
    [
        ("blackjack-nsw", "super_sevens", "14.3"),
        ("blackjack-nsw", "perfect_pairs", "14.3"),
        ("pontoon-nsw", "pandemonium", "18.14.3"),
    ],
)
@pytest.mark.parametrize(("amount", "is_flagged"), [(499, True), (500, False), (501, False)])
def test_14_3_18_14_3_a_side_wager_below_the_amount_on_the_sign_is_flagged(
    name: str, side: str, rule: str, amount: int, *, is_flagged: bool
) -> None:
    tale = Tale(build(name, {"side_wager": "5", side: "true"}))
    wager = Wager(box=1, player="ann", main=1000, **{side: amount})  # type: ignore[arg-type]
    told = [one.rule for one in tale.ask(wager).outcomes if isinstance(one, Flagged)]
    assert told == [rule] * is_flagged


# --- malfunction ----------------------------------------------------------------------------------


def test_17_1_2_another_fault_asks_all_four_questions_again() -> None:
    """Also when the answers have decided a branch, and the spare is the one that fails (17.1.5)."""
    procedure = Malfunction(device="shuffler-1", code="jam", text="a card is jammed")
    for answer in (AnswerDamaged(), AnswerDisadvantage("none"), AnswerSpare(True)):
        procedure = MACHINE.apply(procedure, answer)
    procedure = MACHINE.apply(procedure, AnswerPracticable(True))
    assert procedure.state is ProcedureState.TRANSFER
    again = MACHINE.apply(procedure, FaultAgain("shuffler-2", "jam", "a card is jammed"))
    assert again.state is ProcedureState.ASKED
    assert len(questions_open(again)) == 4


def test_17_1_3_no_branch_is_decided_before_somebody_says_whether_anybody_is_worse_off() -> None:
    procedure = Malfunction(device="shuffler-1", code="jam", text="a card is jammed")
    for answer in (AnswerDamaged(), AnswerSpare(True), AnswerPracticable(True)):
        procedure = MACHINE.apply(procedure, answer)
    assert procedure.state is ProcedureState.ASKED
    assert MACHINE.apply(procedure, AnswerDisadvantage("none")).state is ProcedureState.TRANSFER
    assert MACHINE.apply(procedure, AnswerDisadvantage("player")).state is ProcedureState.ENDED


def test_17_1_5_where_the_cards_cannot_be_moved_the_round_goes_on_from_a_shoe() -> None:
    """17.1.5 decides between 17.2 and 17.5."""
    procedure = Malfunction(device="shuffler-1", code="jam", text="a card is jammed")
    for answer in (AnswerDamaged(), AnswerDisadvantage("none"), AnswerSpare(True)):
        procedure = MACHINE.apply(procedure, answer)
    assert MACHINE.apply(procedure, AnswerPracticable(True)).state is ProcedureState.TRANSFER
    assert MACHINE.apply(procedure, AnswerPracticable(False)).state is ProcedureState.SHOE


# --- by hand and key ------------------------------------------------------------------------------


def test_12_5_5_a_pair_that_took_a_third_card_is_not_split_any_more() -> None:
    tale = dealt("4S 9D 4H 4C", build("blackjack-nsw", {"resplit": "true"}))
    assert refused(tale.ask(Split())) == "12.5.5"


def test_18_6_4_by_key_too_nobody_surrenders_before_who_controls_the_box() -> None:
    tale = Tale(PONTOON)
    tale.wager()
    tale.wager(player="bob")
    tale.pedal()
    tale.deal("9S KD 6H")
    for name in ("1", ".", "2"):
        tale.key(name)
    assert refused(tale.key("S")) == "18.6.4"
    for name in ("1", "S", "1", ".", "2"):
        tale.key(name)
    assert refused(tale.key("S")) == ""
    assert tale.state.play.boxes[0].surrendered == ("ann", "bob")
