"""What a press means at this moment: the dealer's pedal and keys.

The same words label the pedal on the screen, so that what is shown is what happens.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from controller.errors import NotAllowed
from controller.events import Ask, ConfirmLayout, ForNext, Pressed, SameAgain, TakeBack
from controller.game.moves import (
    Cleared,
    Double,
    EvenMoney,
    Forfeit,
    Insure,
    NoMoreBets,
    PressJackpot,
    Split,
    Stand,
    Surrender,
    Wager,
    Withdraw,
)
from controller.game.play import Box, RoundState
from controller.game.rows import is_played, why_not
from controller.game.turns import hand_in_turn
from controller.table.state import TableState

GO_ON: Final = "go-on"
POSITIONS: Final = (1, 2, 3)  # 5.4
ACTIONS: Final = (
    GO_ON,
    "take-back",
    "for-next",
    "same-again",
    "double",
    "split",
    "forfeit",
    "surrender",
    "insurance",
    "even-money",
    *(f"box-{number}" for number in range(1, 10)),
    "position",
    *(f"surrender-{number}" for number in range(1, 10)),
    *(f"jackpot-{number}" for number in range(1, 10)),
)

DEFAULT_CONTROLS: Final[Mapping[str, str]] = MappingProxyType({
    "pedal.middle": GO_ON,
    "pedal.left hold": "take-back",
    "pedal.right": "for-next",
    **{f"keys.{number}": f"box-{number}" for number in range(1, 10)},
    "keys.=": "same-again",
    "keys.D": "double",
    "keys.P": "split",
    "keys.F": "forfeit",
    "keys.S": "surrender",
    "keys.I": "insurance",
    "keys.E": "even-money",
    "keys.enter": GO_ON,
    "keys..": "position",
    **{f"buttons.surrender-{number}": f"surrender-{number}" for number in range(1, 10)},
    **{f"buttons.jackpot-{number}": f"jackpot-{number}" for number in range(1, 10)},
})  # fmt: skip

_AT_BOX: Final[Mapping[str, type[Ask]]] = MappingProxyType(
    {"surrender": Surrender, "insurance": Insure, "even-money": EvenMoney}
)


def action_of(state: TableState, press: Pressed) -> str | None:
    """Return the action that the press is mapped to, or None."""
    name = f"{press.device}.{press.control}"
    return state.controls.get(f"{name} hold" if press.held else name)


def going_on(state: TableState) -> Ask | None:
    """Return what the dealer's *go on* means now; None if there is nothing to go on with."""
    if state.in_doubt:
        return ConfirmLayout()
    if state.play.state is RoundState.WAGERS and state.play.boxes:
        return NoMoreBets()
    if hand_in_turn(state.play):
        return Stand()
    if state.play.state in {RoundState.FINAL_SETTLEMENT, RoundState.VOID}:
        return Cleared()
    return None


def keyed_box(state: TableState, action: str) -> TableState | None:
    """Return the state after a digit that only says which box is meant; None if it is not one.

    While wagers are open a digit puts a box in or out of play; later it comes before a letter.
    """
    if state.play.state is RoundState.WAGERS:
        return None
    if action == "position" and state.keyed:
        return msgspec.structs.replace(state, keyed=(state.keyed[0], 0))
    word, _, digits = action.partition("-")
    if word != "box" or not digits.isdigit():
        return None
    if len(state.keyed) == 2 and state.keyed[1] == 0 and int(digits) in POSITIONS:
        return msgspec.structs.replace(state, keyed=(state.keyed[0], int(digits)))
    return msgspec.structs.replace(state, keyed=(int(digits),))


def ask_of(state: TableState, action: str) -> Ask:
    """Return what the action asks for now.

    Raises:
        NotAllowed: it has no meaning at this moment; says what the dealer can do.
    """
    word, _, digits = action.partition("-")
    if action == GO_ON:
        return _go_on(state)
    if digits.isdigit():
        at_box: dict[str, Ask] = {
            "box": _box(state, int(digits)),
            "surrender": Surrender(int(digits)),
            "jackpot": PressJackpot(int(digits)),
        }
        if word in at_box:
            return at_box[word]
    if action in _AT_BOX:
        return _at_box(state, action)
    plain: dict[str, Ask] = {
        "take-back": TakeBack(),
        "for-next": ForNext(),
        "same-again": SameAgain(),
        "double": Double(),
        "split": Split(),
        "forfeit": Forfeit(),
    }
    if action not in plain:
        raise NotAllowed("10.1", f"{action} has no meaning now")
    return plain[action]


def _go_on(state: TableState) -> Ask:
    meant = going_on(state)
    if meant is None:
        if state.play.state is RoundState.WAGERS:
            raise NotAllowed("7", "no box is in play")
        raise NotAllowed("7", "the next thing to do is to deal a card")
    return meant


def _box(state: TableState, number: int) -> Ask:
    if state.play.box(number):
        return Withdraw(number)
    return Wager(box=number, player=f"{number}.1")


def _at_box(state: TableState, action: str) -> Ask:
    game, move = state.play.game, _AT_BOX[action]
    rule, why = why_not(game, move)
    if not is_played(game, move):
        raise NotAllowed(rule, why)
    box = state.play.box(state.keyed[0]) if state.keyed else None
    if box is None:
        raise NotAllowed(rule, f"key the box first, then the letter for {action}")
    player = _player_at(box, state.keyed[1]) if len(state.keyed) > 1 else box.controls
    if action == "even-money":
        return EvenMoney(box.number, player)
    if action == "insurance":
        bet = box.bet(player)
        chip = state.play.game.smallest_chip
        most = (bet.main or 0) // 2 // chip * chip if bet else 0
        return Insure(box.number, player, most)
    if player == box.controls:
        return Surrender(box.number)
    if box.controls not in box.surrendered:
        raise NotAllowed("18.6.4", f"{box.controls} controls box {box.number} and chooses first")
    return Surrender(box.number, (player,))


def _player_at(box: Box, position: int) -> str:
    """Return the player at a position, nearest the dealer first: who called, then as listed.

    The wagers lie as they lay at the first card, whoever calls now (5.3, 5.7).
    """
    first = box.nearest or box.controls
    in_line = [first, *(player for player in box.players if player != first)]
    if not 1 <= position <= len(in_line):
        raise NotAllowed("5.4", f"box {box.number} has no player at position {position}")
    return in_line[position - 1]
