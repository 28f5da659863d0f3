"""Rule 17: which device's trouble asks everything again at which moment, and which nothing."""

from collections.abc import Callable
from typing import Final, NamedTuple

import pytest

from controller.cards import Card
from controller.events import (
    Ask,
    Asked,
    DeclareFault,
    DeviceFault,
    DeviceLost,
    DeviceOnline,
    NewCards,
    NewShoe,
    Use,
)
from controller.game.malfunction import (
    AnswerSpare,
    Confirm,
    ProcedureState,
    Stay,
    TakeRefund,
    WorksAgain,
)
from controller.game.moves import Stand, Wager
from controller.game.shuffle import Cut, Load, Shuffled
from controller.outcomes import Flagged
from controller.table.procedure import NO_MALFUNCTION, TROUBLE
from controller.table.procedure_view import next_words
from controller.table.view import is_complete, view
from tests.controller.table.shufflers import IN_USE, ROLES, SPARE, Shufflers, answers

THIRD: Final = "shuffler-3"
MULTI: Final = "multishuffler"
MANY: Final = {**ROLES, THIRD: "shuffler", MULTI: "multishuffler"}
LOST: Final = "unplugged"
CODES: Final = (*sorted(set(TROUBLE) - {"jam"}), *sorted(NO_MALFUNCTION - set(TROUBLE)), LOST)
"""Everything that a device may tell; it is jammed before."""
BY_HAND: Final = {"service", "offline", LOST}
INSIDE: Final = 309
REMOVED, TRANSFERRED = Confirm("damaged-removed"), Confirm("transferred")
REPLACED: Final = Confirm("replaced", (Card("KH"),))
SHUFFLED, LOADED = Confirm("shuffled-and-cut"), Confirm("shoe-loaded")
TWO: Final = (Wager(box=1, player="ann", main=1000), Wager(box=2, player="bob", main=2000))


def jammed(roles: dict[str, str] = MANY) -> Shufflers:
    """Return a table with a jam after two wagers and three cards; ann and bob are to choose."""
    table = Shufflers(roles=roles)
    table.must(*TWO)
    table.deal("TS 8H 9D")
    table.reports(IN_USE, "jam")
    return table


def tells(table: Shufflers, device: str, code: str) -> None:
    """Let the device tell of its trouble."""
    if code == LOST:
        table.take(DeviceLost(device=device, why=code))
    elif code in TROUBLE:
        table.reports(device, code, INSIDE)
    else:
        table.take(DeviceFault(device=device, code=code, text=code))


class Moment(NamedTuple):
    """How far the procedure is, and where the cards are then."""

    said: tuple[Ask, ...]
    decided: bool
    cards_in: str


REPLACE: Final = tuple(answers("KH"))
SHOE: Final = tuple(answers("KH", spare=False))
EASY_SHOE: Final = tuple(answers(practicable=False))
MOMENTS: Final[dict[str, Moment]] = {
    "nothing said": Moment((), decided=False, cards_in=IN_USE),
    "three answers": Moment(REPLACE[:3], decided=False, cards_in=IN_USE),
    "17.2": Moment(tuple(answers()), decided=True, cards_in=IN_USE),
    "17.3": Moment(REPLACE, decided=True, cards_in=IN_USE),
    "17.3.1": Moment((*REPLACE, REMOVED), decided=True, cards_in=IN_USE),
    "17.3.2": Moment((*REPLACE, REMOVED, TRANSFERRED), decided=True, cards_in=SPARE),
    "17.5": Moment(EASY_SHOE, decided=True, cards_in=IN_USE),
    "17.5.1": Moment((*SHOE, TakeRefund(1, "ann")), decided=True, cards_in=IN_USE),
    "17.5.2": Moment((*SHOE, Stay(2, "bob"), REPLACED), decided=True, cards_in=IN_USE),
    "17.5.3": Moment((*SHOE, REPLACED, SHUFFLED), decided=True, cards_in=""),
    "17.5.4": Moment((*SHOE, REPLACED, SHUFFLED, LOADED), decided=True, cards_in=""),
}


def asks_again(device: str, code: str, moment: Moment) -> bool:
    """Tell, as the rule is read, whether all four questions are asked again."""
    if code in NO_MALFUNCTION:
        return False
    if device == moment.cards_in:
        return device == SPARE or not (moment.decided and code in BY_HAND)
    return device == SPARE and moment.cards_in == IN_USE


