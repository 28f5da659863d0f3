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
from controller.table.state import TableState, cards_in_pack

BY_HAND = "Shuffle the cards by hand or in the multishuffler"
INTO_DEVICE = "Put the cards into the shuffling device"
NEW_GAME = "new game"
FIRST_TO_THE_TABLE = "4.2.1"
"""The clause by which the cut is offered when the game is just commencing."""
OUT_BY_HAND = "No card is left: shuffle the discard rack by hand or in the multishuffler"
OUT_INTO_DEVICE = "No card is left: put the discard rack into the shuffling device"
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
        NEW_GAME: (FIRST_TO_THE_TABLE, None),
    }.get(at, ("4.2.2", named.get(at, rightmost)))
    source = state.devices.get(state.source)
    shuffle = Shuffle(
        why=why,
        rule=rule,
        players=() if at == NEW_GAME else order_of_cut(players, first),
        by_device=source is not None and source.role == "shuffler",
    )
    state = msgspec.structs.replace(state, shuffle=shuffle)
    return Decision(state, (_prompt(shuffle),))


def under_way(state: TableState) -> Shuffle | None:
    """Return the shuffle that is due or under way, with who is offered the cut.

    When the game is just commencing that is the player whose wager was first (4.2.1), who may
    come to the table when the cards are shuffled already.
    """
    shuffle = state.shuffle
    if shuffle is None or shuffle.rule != FIRST_TO_THE_TABLE or shuffle.players:
        return shuffle
    boxes = state.play.boxes
    players = [(box.number, player) for box in boxes for player in _in_line(box)]
    first = next((one for one in players if one[1] == state.play.listed[0]), None)
    return msgspec.structs.replace(shuffle, players=order_of_cut(players, first))


def is_out(state: TableState) -> bool:
    """Tell whether a card is due in the round and none is left to be dealt (16.7)."""
    if _any_left(state) or not cards_are_out(state.play):
        return False
    waits = state.in_hand or state.play.undue or state.malfunction is not None
    return not waits and next_place(state.play) != UNDUE


def _any_left(state: TableState) -> bool:
    return state.ledger.count < cards_in_pack(state.play.game)


def out_of_cards(before: TableState, decided: Decision) -> Decision:
    """Have the cards shuffled when none is left: in the round if one is due (16.7), or after it.

    Where the cutting card came before, it says who is offered the cut (4.2).
    """
    state = decided.state
    if state.shuffle is None and not _any_left(state) and _any_left(before):
        begun = due(state, "no card is left", place_of_cutting_card(state))
        state, told = begun.state, begun.outcomes
    else:
        told = ()
    if state.shuffle is not None and is_out(state) and not is_out(before):
        shuffle = msgspec.structs.replace(state.shuffle, why="no card is left", in_round=True)
        state, told = msgspec.structs.replace(state, shuffle=shuffle), (_prompt(shuffle),)
    return Decision(state, (*decided.outcomes, *told))


def cut_in_order(state: TableState) -> tuple[tuple[int, str], ...]:
    """Return who is offered the cut of cards that are replaced in a round, in order (17.5.3).

    The farthest to the right of the dealer who plays on (4.2.5), then clockwise (4.3).
    """
    boxes = state.play.boxes
    players = [(box.number, one) for box in boxes for one in _in_line(box) if one not in box.left]
    rightmost = next((one for one in players if one[0] == players[-1][0]), None)
    return order_of_cut(players, rightmost)


def _in_line(box: Box) -> list[str]:
    """Return the players of a box: who controls it first, then as they are listed."""
    return [box.controls, *(player for player in box.players if player != box.controls)]


def shuffle(state: TableState, ask: ShuffleMove, by: str) -> Decision:
    """Take a step of the shuffle and the cut.

    Raises:
        NotAllowed: none is due, or not this step.
    """
    now = under_way(state)
    if now is None:
        raise NotAllowed("4.1", "no shuffle is due")
    in_round = state.play.state is not RoundState.WAGERS and cards_are_out(state.play)
    if in_round and not is_out(state):
        raise NotAllowed("4.1.3", "the round is finished first")
    if now.by_device and not isinstance(ask, Shuffled):
        raise NotAllowed("4.6.3", "the cards of a shuffling device are not cut")
    nobody = now.state is ShuffleState.OFFERED and offered_to(now) is None
    if isinstance(ask, Cut) and nobody and by not in SUPERVISORS:
        why = "no player took the cut" if now.players else "no player is at the table"
        raise NotAllowed("4.3", f"{why}: a game supervisor cuts")
    # Who is there when the cut is refused or taken stays asked; until then others may come.
    kept = state.shuffle if isinstance(ask, Shuffled) else None
    after, rule = MACHINE.cited(kept or now, ask)
    state = msgspec.structs.replace(state, shuffle=after, note="")
    told: list[Outcome] = [Accepted(what=msgspec.to_builtins(ask), rule=rule)]
    told.append(_prompt(under_way(state) or after))
    if isinstance(ask, Shuffled) and after.state is ShuffleState.OFFERED:
        told.append(Prompted(rule="4.4", what=f"The cut is made {WHERE_TO_CUT}"))
    return Decision(state, tuple(told))


def words(shuffle: Shuffle) -> str:
    """Return what the dealer does next, in the words of the table."""
    match shuffle.state:
        case ShuffleState.DUE:
            return _to_shuffle(shuffle)[1]
        case ShuffleState.OFFERED:
            who = offered_to(shuffle)
            if who is None and not shuffle.players:
                return "Offer the cut to the first player to the table"
            if who is None:
                return f"Nobody takes the cut: {SUPERVISOR} cuts, {WHERE_TO_CUT}"
            return (
                f"Offer the cut to {who[1]} at box {who[0]}, backs to the players: {WHERE_TO_CUT}"
            )
        case ShuffleState.CUT:
            return "Front of the cut to the back, cutting card in from the back, into the shoe"
        case ShuffleState.LOADED:
            return "Burn the first card, face down"


def _to_shuffle(shuffle: Shuffle) -> tuple[str, str]:
    """Return how the cards are shuffled, and its clause; new ones are mixed before a device."""
    if shuffle.in_round:
        return "16.7", OUT_INTO_DEVICE if shuffle.by_device else OUT_BY_HAND
    begins = shuffle.rule == FIRST_TO_THE_TABLE
    if not shuffle.by_device:
        return "4.1.1" if begins else "4.1", BY_HAND
    if begins or shuffle.rule == NEW_CARDS:
        return "4.6.1", NEW_INTO_DEVICE
    return "4.6.2", INTO_DEVICE


def _prompt(shuffle: Shuffle) -> Prompted:
    rule = {
        ShuffleState.DUE: _to_shuffle(shuffle)[0],
        ShuffleState.OFFERED: shuffle.rule if shuffle.refused == 0 else "4.3",
        ShuffleState.CUT: "4.5",
        ShuffleState.LOADED: "4.7",
    }[shuffle.state]
    return Prompted(rule=rule, what=words(shuffle))
