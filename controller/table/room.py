"""The room on the disk of the log: a round that has begun is played to its end, the next waits."""

from typing import Final

import msgspec

from controller.errors import NotAllowed
from controller.events import Ask, DiskEnough, DiskLow, SameAgain
from controller.game.house import SpokenWager
from controller.game.moves import Wager
from controller.table.decision import Decision
from controller.table.state import TableState, is_between_rounds

_BEGINS: Final = Wager | SpokenWager | SameAgain
"""What is asked for by whoever begins a round: a wager is the first thing of it."""


def room_told(state: TableState, event: DiskLow | DiskEnough) -> Decision:
    """Take note of the room: nothing that lies on the table is touched by it."""
    why = event.why if isinstance(event, DiskLow) else ""
    return Decision(msgspec.structs.replace(state, no_room=why), ())


def no_round_words(state: TableState) -> str:
    """Say that no round may begin, and why; empty if one may, or one is being played."""
    if not state.no_room or not is_between_rounds(state):
        return ""
    return f"No new round yet: {state.no_room}"


def must_have_room(state: TableState, ask: Ask) -> None:
    """Let nobody begin a round that might not be recorded to its end.

    Raises:
        NotAllowed: the disk has too little room; says what to do.
    """
    if isinstance(ask, _BEGINS) and (words := no_round_words(state)):
        raise NotAllowed("", words)