@pytest.mark.parametrize("device", [IN_USE, SPARE, THIRD, MULTI, "shoe", "pedal"])
@pytest.mark.parametrize("name", MOMENTS)
def test_17_1_2_a_fault_asks_again_or_wipes_nothing(name: str, device: str) -> None:
    moment = MOMENTS[name]
    for code in CODES:
        table = jammed(MANY if device in {THIRD, MULTI} else ROLES)
        if TRANSFERRED in moment.said:
            table.reports(SPARE, "ready", INSIDE)
        table.must(*moment.said)
        before = table.open
        tells(table, device, code)
        if not asks_again(device, code, moment):
            assert table.open == before, code
            continue
        assert len(view(table.state)["procedure"]["questions"]) == 4, code
        assert table.open.device == moment.cards_in or device == SPARE
        assert table.open.left == before.left


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("damaged", ["", "KH"])
def test_17_2_17_3_after_the_procedure_the_old_device_asks_nothing_more(
    code: str, damaged: str
) -> None:
    table = jammed(ROLES)
    table.reports(SPARE, "ready", INSIDE)
    table.must(*answers(damaged), *([REMOVED] if damaged else []), TRANSFERRED)
    table.must(*([REPLACED] if damaged else []))
    table.deal("9S 9H")
    tells(table, IN_USE, code)
    assert table.procedure is None
    table.must(Stand(), Stand())
    table.deal("TD")
    tells(table, IN_USE, LOST)
    assert table.state.source == SPARE
    assert is_complete(view(table.state)), "no procedure, and no alarm of its count"


@pytest.mark.parametrize("code", sorted(BY_HAND - {LOST}))
def test_17_2_the_device_that_was_opened_and_tells_its_old_fault_again_asks_nothing(
    code: str,
) -> None:
    table = jammed(ROLES)
    table.must(*answers())
    before = table.open
    tells(table, IN_USE, code)
    table.reports(IN_USE, "jam")
    assert table.open == before


def test_17_1_2_a_fault_that_was_over_and_comes_again_is_a_new_one() -> None:
    table = jammed(ROLES)
    table.must(*answers())
    table.reports(IN_USE, "ready", INSIDE)
    table.reports(IN_USE, "jam")
    assert table.open.state is ProcedureState.ASKED


def test_17_2_the_device_is_carried_away_for_good_and_the_round_goes_on() -> None:
    table = jammed(ROLES)
    table.must(*answers())
    tells(table, IN_USE, LOST)
    table.reports(SPARE, "ready", INSIDE)
    table.must(TRANSFERRED)
    table.deal("9S 9H")
    table.must(Stand(), Stand())
    table.deal("TD")
    assert is_complete(view(table.state))


# --- the device that takes the cards --------------------------------------------------------------


def test_17_1_4_the_device_that_failed_is_never_its_own_spare() -> None:
    for said in [moment.said for moment in MOMENTS.values()]:
        table = jammed(ROLES)
        table.reports(SPARE, "ready", INSIDE)
        table.must(*said)
        words = [step["words"] for step in view(table.state)["procedure"]["steps"]]
        assert not [one for one in words if f"to {IN_USE}" in one], said
        assert view(table.state)["procedure"]["spare"] == SPARE


def test_17_1_4_of_several_the_one_that_is_ready_takes_the_cards() -> None:
    table = jammed()
    table.reports(SPARE, "unreadable-card")
    table.must(*answers())
    assert view(table.state)["procedure"]["spare"] == THIRD
    table.reports(THIRD, "loading")
    table.reports(SPARE, "ready", 0)
    assert view(table.state)["procedure"]["spare"] == THIRD, "the one that was named"
    table.reports(THIRD, "ready", INSIDE)
    table.must(TRANSFERRED)
    assert table.state.source == THIRD


def test_17_1_4_the_answer_said_again_names_the_one_that_is_ready_now() -> None:
    table = jammed()
    table.must(*answers())
    table.reports(SPARE, "loading")
    table.must(AnswerSpare(yes=True))
    assert table.open.takes == THIRD


def test_17_1_4_the_device_that_failed_first_is_a_spare_once_it_is_ready_again() -> None:
    table = jammed(ROLES)
    table.reports(SPARE, "ready", INSIDE)
    table.must(*REPLACE, REMOVED, TRANSFERRED)
    table.reports(SPARE, "damaged-card", INSIDE)
    assert table.open.device == SPARE
    refused = table.ask(AnswerSpare(yes=True))
    assert refused is not None
    assert (refused.rule, IN_USE in refused.why) == ("17.1.4", True)
    tells(table, IN_USE, "service")
    assert table.open.spare is None, "it was mended: nothing is asked again"
    table.must(*answers(spare=False)[:2])
    tells(table, IN_USE, "offline")
    assert table.open.disadvantage == "none", "what holds no cards any more asks nothing"
    table.reports(IN_USE, "ready", INSIDE)
    table.must(AnswerSpare(yes=True), *answers()[3:], TRANSFERRED)
    assert (table.procedure, table.state.source) == (None, IN_USE)


def test_17_1_4_named_as_the_spare_it_asks_again_as_any_spare() -> None:
    table = jammed(ROLES)
    table.reports(SPARE, "ready", INSIDE)
    table.must(*REPLACE, REMOVED, TRANSFERRED)
    table.reports(SPARE, "damaged-card", INSIDE)
    table.reports(IN_USE, "ready", 0)
    table.must(*answers())
    table.reports(IN_USE, "jam")
    assert table.open.state is ProcedureState.ASKED


