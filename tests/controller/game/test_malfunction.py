"""Rule 17's rows: each says yes and no, every state is reached, a refusal changes nothing."""

from collections import deque
from itertools import permutations
from typing import Final, NamedTuple

import msgspec
import pytest

from controller.cards import Card
from controller.errors import NotAllowed
from controller.game.malfunction import (
    MACHINE,
    ROWS,
    STEPS,
    AnswerDamaged,
    AnswerDisadvantage,
    AnswerPracticable,
    AnswerSpare,
    Confirm,
    FaultAgain,
    Malfunction,
    ProcedureMove,
    ProcedureState,
    Stay,
    Step,
    TakeRefund,
    WorksAgain,
    holder,
    may_confirm,
    questions_open,
    steps_of,
)
from controller.game.moves import Advance
from tests.controller.game.rounds import cards

Move = ProcedureMove | FaultAgain | Advance

NOW = Advance()
NONE = AnswerDamaged()
KING = AnswerDamaged(cards("KH"))
NOBODY = AnswerDisadvantage("none")
HOUSE = AnswerDisadvantage("house")
PLAYER = AnswerDisadvantage("player")
SPARE, NO_SPARE = AnswerSpare(yes=True), AnswerSpare(yes=False)
EASY, IMPRACTICABLE = AnswerPracticable(yes=True), AnswerPracticable(yes=False)
TRANSFERRED = Confirm("transferred")
REPLACED = Confirm("replaced", cards("KH"))
ANN_STAYS, BOB_STAYS = Stay(1, "ann"), Stay(2, "bob")
ANN_LEAVES, BOB_LEAVES = TakeRefund(1, "ann"), TakeRefund(2, "bob")
AGAIN = FaultAgain("shuffler-2", "jam", "a card is jammed")

MOVES: Final[tuple[ProcedureMove | FaultAgain, ...]] = (
    NONE, KING, NOBODY, HOUSE, PLAYER, SPARE, NO_SPARE, EASY, IMPRACTICABLE,
    Confirm("damaged-removed"), TRANSFERRED, REPLACED, Confirm("replaced", cards("QH")),
    Confirm("shuffled-and-cut"), Confirm("shoe-loaded"),
    ANN_STAYS, BOB_STAYS, ANN_LEAVES, BOB_LEAVES, Stay(9, "eve"), AGAIN, WorksAgain(),
)  # fmt: skip
"""One of everything that can be put to a procedure, and some of it wrong."""

ASKED = Malfunction(
    device="shuffler-1",
    code="jam",
    text="a card is jammed",
    electors=((1, "ann"), (2, "bob")),
)


def after(*moves: Move, since: Malfunction = ASKED) -> Malfunction:
    """Return the procedure after the moves."""
    for move in moves:
        since = MACHINE.apply(since, move)
    return since


TRANSFER = msgspec.structs.replace(after(NONE, NOBODY, SPARE, EASY), takes="shuffler-2")
REPLACE = msgspec.structs.replace(after(KING, NOBODY, SPARE, EASY), takes="shuffler-2")
SHOE = after(NONE, NOBODY, NO_SPARE)
SHOE_DAMAGED = after(KING, NOBODY, NO_SPARE)
SHOE_UNASKED = after(NOBODY, NO_SPARE)
LOADED = after(Confirm("shuffled-and-cut"), Confirm("shoe-loaded"), since=SHOE)


class Case(NamedTuple):
    """One guarded row asked twice: it says no by the clause, and then yes."""

    rule: str
    state: ProcedureState
    no: Malfunction
    to: Move
    cites: str
    yes: Malfunction
    also: Move


def case(
    rule: str, no: Malfunction, to: Move, cites: str, yes: Malfunction, also: Move | None = None
) -> Case:
    """Return a row with what it is asked; the same move both times unless another is given."""
    return Case(rule, yes.state, no, to, cites, yes, also or to)


def raw(base: Malfunction, **changed: object) -> Malfunction:
    """Return a record of a moment that passes by itself: all decided, not advanced yet."""
    return msgspec.structs.replace(base, **changed)


