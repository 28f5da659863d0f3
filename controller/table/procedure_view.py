"""The procedure of rule 17 in the words of the table: numbered, with what to touch."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from controller.game.malfunction import (
    Malfunction,
    ProcedureState,
    Question,
    Step,
    questions_open,
    steps_of,
)
from controller.table.procedure import spare_of
from controller.table.state import TableState

QUESTIONS: Final[Mapping[Question, str]] = MappingProxyType({
    "damaged-cards": "Are cards in the device damaged? Name each of them, or none",
    "disadvantage": "Is the casino or a player disadvantaged? A casino supervisor says",
    "spare-available": "Is another shuffling device ready",
    "transfer-practicable": "Can the cards be moved to it",
})  # fmt: skip


def procedure_view(state: TableState) -> dict[str, Any] | None:
    """Return the open procedure as it is shown, or None."""
    procedure = state.malfunction
    if procedure is None:
        return None
    spare = spare_of(state)
    return {
        "device": procedure.device,
        "code": procedure.code,
        "text": procedure.text,
        "branch": "" if procedure.state is ProcedureState.ASKED else procedure.state.value,
        "spare": spare[0] if spare else None,
        "questions": [
            {"question": question, "words": QUESTIONS[question]}
            for question in questions_open(procedure)
        ],
        "answers": _answers(procedure),
        "steps": [
            {
                "step": step,
                "words": step_words(procedure, step, spare[0] if spare else "the other device"),
                "done": step in procedure.done,
            }
            for step in steps_of(procedure)
        ],
        "electors": [
            {"box": box, "player": player, "choice": _choice(procedure, box, player)}
            for box, player in _asked(procedure)
        ],
    }


def _answers(procedure: Malfunction) -> dict[str, Any]:
    return {
        "damaged-cards": None if procedure.damaged is None else list(procedure.damaged),
        "disadvantage": procedure.disadvantage,
        "spare-available": procedure.spare,
        "transfer-practicable": procedure.practicable,
    }


def _asked(procedure: Malfunction) -> tuple[tuple[int, str], ...]:
    return procedure.electors if procedure.state is ProcedureState.SHOE else ()


def _choice(procedure: Malfunction, box: int, player: str) -> str:
    if (box, player) in procedure.left:
        return "refund"
    return "continue" if (box, player) in procedure.stay else ""


def step_words(procedure: Malfunction, step: Step, spare: str) -> str:
    """Return what a hand does at the step."""
    cards = " ".join(procedure.damaged or ())
    return {
        "damaged-removed": f"Open {procedure.device} and take the damaged cards out: {cards}",
        "transferred": f"Move the cards from {procedure.device} to {spare} and close both",
        "replaced": f"Take {cards} from a new deck of the same colour, check and add them",
        "shuffled-and-cut": f"Take the cards out of {procedure.device}, shuffle, have them cut",
        "shoe-loaded": "Put the cards into the dealing shoe; the first one is burned",
    }[step]


def next_words(state: TableState) -> str:
    """Return the one sentence that says what comes next in the procedure."""
    shown = procedure_view(state)
    if shown is None:
        return ""
    head = f"{shown['device']}: {shown['text']}. "
    for number, step in enumerate(shown["steps"], start=1):
        if not step["done"]:
            return f"{head}{number}. {step['words']}"
    if shown["questions"]:
        return f"{head}{shown['questions'][0]['words']}?"
    waiting = [one for one in shown["electors"] if not one["choice"]]
    if waiting:
        return (
            f"{head}Box {waiting[0]['box']} {waiting[0]['player']}: stay, or wagers back (17.5.1)?"
        )
    return head