def test_17_1_4_two_faults_at_once_leave_no_spare() -> None:
    for first, second in ((IN_USE, SPARE), (SPARE, IN_USE)):
        table = Shufflers(roles=ROLES)
        table.must(*TWO)
        table.deal("TS 8H 9D")
        table.reports(first, "jam")
        table.reports(second, "jam")
        assert table.open.device == IN_USE
        refused = table.ask(AnswerSpare(yes=True))
        assert refused is not None
        assert refused.rule == "17.1.4"
        table.must(*answers(spare=False))
        assert table.open.state is ProcedureState.SHOE


def test_a_device_that_works_again_deals_on_and_may_fail_again() -> None:
    table = jammed(ROLES)
    table.must(*answers())
    table.reports(IN_USE, "ready", INSIDE)
    table.must(WorksAgain())
    assert (table.procedure, table.state.source) == (None, IN_USE)
    table.reports(IN_USE, "jam")
    assert (table.open.device, table.open.state) == (IN_USE, ProcedureState.ASKED)
    assert view(table.state)["procedure"]["spare"] == SPARE


def test_3_1_an_old_device_that_is_well_again_is_counted_as_any_other() -> None:
    table = jammed(ROLES)
    table.reports(SPARE, "ready", INSIDE)
    table.must(*answers(), TRANSFERRED)
    table.reports(IN_USE, "ready", 10)
    assert len(table.state.alarms) == 1
    tells(table, IN_USE, LOST)
    assert len(table.state.alarms) == 2, "that they are there, and that they went away"


def test_17_2_the_cards_are_out_of_the_device_that_they_were_taken_from() -> None:
    table = jammed(ROLES)
    table.reports(IN_USE, "unreadable-card", INSIDE)
    table.reports(SPARE, "ready", INSIDE)
    table.must(*answers(), TRANSFERRED)
    assert table.state.devices[IN_USE].cards_inside == 0
    assert table.state.devices[SPARE].cards_inside == INSIDE
    assert not table.state.alarms
    tells(table, IN_USE, LOST)
    assert not table.state.alarms


def test_a_fault_of_the_spare_is_told_beside_that_of_the_device() -> None:
    table = jammed(ROLES)
    table.must(*answers())
    table.reports(SPARE, "jam")
    told = "shuffler-1: a card is jammed; shuffler-2: a card is jammed. Are cards"
    assert next_words(table.state).startswith(told)


# --- nothing else moves the cards -----------------------------------------------------------------


@pytest.mark.parametrize("device", [IN_USE, SPARE, "shoe"])
@pytest.mark.parametrize("name", MOMENTS)
def test_17_1_no_device_is_taken_into_use_while_the_procedure_is_open(
    name: str, device: str
) -> None:
    table = jammed(ROLES)
    table.reports(SPARE, "ready", INSIDE)
    table.must(*MOMENTS[name].said)
    before = table.state
    refused = table.ask(Use(device), by="dealer")
    assert refused is not None
    assert refused.rule == "17.1"
    assert table.state == before


@pytest.mark.parametrize("name", MOMENTS)
def test_17_1_a_shoe_that_was_changed_all_the_same_is_flagged_and_the_steps_stay_due(
    name: str,
) -> None:
    table = jammed(ROLES)
    table.reports(SPARE, "ready", INSIDE)
    table.must(*MOMENTS[name].said)
    before = table.open
    told = table.take(Asked(ask=NewShoe(), by="dealer")).outcomes
    assert "17.1" in [one.rule for one in told if isinstance(one, Flagged)]
    assert table.open == before
    assert table.state.ledger.burn_is_due


@pytest.mark.parametrize("ask", [Shuffled(), Cut(), Load(), NewCards(), DeclareFault()])
@pytest.mark.parametrize("name", MOMENTS)
def test_17_1_nothing_else_is_done_with_the_cards_while_the_procedure_is_open(
    name: str, ask: Ask
) -> None:
    table = jammed(ROLES)
    table.reports(SPARE, "ready", INSIDE)
    table.must(*MOMENTS[name].said)
    before = table.state
    refused = table.ask(ask)
    assert refused is not None
    assert refused.rule == "17.1"
    assert table.state == before


# --- a power cut ----------------------------------------------------------------------------------


def online(table: Shufflers, jam: Callable[[str], str], *devices: str) -> None:
    """Let devices come back after a cut, the shuffling ones with what they tell."""
    for name in devices:
        table.take(DeviceOnline(device=name, port="test"))
        if ROLES[name] == "shuffler":
            table.reports(name, jam(name), INSIDE)


@pytest.mark.parametrize("name", MOMENTS)
def test_after_a_power_cut_the_procedure_stands_whatever_comes_back(name: str) -> None:
    for there in (tuple(ROLES), tuple(one for one in ROLES if one != IN_USE)):
        table = jammed(ROLES)
        table.reports(SPARE, "ready", INSIDE)
        table.must(*MOMENTS[name].said)
        before = table.open
        table.start()
        online(table, lambda one: "jam" if one == IN_USE else "ready", *there)
        assert table.open == before