REMOVED = after(Confirm("damaged-removed"), since=REPLACE)
SHUFFLED = after(Confirm("shuffled-and-cut"), since=SHOE)
HALF_ASKED = after(NONE, NOBODY)
TO_TRANSFER = raw(TRANSFER, state=ProcedureState.ASKED)
TO_REPLACE = raw(REPLACE, state=ProcedureState.ASKED)
TO_SHOE = raw(SHOE, state=ProcedureState.ASKED)
TO_END = raw(ASKED, disadvantage="house")
ALL_GONE = raw(SHOE, left=((1, "ann"), (2, "bob")))
ALL_CHOSE = raw(LOADED, stay=((1, "ann"),), left=((2, "bob"),))

CASES: Final = (
    case("17.5.2", SHUFFLED, KING, "17.1", SHOE_UNASKED),
    case("17.3", REMOVED, NONE, "17.1", TRANSFER),
    case("17.1.3", REMOVED, HOUSE, "17.1", HALF_ASKED),
    case("17.1.4", REMOVED, NO_SPARE, "17.1", HALF_ASKED),
    case("17.1.5", REMOVED, IMPRACTICABLE, "17.1", HALF_ASKED),
    case("17.4", HALF_ASKED, NOW, "17.4", TO_END),
    case("17.2", HALF_ASKED, NOW, "17.4", TO_TRANSFER),
    case("17.3", after(KING, NOBODY), NOW, "17.4", TO_REPLACE),
    case("17.5", HALF_ASKED, NOW, "17.4", TO_SHOE),
    case("17.2", TRANSFER, REPLACED, "17.3.3", TRANSFER, TRANSFERRED),
    case("17.3", REPLACE, REPLACED, "17.3.3", REPLACE, Confirm("damaged-removed")),
    case("17.5", SHOE_UNASKED, REPLACED, "17.5.2", SHOE_DAMAGED),
    case("17.2", TRANSFER, NOW, "17.3", raw(TRANSFER, done=("transferred",))),
    case(
        "17.3.4",
        after(TRANSFERRED, since=REMOVED),
        NOW,
        "17.3",
        raw(REPLACE, done=("damaged-removed", "transferred", "replaced")),
    ),
    case("17.5.4", SHOE, Stay(9, "eve"), "17.5.1", SHOE, ANN_STAYS),
    case("17.5.1", after(ANN_LEAVES, since=SHOE), ANN_LEAVES, "17.5.1", SHOE),
    case("17.5.1", after(ANN_LEAVES, since=SHOE), NOW, "17.5.1", ALL_GONE),
    case("17.5.4", after(ANN_STAYS, since=LOADED), NOW, "17.5.1", ALL_CHOSE),
    case("17.1.2", REMOVED, WorksAgain(), "17.1", TRANSFER),
)


def name_of(one: Case) -> str:
    return f"{one.rule}-{type(one.also).__name__}-at-{one.state.value}"


@pytest.mark.parametrize("one", CASES, ids=name_of)
def test_a_row_says_no_with_a_clause_and_changes_nothing(one: Case) -> None:
    before = msgspec.json.encode(one.no)
    with pytest.raises(NotAllowed) as refusal:
        MACHINE.apply(one.no, one.to)
    assert refusal.value.rule == one.cites
    assert refusal.value.why
    assert msgspec.json.encode(one.no) == before


@pytest.mark.parametrize("one", CASES, ids=name_of)
def test_a_row_says_yes_and_is_cited(one: Case) -> None:
    assert MACHINE.allows(one.yes, one.also)
    assert MACHINE.cited(one.yes, one.also)[1] == one.rule


def test_no_guarded_row_is_left_out() -> None:
    """An answer's row is the same at every state it may be given in; one of them is enough."""
    guarded = {(row.rule, row.on, row.to) for row in ROWS if row.when}
    tried = {
        (row.rule, row.on, row.to)
        for row in ROWS
        for one in CASES
        if row.rule == one.rule and row.on is type(one.also) and one.state in row.states
    }
    assert tried == guarded


def everywhere() -> dict[bytes, Malfunction]:
    """Return every procedure that any moves from the first questions lead to."""
    found: dict[bytes, Malfunction] = {}
    waiting = deque([ASKED])
    while waiting:
        procedure = waiting.popleft()
        for move in MOVES:
            try:
                then = MACHINE.apply(procedure, move)
            except NotAllowed:
                continue
            key = msgspec.json.encode(_without_order(then))
            if key not in found:
                found[key] = then
                waiting.append(then)
    return found


