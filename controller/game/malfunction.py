"""Rule 17: a shuffling device malfunctions in a round.  The procedure as a table of its own.

Four questions decide a branch (17.2, 17.3, 17.4, 17.5); the branch has steps; after the last one
the round is given back where it was, or it has ended.  The record is plain data and pure: what
the answers do to the round is done by whoever holds both.
"""

import enum
from collections import Counter
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from controller.cards import Card, Face
from controller.game.machine import Choice, RuleMachine
from controller.game.moves import Advance
from controller.game.row import Refusal, Row

Question = Literal["damaged-cards", "disadvantage", "spare-available", "transfer-practicable"]
QUESTIONS: Final[tuple[Question, ...]] = (
    "damaged-cards",
    "disadvantage",
    "spare-available",
    "transfer-practicable",
)
DISADVANTAGED: Final = ("none", "house", "player")

Step = Literal["damaged-removed", "transferred", "replaced", "shuffled-and-cut", "shoe-loaded"]
STEPS: Final[tuple[Step, ...]] = (
    "damaged-removed",
    "transferred",
    "replaced",
    "shuffled-and-cut",
    "shoe-loaded",
)


class ProcedureState(enum.Enum):
    """Where the procedure is."""

    ASKED = "questions"
    """The four questions are put; a branch is not decided yet."""
    TRANSFER = "17.2"
    """Nothing is damaged: the cards go to another device and the game continues."""
    REPLACE = "17.3"
    """Damaged cards are removed and replaced, the others transferred; the game continues."""
    SHOE = "17.5"
    """No device takes the cards: players may leave, the others finish from a dealing shoe."""
    RESUMED = "resumed"
    """The round goes on where it was."""
    ENDED = "ended"
    """The round is over: 17.4, or nobody stayed (17.5.1)."""


class Malfunction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One malfunction and how far its procedure is."""

    device: str
    """The device that failed with the cards of the game inside."""
    code: str
    text: str
    again: str = ""
    """Which other device failed since, and how, so that everything is asked again."""
    emptied: tuple[str, ...] = ()
    """Devices that failed before it in this procedure, and hold no cards any more."""
    state: ProcedureState = ProcedureState.ASKED
    damaged: tuple[Card, ...] | None = None
    """The damaged cards; empty for none, None while the question is open."""
    disadvantage: str | None = None
    spare: bool | None = None
    takes: str = ""
    """The other device that is to take the cards, once it was found available (17.1.4)."""
    practicable: bool | None = None
    done: tuple[Step, ...] = ()
    acted: bool = False
    """A step of the branch was taken, so that its answers stand; a choice is no step."""
    electors: tuple[tuple[int, str], ...] = ()
    """Box and player of everybody who may have wagers back (17.5.1); who has left is among them."""
    stay: tuple[tuple[int, str], ...] = ()
    left: tuple[tuple[int, str], ...] = ()


# --- what can be put to it ------------------------------------------------------------------------


class AnswerDamaged(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag_field="do",
    tag="answer-damaged-cards",
):
    """Which cards in the device are damaged (17.2, 17.3)."""

    cards: tuple[Face, ...] = ()


class AnswerDisadvantage(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag_field="do",
    tag="answer-disadvantage",
):
    """Whom the malfunction has put at a disadvantage: none, house or player (17.1.3, 17.4)."""

    who: Literal["none", "house", "player"]


class AnswerSpare(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag_field="do",
    tag="answer-spare-available",
):
    """Whether another shuffling device is readily available (17.1.4)."""

    yes: bool


class AnswerPracticable(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag_field="do",
    tag="answer-transfer-practicable",
):
    """Whether the cards can practicably be transferred (17.1.5)."""

    yes: bool


class Confirm(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="confirm-step"
):
    """A step was done; ``cards`` are the replacement cards."""

    step: Step
    cards: tuple[Face, ...] = ()


class Stay(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="stay"):
    """A player stays in the round at a box (17.5.4)."""

    box: int
    player: str


class TakeRefund(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="refund"
):
    """A player has the wagers on a box returned (17.5.1)."""

    box: int
    player: str


class FaultAgain(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="fault-again"
):
    """Another fault, of the device with the cards or of the spare: everything is asked again."""

    device: str
    code: str
    text: str


class WorksAgain(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="works-again"
):
    """The device works as intended after all: nothing was transferred, the game goes on."""


Answer = AnswerDamaged | AnswerDisadvantage | AnswerSpare | AnswerPracticable
ProcedureMove = Answer | Confirm | Stay | TakeRefund | WorksAgain


# --- guards and effects ---------------------------------------------------------------------------


def no_step_taken(procedure: Malfunction, _move: Answer) -> Refusal | None:
    """An answer may be changed until the branch's first step is confirmed."""
    if procedure.acted:
        return Refusal("17.1", "the first step was taken: its answers stand")
    return None


