"""How many cards lie in which device when a script says that they were moved.

A shuffling device tells how many it holds, and the controller counts with it.  So before somebody
says that cards were loaded, used elsewhere or transferred, they are where they are said to be.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from controller.cards import UNREAD
from controller.events import Ask, EnterCard, NewShoe, Use
from controller.game.malfunction import Confirm
from controller.game.moves import Burn
from controller.game.shuffle import Shuffled

SHUFFLERS = frozenset({"shuffler", "multishuffler"})
"""The roles of devices that tell how many cards they hold."""


class Holding(NamedTuple):
    """A device with so many cards inside."""

    device: str
    cards: int


def holdings(view: dict[str, Any], ask: Ask) -> list[Holding]:
    """Return what devices hold when the cards are where ``ask`` says, those that are emptied first;
    nothing where it says nothing of the kind.

    ``view`` is the table's before it is said.
    """
    match ask:
        case NewShoe() | Shuffled():
            moved = _into(view, view["source"])
        case Use(device=device) if view["procedure"] is None:
            moved = _into(view, device)
        case Confirm() if view["procedure"] is not None:
            moved = _stepped(view, ask)
        case _:
            return []
    return [one for one in moved if view["devices"][one.device]["role"] in SHUFFLERS]


def is_by_hand(view: dict[str, Any], ask: Ask) -> bool:
    """Tell whether ``ask`` is of a card that leaves the device in use without its telling it."""
    if isinstance(ask, Burn):
        return UNREAD not in view["undue"] and ask.card not in {*view["undue"], view["offered"]}
    return isinstance(ask, EnterCard)


def _into(view: dict[str, Any], device: str) -> Iterator[Holding]:
    """All cards that do not lie on the table are loaded into the device."""
    if device != view["source"]:
        yield Holding(view["source"], 0)
    shoe = view["shoe"]
    yield Holding(device, shoe["out"] + shoe["left"] - _on_table(view))


def _stepped(view: dict[str, Any], ask: Confirm) -> Iterator[Holding]:
    """A step of rule 17 moves the cards that are still to come (17.2, 17.3.2, 17.5.4)."""
    procedure, left = view["procedure"], view["shoe"]["left"]
    match (ask.step, procedure["branch"]):
        case ("transferred", branch) if branch and procedure["spare"]:
            damaged = len(procedure["answers"]["damaged-cards"] or ())
            yield Holding(procedure["device"], 0)
            yield Holding(procedure["spare"], left - damaged)
        case ("replaced", "17.3"):
            yield Holding(view["source"], left)
        case ("shuffled-and-cut", "17.5"):
            shufflers = (n for n, one in view["devices"].items() if one["role"] == "shuffler")
            yield from (Holding(name, 0) for name in shufflers)


def _on_table(view: dict[str, Any]) -> int:
    on_boxes = (len(hand["cards"]) for box in view["boxes"] for hand in box["hands"])
    offered = 1 if view["offered"] else 0
    return sum(on_boxes) + len(view["dealer"]["cards"]) + len(view["undue"]) + offered