def _without_order(procedure: Malfunction) -> Malfunction:
    return msgspec.structs.replace(
        procedure,
        done=tuple(sorted(procedure.done)),
        stay=tuple(sorted(procedure.stay)),
        left=tuple(sorted(procedure.left)),
    )


@pytest.fixture(scope="module")
def reached() -> list[Malfunction]:
    """Every procedure there is."""
    return list(everywhere().values())


def test_every_state_is_reached(reached: list[Malfunction]) -> None:
    assert {one.state for one in reached} == set(ProcedureState)


def test_no_open_procedure_is_a_dead_end(reached: list[Malfunction]) -> None:
    """From wherever a procedure is, answers and steps still lead to its end."""
    words = [move for move in MOVES if not isinstance(move, FaultAgain)]
    asked = [one for one in reached if one.state is ProcedureState.ASKED]
    assert [one for one in asked if not any(MACHINE.allows(one, word) for word in words)] == []


def test_an_open_question_can_be_answered(reached: list[Malfunction]) -> None:
    answers = {
        "damaged-cards": NONE,
        "disadvantage": NOBODY,
        "spare-available": SPARE,
        "transfer-practicable": EASY,
    }
    refused = [
        (one, question)
        for one in reached
        for question in questions_open(one)
        if not MACHINE.allows(one, answers[question])
    ]
    assert refused == []


def test_the_branch_is_the_one_that_the_answers_decide(reached: list[Malfunction]) -> None:
    for one in reached:
        nobody = one.disadvantage == "none"
        can = one.spare is True and one.practicable is True
        match one.state:
            case ProcedureState.TRANSFER:
                assert (nobody, can, one.damaged) == (True, True, ())
            case ProcedureState.REPLACE:
                assert (nobody, can) == (True, True)
                assert one.damaged
            case ProcedureState.SHOE:
                assert nobody
                assert not can
            case ProcedureState.ENDED:
                assert one.disadvantage in {"house", "player"} or len(one.left) == 2


def test_a_procedure_that_is_over_takes_nothing_more(reached: list[Malfunction]) -> None:
    over = [one for one in reached if one.state in {ProcedureState.RESUMED, ProcedureState.ENDED}]
    assert over
    assert not [(one, move) for one in over for move in MOVES if MACHINE.allows(one, move)]


# --- single rules ---------------------------------------------------------------------------------


@pytest.mark.parametrize("who", [HOUSE, PLAYER])
def test_17_4_a_disadvantage_decides_alone(who: AnswerDisadvantage) -> None:
    assert after(who).state is ProcedureState.ENDED


@pytest.mark.parametrize("cannot", [NO_SPARE, IMPRACTICABLE])
def test_17_5_either_no_is_enough(cannot: Move) -> None:
    assert after(cannot, NOBODY).state is ProcedureState.SHOE


def test_17_4_a_disadvantage_counts_before_a_missing_spare() -> None:
    assert after(NO_SPARE, HOUSE).state is ProcedureState.ENDED


def test_the_order_of_the_answers_does_not_matter() -> None:
    assert after(EASY, KING, SPARE, NOBODY) == after(KING, NOBODY, SPARE, EASY)


def test_steps_are_those_of_the_branch_in_the_order_of_the_rule() -> None:
    assert steps_of(ASKED) == ()
    assert steps_of(TRANSFER) == ("transferred",)
    assert steps_of(REPLACE) == ("damaged-removed", "transferred", "replaced")
    assert steps_of(SHOE) == ("shuffled-and-cut", "shoe-loaded")
    assert steps_of(SHOE_DAMAGED) == ("replaced", "shuffled-and-cut", "shoe-loaded")


@pytest.mark.parametrize(
    ("answers", "step", "rule"),
    [
        ((NONE, NOBODY, SPARE, EASY), "transferred", "17.2"),
        ((KING, NOBODY, SPARE, EASY), "transferred", "17.3.2"),
        ((NONE, NOBODY, NO_SPARE, EASY), "shuffled-and-cut", "17.5.3"),
    ],
)
def test_a_step_is_named_by_the_clause_that_asks_for_it(
    answers: tuple[Move, ...], step: Step, rule: str
) -> None:
    procedure = msgspec.structs.replace(after(*answers), done=(step,))
    refusal = may_confirm(procedure, Confirm(step))
    assert refusal is not None
    assert refusal.rule == rule