def keep_damaged(procedure: Malfunction, move: AnswerDamaged) -> Malfunction:
    """Note which cards are damaged."""
    return msgspec.structs.replace(procedure, damaged=move.cards)


def keep_disadvantage(procedure: Malfunction, move: AnswerDisadvantage) -> Malfunction:
    """Note who is disadvantaged."""
    return msgspec.structs.replace(procedure, disadvantage=move.who)


def keep_spare(procedure: Malfunction, move: AnswerSpare) -> Malfunction:
    """Note whether a spare is available; which it is, the table knows."""
    return msgspec.structs.replace(procedure, spare=move.yes, takes="")


def keep_practicable(procedure: Malfunction, move: AnswerPracticable) -> Malfunction:
    """Note whether a transfer is practicable."""
    return msgspec.structs.replace(procedure, practicable=move.yes)


def _not_yet(holds: bool, rule: str, why: str = "not decided") -> Refusal | None:  # noqa: FBT001
    return None if holds else Refusal(rule, why)


def somebody_is_disadvantaged(procedure: Malfunction, _move: Advance) -> Refusal | None:
    """17.4: the casino operator or a player is disadvantaged."""
    return _not_yet(procedure.disadvantage in {"house", "player"}, "17.4")


def can_transfer(procedure: Malfunction, _move: Advance) -> Refusal | None:
    """17.1, 17.2: nobody is disadvantaged, nothing damaged, a spare takes the cards."""
    return _not_yet(_takes_cards(procedure) and procedure.damaged == (), "17.2")


def can_replace(procedure: Malfunction, _move: Advance) -> Refusal | None:
    """17.1, 17.3: nobody is disadvantaged, cards are damaged, a spare takes the others."""
    return _not_yet(_takes_cards(procedure) and bool(procedure.damaged), "17.3")


def _takes_cards(procedure: Malfunction) -> bool:
    nobody = procedure.disadvantage == "none"
    return nobody and procedure.spare is True and procedure.practicable is True


def needs_shoe(procedure: Malfunction, _move: Advance) -> Refusal | None:
    """17.5: nobody is disadvantaged, and 17.1.4 or 17.1.5 cannot be satisfied."""
    cannot = procedure.spare is False or procedure.practicable is False
    return _not_yet(procedure.disadvantage == "none" and cannot, "17.5")


def may_confirm(procedure: Malfunction, move: Confirm) -> Refusal | None:
    """17.3, 17.5: each step once, in the order of the rule; others happen and change nothing."""
    rule = _rule_of(procedure, move.step)
    left = [step for step in steps_of(procedure) if step not in procedure.done]
    if move.step in procedure.done:
        return Refusal(rule, f"{move.step} was confirmed already")
    if procedure.damaged is None and move.step in {"replaced", *left}:
        return Refusal(rule, "say first which cards are damaged")
    if move.step in left[1:]:
        return Refusal(rule, f"{left[0]} comes first ({_rule_of(procedure, left[0])})")
    return same_cards(procedure, move) if move.step == "replaced" else None


def same_cards(procedure: Malfunction, move: Confirm) -> Refusal | None:
    """17.3.3, 17.5.2: the replacement cards are the damaged ones, from new decks."""
    if Counter(move.cards) == Counter(procedure.damaged or ()):
        return None
    wanted = " ".join(procedure.damaged or ()) or "none"
    rule = _rule_of(procedure, move.step)
    return Refusal(rule, f"the replacement cards must be the damaged ones: {wanted}")


