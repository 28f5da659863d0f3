"""When a shuffle is due, who is offered the cut, and what the dealer is told (4)."""

import msgspec

from controller.errors import NotAllowed
from controller.game.play import Box, RoundState
from controller.game.shuffle import (
    MACHINE,
    SUPERVISOR,
    Cut,
    Shuffle,
    Shuffled,
    ShuffleMove,
    ShuffleState,
    offered_to,
    order_of_cut,
)
from controller.game.turns import DEALER, UNDUE, Place, hand_in_turn, initial_place, next_place
from controller.game.wagers import cards_are_out
from controller.outcomes import Accepted, Outcome, Prompted
from controller.table.decision import Decision
from controller.table.roles import SUPERVISORS
from controller.table.state import TableState

BY_HAND = "Shuffle the cards by hand or in the multishuffler"
INTO_DEVICE = "Put the cards into the shuffling device"
NEW_CARDS = "4.2.5"
"""The clause by which the cut of new cards is offered."""
WHERE_TO_CUT = "a deck or more from either end"  # 4.4
NEW_INTO_DEVICE = "Shuffle the new cards by hand and put them into the shuffling device"


def place_of_cutting_card(state: TableState) -> str:
    """Return where the cutting card came: ``first``, ``dealer`` or ``box N`` (4.2)."""
    play = state.play
    if play.state is RoundState.WAGERS or _nothing_dealt(state):
        return "first"
    if play.error_card and (turn := hand_in_turn(play)):
        return f"box {turn[0].number}"
    place = next_place(play)
    if place in {DEALER, UNDUE}:
        return "dealer"
    return f"box {place.box}"


def _nothing_dealt(state: TableState) -> bool:
    play = state.play
    return not play.dealer and initial_place(play) == Place(play.boxes[0].number, 1)


def due(state: TableState, why: str, at: str) -> Decision:
    """Begin a shuffle; ``at`` is where the cutting card came (4.1, 4.2).

    Cards that come from a shuffling device (4.6, nz:3.3(e)) go back into it.
    """
    boxes = state.play.boxes or state.last_boxes
    players = [(box.number, player) for box in boxes for player in _in_line(box)]
    callers = {box.number: (box.number, box.controls) for box in boxes}
    rightmost = callers[max(callers)] if callers else None
    named = {f"box {number}": caller for number, caller in callers.items()}
    rule, first = {
        "first": ("4.2.4", rightmost),
        "dealer": ("4.2.3", rightmost),
        "new cards": (NEW_CARDS, rightmost),
        "new game": ("4.2.1", players[0] if players else None),
    }.get(at, ("4.2.2", named.get(at, rightmost)))
    source = state.devices.get(state.source)
    shuffle = Shuffle(
        why=why,
        rule=rule,
        players=order_of_cut(players, first),
        by_device=source is not None and source.role == "shuffler",
    )
    state = msgspec.structs.replace(state, shuffle=shuffle)
    return Decision(state, (_prompt(shuffle),))


def _in_line(box: Box) -> list[str]:
    """Return the players of a box: who controls it first, then as they are listed."""
    return [box.controls, *(player for player in box.players if player != box.controls)]


def shuffle(state: TableState, ask: ShuffleMove, by: str) -> Decision:
    """Take a step of the shuffle and the cut.

    Raises:
        NotAllowed: none is due, or not this step.
    """
    if state.shuffle is None:
        raise NotAllowed("4.1", "no shuffle is due")
    if state.play.state is not RoundState.WAGERS and cards_are_out(state.play):
        raise NotAllowed("4.1.3", "the round is finished first")
    if isinstance(ask, Cut) and offered_to(state.shuffle) is None and by not in SUPERVISORS:
        raise NotAllowed("4.3", "no player took the cut: a game supervisor cuts")
    after, rule = MACHINE.cited(state.shuffle, ask)
    told: list[Outcome] = [Accepted(what=msgspec.to_builtins(ask), rule=rule), _prompt(after)]
    if isinstance(ask, Shuffled) and after.state is ShuffleState.OFFERED:
        told.append(Prompted(rule="4.4", what=f"The cut is made {WHERE_TO_CUT}"))
    return Decision(msgspec.structs.replace(state, shuffle=after), tuple(told))


def words(shuffle: Shuffle) -> str:
    """Return what the dealer does next, in the words of the table."""
    match shuffle.state:
        case ShuffleState.DUE:
            return _into_device(shuffle)[1] if shuffle.by_device else BY_HAND
        case ShuffleState.OFFERED:
            who = offered_to(shuffle)
            if who is None:
                return f"Nobody takes the cut: {SUPERVISOR} cuts, {WHERE_TO_CUT}"
            return (
                f"Offer the cut to {who[1]} at box {who[0]}, backs to the players: {WHERE_TO_CUT}"
            )
        case ShuffleState.CUT:
            return "Front of the cut to the back, cutting card in from the back, into the shoe"
        case ShuffleState.LOADED:
            return "Burn the first card, face down"


def _into_device(shuffle: Shuffle) -> tuple[str, str]:
    """Return how the cards go into a shuffling device, and its clause; new ones are mixed first."""
    return ("4.6.1", NEW_INTO_DEVICE) if shuffle.rule == NEW_CARDS else ("4.6.2", INTO_DEVICE)


def _prompt(shuffle: Shuffle) -> Prompted:
    rule = {
        ShuffleState.DUE: _into_device(shuffle)[0] if shuffle.by_device else "4.1",
        ShuffleState.OFFERED: shuffle.rule if shuffle.refused == 0 else "4.3",
        ShuffleState.CUT: "4.5",
        ShuffleState.LOADED: "4.7",
    }[shuffle.state]
    return Prompted(rule=rule, what=words(shuffle))