IN_ORDER: Final = (
    (REPLACE, {"damaged-removed": "17.3.1", "transferred": "17.3.2", "replaced": "17.3.3"}),
    (SHOE_DAMAGED, {"replaced": "17.5.2", "shuffled-and-cut": "17.5.3", "shoe-loaded": "17.5.4"}),
    (SHOE, {"shuffled-and-cut": "17.5.3", "shoe-loaded": "17.5.4"}),
)
"""The branches of more than one step, with the clause of each step, in the order of the rule."""


def named_step(word: str) -> Confirm:
    """Return a step as it is confirmed."""
    step = next(step for step in STEPS if step == word)
    return Confirm(step, cards("KH") if word == "replaced" else ())


@pytest.mark.parametrize(("branch", "clauses"), IN_ORDER)
def test_17_3_17_5_any_other_order_of_the_steps_is_refused_by_the_steps_own_clause(
    branch: Malfunction, clauses: dict[str, str]
) -> None:
    for order in permutations(clauses):
        procedure, due = branch, list(clauses)
        for word in order:
            if word == due[0]:
                procedure = MACHINE.apply(procedure, named_step(word))
                due.pop(0)
                continue
            with pytest.raises(NotAllowed, match=f"{due[0]} comes first") as refusal:
                MACHINE.apply(procedure, named_step(word))
            assert refusal.value.rule == clauses[word]
        assert procedure.done == tuple(clauses)[: len(clauses) - len(due)]


@pytest.mark.parametrize(("branch", "clauses"), IN_ORDER)
def test_17_3_17_5_a_step_is_taken_once(branch: Malfunction, clauses: dict[str, str]) -> None:
    for word, rule in list(clauses.items())[:-1]:
        branch = MACHINE.apply(branch, named_step(word))
        with pytest.raises(NotAllowed, match="confirmed already") as refusal:
            MACHINE.apply(branch, named_step(word))
        assert refusal.value.rule == rule


def test_17_5_3_no_shuffle_before_it_is_said_which_cards_are_damaged() -> None:
    for word, rule in IN_ORDER[1][1].items():
        with pytest.raises(NotAllowed, match="say first which cards are damaged") as refusal:
            MACHINE.apply(SHOE_UNASKED, named_step(word))
        assert refusal.value.rule == rule


@pytest.mark.parametrize("branch", [TRANSFER, REPLACE, SHOE, SHOE_DAMAGED])
def test_a_step_that_the_branch_does_not_ask_for_changes_nothing(branch: Malfunction) -> None:
    others = [step for step in STEPS if step not in {*steps_of(branch), "replaced"}]
    assert others
    for step in others:
        assert after(Confirm(step), Confirm(step), since=branch) == branch


@pytest.mark.parametrize("choice", [ANN_STAYS, ANN_LEAVES])
def test_17_5_1_a_choice_is_no_step_so_the_answers_may_still_be_changed(choice: Move) -> None:
    chosen = after(choice, since=SHOE)
    assert after(SPARE, EASY, since=chosen).state is ProcedureState.TRANSFER
    assert after(KING, since=chosen).damaged == ("KH",)
    assert after(HOUSE, since=chosen).state is ProcedureState.ENDED


@pytest.mark.parametrize("choice", [ANN_STAYS, ANN_LEAVES])
def test_17_5_1_a_choice_may_come_before_between_and_after_the_steps(choice: Move) -> None:
    steps = [named_step(word) for word in IN_ORDER[1][1]]
    for place in range(len(steps) + 1):
        said = [*steps[:place], choice, *steps[place:], BOB_STAYS]
        assert after(*said, since=SHOE_DAMAGED).state is ProcedureState.RESUMED


def test_17_5_2_damage_is_still_asked_when_the_shoe_is_decided() -> None:
    assert questions_open(ASKED) == (
        "damaged-cards", "disadvantage", "spare-available", "transfer-practicable",
    )  # fmt: skip
    assert questions_open(SHOE_UNASKED) == ("damaged-cards",)
    assert questions_open(after(KING, since=SHOE_UNASKED)) == ()


