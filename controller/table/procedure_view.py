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
from controller.table.procedure import nobody_chooses_yet, spare_of
from controller.table.shuffling import cut_in_order
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
    return {
        "device": procedure.device,
        "code": procedure.code,
        "text": "; ".join(filter(None, (procedure.text, procedure.again))),
        "branch": "" if procedure.state is ProcedureState.ASKED else procedure.state.value,
        "spare": _spare(state, procedure) or None,
        "questions": [
            {"question": question, "words": QUESTIONS[question]}
            for question in questions_open(procedure)
        ],
        "answers": _answers(procedure),
        "steps": [
            {
                "step": step,
                "words": _step_words(state, procedure, step),
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


def _spare(state: TableState, procedure: Malfunction) -> str:
    """Return the device that takes the cards or has taken them, or might; empty if none can."""
    found = spare_of(state)
    return procedure.takes or (found[0] if found else "")


def _step_words(state: TableState, procedure: Malfunction, step: Step) -> str:
    """Return what a hand does at the step."""
    cards = " ".join(procedure.damaged or ())
    spare = _spare(state, procedure) or "the other device"
    return {
        "damaged-removed": f"Open {procedure.device} and take the damaged cards out: {cards}",
        "transferred": f"Move the cards from {procedure.device} to {spare} and close both",
        "replaced": f"Take {cards} from a new deck of the same colour, check and add them",
        "shuffled-and-cut": f"Shuffle the cards out of {procedure.device}. {_cut(state)}",
        "shoe-loaded": "Put the cards into the dealing shoe; the first one is burned",
    }[step]


def _cut(state: TableState) -> str:
    """Say who is offered the cut, as rule 4 has it (17.5.3): the farthest right, then clockwise."""
    players = [player for _, player in cut_in_order(state)]
    if not players:
        return "The game supervisor cuts (4.3)"
    then = [*players[1:], "the game supervisor"]
    return f"Offer the cut to {players[0]} (4.2), then to {', '.join(then)} (4.3)"


def next_words(state: TableState) -> str:
    """Return the one sentence that says what comes next in the procedure."""
    shown = procedure_view(state)
    if shown is None:
        return ""
    head = f"{shown['device']}: {shown['text']}. "
    if shown["questions"]:
        return f"{head}{shown['questions'][0]['words']}?"
    for one in shown["electors"]:
        if not one["choice"]:
            return f"{head}{_choice_words(state, one['box'], one['player'])}"
    for number, step in enumerate(shown["steps"], start=1):
        if not step["done"]:
            return f"{head}{number}. {step['words']}"
    return head


def _choice_words(state: TableState, box: int, player: str) -> str:
    if nobody_chooses_yet(state, box):
        return f"A card could not be read: enter it before {player} at box {box} chooses (17.5.1)"
    return f"Box {box} {player}: stay, or wagers back (17.5.1)?"