def _rule_of(procedure: Malfunction, step: Step) -> str:
    from_shoe = procedure.state is ProcedureState.SHOE
    return {
        "damaged-removed": "17.3.1",
        "transferred": "17.3.2" if procedure.damaged else "17.2",
        "replaced": "17.5.2" if from_shoe else "17.3.3",
        "shuffled-and-cut": "17.5.3",
        "shoe-loaded": "17.5.4",
    }[step]


def confirm(procedure: Malfunction, move: Confirm) -> Malfunction:
    """Note that the step was done, if it is one of the branch."""
    if move.step not in steps_of(procedure):
        return procedure
    return msgspec.structs.replace(procedure, done=(*procedure.done, move.step), acted=True)


def steps_of(procedure: Malfunction) -> tuple[Step, ...]:
    """Return the steps that the branch asks for, in the order of the rule."""
    match procedure.state:
        case ProcedureState.TRANSFER:
            return ("transferred",)
        case ProcedureState.REPLACE:
            return ("damaged-removed", "transferred", "replaced")
        case ProcedureState.SHOE:
            replace: tuple[Step, ...] = ("replaced",) if procedure.damaged else ()
            return (*replace, "shuffled-and-cut", "shoe-loaded")
        case _:
            return ()


def questions_open(procedure: Malfunction) -> tuple[Question, ...]:
    """Return the questions that are still to be answered: four, or what the branch needs."""
    answered = {
        "damaged-cards": procedure.damaged is not None,
        "disadvantage": procedure.disadvantage is not None,
        "spare-available": procedure.spare is not None,
        "transfer-practicable": procedure.practicable is not None,
    }
    asked = QUESTIONS
    if procedure.state is ProcedureState.SHOE:
        asked = ("damaged-cards",)
    elif procedure.state is not ProcedureState.ASKED:
        asked = ()
    return tuple(question for question in asked if not answered[question])


def all_steps_done(procedure: Malfunction, _move: Advance) -> Refusal | None:
    """17.2, 17.3.4: the cards are where they belong."""
    return _not_yet(set(steps_of(procedure)) <= set(procedure.done), "17.3")


def may_elect(procedure: Malfunction, move: Stay | TakeRefund) -> Refusal | None:
    """17.5.1: each player once, and who has the wagers back is out of the round."""
    who = (move.box, move.player)
    if who in procedure.left:
        return Refusal("17.5.1", f"{move.player} has the wagers on box {move.box} back")
    if who not in procedure.electors:
        return Refusal("17.5.1", f"{move.player} has no wager on box {move.box} to have back")
    return None


def stay(procedure: Malfunction, move: Stay) -> Malfunction:
    """The player plays on."""
    who = (move.box, move.player)
    if who in procedure.stay:
        return procedure
    return msgspec.structs.replace(procedure, stay=(*procedure.stay, who))


def take_refund(procedure: Malfunction, move: TakeRefund) -> Malfunction:
    """The player is out."""
    who = (move.box, move.player)
    return msgspec.structs.replace(
        procedure,
        stay=tuple(one for one in procedure.stay if one != who),
        left=(*procedure.left, who),
    )


def nobody_stays(procedure: Malfunction, _move: Advance) -> Refusal | None:
    """17.5.1: everybody has had the wagers returned."""
    gone = bool(procedure.electors) and set(procedure.left) == set(procedure.electors)
    return _not_yet(gone, "17.5.1")


def shoe_is_ready(procedure: Malfunction, _move: Advance) -> Refusal | None:
    """17.5.4: everybody has chosen, damage is dealt with, and the cards are in the shoe."""
    chosen = {*procedure.stay, *procedure.left} >= set(procedure.electors)
    steps = procedure.damaged is not None and set(steps_of(procedure)) <= set(procedure.done)
    return _not_yet(chosen and steps, "17.5.4")


