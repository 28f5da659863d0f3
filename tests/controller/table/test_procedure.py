"""Rule 17 at the table: what begins it, what waits while it is open, and who may say what."""

import pytest

from controller.cards import Card
from controller.events import (
    Ask,
    CardOut,
    ConfirmLayout,
    Deal,
    DeclareFault,
    DeviceFault,
    DeviceLost,
    DeviceOnline,
    EndRound,
    TakeBack,
)
from controller.game.malfunction import (
    AnswerDamaged,
    AnswerDisadvantage,
    AnswerPracticable,
    AnswerSpare,
    Confirm,
    ProcedureState,
    Stay,
    TakeRefund,
    WorksAgain,
)
from controller.game.moves import Insure, Stand, Wager
from controller.game.play import RoundState
from controller.table.procedure import NO_MALFUNCTION, TROUBLE
from controller.table.roles import SUPERVISORS
from controller.table.view import is_complete, view
from tests.controller.table.shufflers import (
    IN_USE,
    SPARE,
    Shufflers,
    answers,
    dealt,
    jammed,
)
from tests.controller.table.tale import SUPERVISOR

MALFUNCTIONS = sorted(set(TROUBLE) - NO_MALFUNCTION)
TRANSFERRED = Confirm("transferred")
TWO = (Wager(box=1, player="ann", main=1000), Wager(box=2, player="bob", main=2000))


# --- what begins it -------------------------------------------------------------------------------


@pytest.mark.parametrize("code", MALFUNCTIONS)
def test_17_1_2_a_fault_of_the_device_in_use_suspends_the_round(code: str) -> None:
    table = dealt("TS 9D")
    table.reports(IN_USE, code)
    assert table.open.state is ProcedureState.ASKED
    assert (table.open.device, table.open.code, table.open.text) == (IN_USE, code, TROUBLE[code])


@pytest.mark.parametrize("words", ["TS", "TS 9D 9S", "TS 9D 9S 8H"])
def test_17_1_2_one_card_of_the_round_is_enough(words: str) -> None:
    assert jammed(words).procedure is not None


def test_17_1_2_a_link_lost_in_the_round_is_a_malfunction() -> None:
    table = dealt("TS 9D")
    table.take(DeviceLost(device=IN_USE, why="unplugged"))
    assert table.open.code == "link-lost"


def test_17_1_2_a_fault_that_a_driver_tells_is_a_malfunction() -> None:
    table = dealt("TS 9D")
    table.take(DeviceFault(device=IN_USE, code="jam", text="a card sticks"))
    assert table.open.text == "a card sticks"


def test_17_1_2_the_dealer_may_declare_it() -> None:
    table = dealt("TS 9D")
    assert table.ask(DeclareFault("it grinds"), by="dealer") is None
    assert (table.open.code, table.open.text) == ("declared", "it grinds")


@pytest.mark.parametrize("code", sorted(NO_MALFUNCTION))
def test_what_a_hand_puts_right_is_no_malfunction(code: str) -> None:
    table = dealt("TS 9D")
    table.reports(IN_USE, code)
    assert table.procedure is None


def test_17_1_2_before_the_first_card_it_is_no_malfunction() -> None:
    table = Shufflers()
    table.must(Wager(box=1, player="ann", main=1000))
    table.reports(IN_USE, "jam")
    assert table.procedure is None
    refused = table.ask(DeclareFault(), by="dealer")
    assert refused is not None
    assert refused.rule == "17.1"


@pytest.mark.parametrize("device", [SPARE, "shoe"])
def test_17_1_1_a_device_that_is_not_in_use_is_no_malfunction(device: str) -> None:
    table = dealt("TS 9D")
    table.take(DeviceFault(device=device, code="jam", text="a card is jammed"))
    assert table.procedure is None


def test_after_the_round_is_void_it_is_no_malfunction() -> None:
    table = dealt("TS 9D")
    table.must(EndRound())
    table.reports(IN_USE, "jam")
    assert table.procedure is None


def test_who_is_asked_has_an_unsettled_wager() -> None:
    table = jammed("AS TH 9D KS 9C", wagers=TWO)  # ann's blackjack is paid
    assert table.open.electors == ((2, "bob"),)


# --- while it is open -----------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [Stand(), TakeBack(), Insure(1, "ann", 500), DeclareFault()])
def test_no_decision_is_taken_while_the_round_is_suspended(ask: Ask) -> None:
    table = jammed("TS AD 9S")
    before = table.state
    refused = table.ask(ask)
    assert refused is not None
    assert refused.rule == "17.1"
    assert table.state == before