@pytest.mark.parametrize("named", ["", "QH", "KH KH", "KH QH"])
def test_17_3_3_replacement_cards_are_the_damaged_ones(named: str) -> None:
    moved = after(Confirm("damaged-removed"), TRANSFERRED, since=REPLACE)
    with pytest.raises(NotAllowed, match="KH") as refusal:
        MACHINE.apply(moved, Confirm("replaced", cards(named)))
    assert refusal.value.rule == "17.3.3"
    assert MACHINE.apply(moved, REPLACED).state is ProcedureState.RESUMED


@pytest.mark.parametrize("named", ["", "QH", "KH KH", "KH QH"])
def test_17_5_2_before_the_shuffle_too(named: str) -> None:
    with pytest.raises(NotAllowed, match="KH") as refusal:
        MACHINE.apply(SHOE_DAMAGED, Confirm("replaced", cards(named)))
    assert refusal.value.rule == "17.5.2"
    assert MACHINE.allows(SHOE_DAMAGED, REPLACED)


@pytest.mark.parametrize("step", [TRANSFERRED, ANN_STAYS, ANN_LEAVES])
def test_17_1_no_step_before_a_branch_is_decided(step: Move) -> None:
    with pytest.raises(NotAllowed) as refusal:
        MACHINE.apply(HALF_ASKED, step)
    assert refusal.value.rule in {"17.1", "17.5.1"}


def test_17_5_1_who_said_to_stay_may_leave_but_who_left_may_not_come_back() -> None:
    left = after(ANN_STAYS, ANN_LEAVES, since=SHOE)
    assert (left.stay, left.left) == ((), ((1, "ann"),))
    with pytest.raises(NotAllowed, match="has the wagers on box 1 back"):
        MACHINE.apply(left, ANN_STAYS)


def test_to_stay_twice_is_to_stay_once() -> None:
    assert after(ANN_STAYS, ANN_STAYS, since=SHOE).stay == ((1, "ann"),)


OTHER: Final = FaultAgain("shuffler-1", "damaged-card", "a card is damaged")


def test_a_second_fault_asks_everything_and_forgets_who_would_stay_but_not_who_left() -> None:
    again = after(ANN_STAYS, BOB_LEAVES, OTHER, since=SHOE)
    assert again.state is ProcedureState.ASKED
    assert len(questions_open(again)) == 4
    assert (again.done, again.stay, again.left) == ((), (), ((2, "bob"),))
    assert (again.device, again.code, again.text) == ("shuffler-1", OTHER.code, OTHER.text)


def test_17_2_a_fault_of_the_spare_leaves_the_procedure_with_the_device_that_failed() -> None:
    again = after(AGAIN, since=TRANSFER)
    assert len(questions_open(again)) == 4
    assert (again.device, again.code, again.text) == ("shuffler-1", ASKED.code, ASKED.text)
    assert (again.again, again.takes, again.emptied) == ("shuffler-2: a card is jammed", "", ())


def test_17_3_2_after_the_transfer_the_fault_of_the_spare_is_of_the_device_with_the_cards() -> None:
    again = after(TRANSFERRED, AGAIN, since=REMOVED)
    assert len(questions_open(again)) == 4
    assert (again.device, again.emptied, again.again) == ("shuffler-2", ("shuffler-1",), "")


def test_17_5_3_the_cards_are_in_a_device_until_they_are_shuffled() -> None:
    assert [holder(one) for one in (ASKED, TRANSFER, REMOVED, SHOE)] == ["shuffler-1"] * 4
    assert holder(after(TRANSFERRED, since=REMOVED)) == "shuffler-2"
    assert [holder(one) for one in (SHUFFLED, LOADED)] == ["", ""]


def test_a_second_fault_after_a_refund_can_be_answered() -> None:
    again = after(BOB_LEAVES, OTHER, since=SHOE)
    assert after(NONE, NOBODY, SPARE, EASY, since=again).state is ProcedureState.TRANSFER


def test_a_card_is_a_card_whatever_its_place_in_the_answer() -> None:
    both = after(AnswerDamaged(cards("KH 7C KH")), NOBODY, NO_SPARE)
    assert MACHINE.allows(both, Confirm("replaced", cards("7C KH KH")))
    assert not MACHINE.allows(both, Confirm("replaced", (Card("7C"), Card("KH"))))
