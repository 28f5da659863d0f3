"""Rule 4: the shuffle and the cut, as a table of its own; with a shuffling device there is no cut.

It begins when a shuffle is due and ends when the cards are in the shoe; the next card is burned.
In a round it is the same, of the cards in the discard rack (16.7).
"""

import enum
from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from controller.game.machine import Choice, RuleMachine
from controller.game.moves import Advance
from controller.game.row import Refusal, Row

SUPERVISOR: Final = "the game supervisor"


class ShuffleState(enum.Enum):
    """Where the cards are on their way back into the shoe."""

    DUE = "shuffle is due"
    """The cutting card came, or the game begins: the cards are to be shuffled (4.1)."""
    OFFERED = "cut is offered"
    """The stack is offered to one player after the other (4.2, 4.3)."""
    CUT = "cut"
    """The cutting card is in the stack; the front goes to the back, the cutting card in (4.5)."""
    LOADED = "loaded"
    """The cards are in the shoe or the device; the first one is burned (4.7)."""


class Shuffle(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One shuffle and cut."""

    state: ShuffleState = ShuffleState.DUE
    why: str
    rule: str
    """The clause that says who is offered the cut first (4.2.1 to 4.2.5)."""
    players: tuple[tuple[int, str], ...] = ()
    """Box and player in the order in which the cut is offered, clockwise (4.3)."""
    refused: int = 0
    """How many have refused it."""
    in_round: bool = False
    """The cards ran out in a round: those of the discard rack are shuffled (16.7)."""
    by_device: bool = False
    """A shuffling device takes the place of shuffle, cut and shoe (4.6)."""
    cut_by: str = ""


class _Step(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    pass


class Shuffled(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="shuffled"
):
    """The cards were shuffled, by hand or multishuffler (4.1), or put into the device (4.6.2)."""


class RefuseCut(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="refuse-cut"
):
    """The player who is offered the cut refuses it (4.3)."""


class Cut(_Step, frozen=True, tag="cut"):
    """Who is offered the cut has cut, a deck or more from either end (4.4)."""


class Load(_Step, frozen=True, tag="load"):
    """The cards lie in the shoe, with the cutting card inserted (4.5)."""


ShuffleMove = Shuffled | RefuseCut | Cut | Load


def offered_to(shuffle: Shuffle) -> tuple[int, str] | None:
    """Return box and player who are offered the cut; None when only a supervisor is left."""
    left = shuffle.players[shuffle.refused :]
    return left[0] if left else None


def order_of_cut(
    players: Sequence[tuple[int, str]], first: tuple[int, str] | None
) -> tuple[tuple[int, str], ...]:
    """Return the players clockwise around the table, each once, beginning with ``first`` (4.3).

    Boxes are numbered from the dealer's left, and so is clockwise.
    """
    line = sorted(players, key=lambda one: one[0])
    at = line.index(first) if first in line else 0
    each_once: dict[str, tuple[int, str]] = {}
    for box, player in (*line[at:], *line[:at]):
        each_once.setdefault(player, (box, player))
    return tuple(each_once.values())


def takes_a_cut(shuffle: Shuffle, _move: msgspec.Struct) -> Refusal | None:
    """4.6.3: cards in a shuffling device are not cut."""
    return Refusal("4.6.3", "a shuffling device's cards are not cut") if shuffle.by_device else None


def takes_no_cut(shuffle: Shuffle, _move: msgspec.Struct) -> Refusal | None:
    """4.6.4: the device takes the place of the shoe."""
    return None if shuffle.by_device else Refusal("4.2", "the stack is offered for the cut first")


def somebody_is_left(shuffle: Shuffle, _move: RefuseCut) -> Refusal | None:
    """4.3: after the last player a supervisor cuts, who does not refuse."""
    if offered_to(shuffle) is None:
        return Refusal("4.3", "no player is left to refuse: the game supervisor cuts")
    return None


def refuse(shuffle: Shuffle, _move: RefuseCut) -> Shuffle:
    """The next player clockwise is offered the cut."""
    return msgspec.structs.replace(shuffle, refused=shuffle.refused + 1)


def cut(shuffle: Shuffle, _move: Cut) -> Shuffle:
    """Note who cut."""
    who = offered_to(shuffle)
    return msgspec.structs.replace(shuffle, cut_by=who[1] if who else SUPERVISOR)


DUE = (ShuffleState.DUE,)
OFFERED = (ShuffleState.OFFERED,)
CUT = (ShuffleState.CUT,)

to = ShuffleState

ROWS: Final[tuple[Row, ...]] = (
    #   by        at       on         go to        if                 then
    Row("4.2",    DUE,     Shuffled,  to.OFFERED,  takes_a_cut),
    Row("4.6.2",  DUE,     Shuffled,  to.LOADED,   takes_no_cut),
    Row("4.3",    OFFERED, RefuseCut, None,        somebody_is_left,  refuse),
    Row("4.4",    OFFERED, Cut,       to.CUT,      None,              cut),
    Row("4.5",    CUT,     Load,      to.LOADED),
)  # fmt: skip

CHOICE: Final[Choice] = MappingProxyType({
    Shuffled: ("4.1", "no shuffle is due"),
    RefuseCut: ("4.3", "the cut is offered after the shuffle"),
    Cut: ("4.4", "the cut is offered after the shuffle"),
    Load: ("4.5", "the cards are cut first"),
    Advance: ("4.1", "nothing follows"),
})  # fmt: skip

MACHINE: Final[RuleMachine[Shuffle]] = RuleMachine(ROWS, ShuffleState, CHOICE)