def test_a_layout_in_doubt_can_be_confirmed_while_the_round_is_suspended() -> None:
    table = dealt("TS 9D")
    table.take(DeviceLost(device=IN_USE, why="unplugged"))
    table.take(DeviceOnline(device=IN_USE, port="test"))
    table.must(ConfirmLayout(), *answers(), TRANSFERRED)
    assert table.procedure is None
    assert not table.state.in_doubt


def test_a_card_that_comes_out_waits_for_the_dealers_word() -> None:
    table = jammed()
    table.take(CardOut(device=IN_USE, card=Card("9S")))
    assert table.state.in_hand == ("9S",)
    table.must(*answers(), TRANSFERRED, Deal(Card("9S")))
    assert table.state.play.boxes[0].hands[0].cards == ("TS", "9S")


def test_the_same_report_again_does_not_ask_again() -> None:
    table = jammed()
    table.must(*answers()[:2])
    table.reports(IN_USE, "jam")
    assert table.open.disadvantage == "none"


@pytest.mark.parametrize("device", [IN_USE, SPARE])
def test_another_fault_of_either_device_asks_everything_again(device: str) -> None:
    table = jammed()
    table.must(*answers())
    table.reports(device, "unreadable-card")
    assert table.open.state is ProcedureState.ASKED
    assert len(view(table.state)["procedure"]["questions"]) == 4


def test_a_suspended_round_is_not_complete() -> None:
    table = dealt("TS 9D 9S")
    table.must(Stand())
    table.deal("8D")
    assert is_complete(view(table.state))
    table.reports(IN_USE, "jam")
    assert not is_complete(view(table.state))


# --- who may say what -----------------------------------------------------------------------------


JUDGED = [AnswerDisadvantage("none"), AnswerDisadvantage("house"), AnswerDisadvantage("player")]


@pytest.mark.parametrize("by", ["dealer", "inspector"])
@pytest.mark.parametrize("judged", JUDGED, ids=lambda one: one.who)
def test_17_4_only_a_casino_supervisor_judges_the_disadvantage(
    by: str, judged: AnswerDisadvantage
) -> None:
    table = jammed()
    before = table.state
    refused = table.ask(judged, by=by)
    assert refused is not None
    assert refused.rule == "17.4"
    assert table.state == before


@pytest.mark.parametrize("by", sorted(SUPERVISORS))
def test_17_4_every_supervisor_may(by: str) -> None:
    table = jammed()
    assert table.ask(AnswerDisadvantage("player"), by=by) is None
    assert table.state.play.state is RoundState.VOID


def test_all_the_rest_is_the_dealers_word() -> None:
    table = jammed("TS 8H 9D", wagers=TWO)
    table.must(AnswerDisadvantage("none"))
    steps: tuple[Ask, ...] = (
        AnswerDamaged((Card("KH"),)),
        AnswerPracticable(yes=True),
        AnswerSpare(yes=False),
        TakeRefund(1, "ann"),
        Stay(2, "bob"),
        Confirm("replaced", (Card("KH"),)),
        Confirm("shuffled-and-cut"),
        Confirm("shoe-loaded"),
    )
    assert [table.ask(step, by="dealer") for step in steps] == [None] * len(steps)
    assert table.procedure is None


@pytest.mark.parametrize("by", ["dealer", "inspector"])
def test_16_6_neither_dealer_nor_inspector_ends_a_suspended_round(by: str) -> None:
    table = jammed()
    refused = table.ask(EndRound(), by=by)
    assert refused is not None
    assert refused.rule == "16.6"
    assert table.procedure is not None


def test_16_6_a_supervisor_does() -> None:
    table = jammed()
    table.must(EndRound())
    assert table.procedure is None
    assert {row["rule"] for row in view(table.state)["settlements"]} == {"16.6"}


def test_a_supervisor_says_that_the_device_works_again_once_it_says_so_itself() -> None:
    table = jammed()
    for by in ("dealer", "inspector", SUPERVISOR):
        refused = table.ask(WorksAgain(), by=by)
        assert refused is not None
        assert refused.rule == "17.1"
    table.reports(IN_USE, "ready")
    table.must(WorksAgain())
    assert table.procedure is None
    assert table.state.source == IN_USE


def test_a_fault_that_only_the_dealer_saw_is_over_at_the_supervisors_word() -> None:
    table = dealt("TS 9D")
    table.must(DeclareFault(), WorksAgain())
    assert table.procedure is None


def test_after_a_step_the_device_does_not_work_again() -> None:
    table = jammed()
    table.must(*answers("KH"), Confirm("damaged-removed"))
    table.reports(IN_USE, "ready")
    refused = table.ask(WorksAgain())
    assert refused is not None
    assert refused.rule == "17.1"