def holder(procedure: Malfunction) -> str:
    """Return the shuffling device with the cards of the game inside; empty if none has them."""
    if procedure.state is ProcedureState.SHOE and "shuffled-and-cut" in procedure.done:
        return ""
    return procedure.takes if "transferred" in procedure.done else procedure.device


def ask_again(procedure: Malfunction, move: FaultAgain) -> Malfunction:
    """All four questions again; who has left stays away, and what was damaged may be more."""
    fresh = Malfunction(
        device=procedure.device,
        code=procedure.code,
        text=procedure.text,
        emptied=procedure.emptied,
        electors=procedure.electors,
        left=procedure.left,
    )
    if move.device != holder(procedure):
        return msgspec.structs.replace(fresh, again=f"{move.device}: {move.text}")
    failed = msgspec.structs.replace(fresh, device=move.device, code=move.code, text=move.text)
    if move.device == procedure.device:
        return failed
    return msgspec.structs.replace(failed, emptied=(*procedure.emptied, procedure.device))


# --- the rows -------------------------------------------------------------------------------------

ASKED = (ProcedureState.ASKED,)
TRANSFER = (ProcedureState.TRANSFER,)
REPLACE = (ProcedureState.REPLACE,)
SHOE = (ProcedureState.SHOE,)
BRANCH = (*TRANSFER, *REPLACE, *SHOE)
OPEN = (*ASKED, *BRANCH)

to = ProcedureState

ROWS: Final[tuple[Row, ...]] = (
    #   by         at        on                  go to         if                          then
    Row("17.5.2",  SHOE,     AnswerDamaged,      None,         no_step_taken,              keep_damaged),
    Row("17.3",    OPEN,     AnswerDamaged,      to.ASKED,     no_step_taken,              keep_damaged),
    Row("17.1.3",  OPEN,     AnswerDisadvantage, to.ASKED,     no_step_taken,              keep_disadvantage),
    Row("17.1.4",  OPEN,     AnswerSpare,        to.ASKED,     no_step_taken,              keep_spare),
    Row("17.1.5",  OPEN,     AnswerPracticable,  to.ASKED,     no_step_taken,              keep_practicable),
    Row("17.4",    ASKED,    Advance,            to.ENDED,     somebody_is_disadvantaged),
    Row("17.2",    ASKED,    Advance,            to.TRANSFER,  can_transfer),
    Row("17.3",    ASKED,    Advance,            to.REPLACE,   can_replace),
    Row("17.5",    ASKED,    Advance,            to.SHOE,      needs_shoe),
    Row("17.2",    TRANSFER, Confirm,            None,         may_confirm,                confirm),
    Row("17.3",    REPLACE,  Confirm,            None,         may_confirm,                confirm),
    Row("17.5",    SHOE,     Confirm,            None,         may_confirm,                confirm),
    Row("17.2",    TRANSFER, Advance,            to.RESUMED,   all_steps_done),
    Row("17.3.4",  REPLACE,  Advance,            to.RESUMED,   all_steps_done),
    Row("17.5.4",  SHOE,     Stay,               None,         may_elect,                  stay),
    Row("17.5.1",  SHOE,     TakeRefund,         None,         may_elect,                  take_refund),
    Row("17.5.1",  SHOE,     Advance,            to.ENDED,     nobody_stays),
    Row("17.5.4",  SHOE,     Advance,            to.RESUMED,   shoe_is_ready),
    Row("17.1.2",  OPEN,     FaultAgain,         to.ASKED,     None,                       ask_again),
    Row("17.1.2",  OPEN,     WorksAgain,         to.RESUMED,   no_step_taken),
)  # fmt: skip

CHOICE: Final[Choice] = MappingProxyType({
    Confirm: ("17.1", "the answers do not decide a branch yet: no step is taken"),
    Stay: ("17.5.1", "nobody is asked to stay or leave: only when no device takes the cards"),
    TakeRefund: (
        "17.5.1",
        "nobody is asked to stay or leave: only when no device takes the cards",
    ),
})  # fmt: skip

MACHINE: Final[RuleMachine[Malfunction]] = RuleMachine(ROWS, ProcedureState, CHOICE)
