"""Events and outcomes as rows of the log, and back."""

from typing import Any, Final, get_args

import msgspec

from controller.eventlog.checkpoints import DAY_CLOSED, DAY_OPENED
from controller.eventlog.row import Entry, canonical
from controller.events import AnyEvent, Event, Recovered, Started
from controller.outcomes import Outcome, RoundOpened, StateKept
from controller.table.state import TableState

OPENING: Final = str(RoundOpened.__struct_config__.tag)
STARTED: Final = str(Started.__struct_config__.tag)
RECOVERED: Final = str(Recovered.__struct_config__.tag)
KEPT: Final = str(StateKept.__struct_config__.tag)
CARRYING: Final = (OPENING, KEPT, DAY_OPENED)
"""The kinds of row that carry the table's whole state: a start reads on from the last of them."""
LOGS_OWN: Final = frozenset({DAY_OPENED, DAY_CLOSED})
"""The kinds of row by which the log parts its days: nothing is decided of them."""

EVENT_KINDS: Final = frozenset(str(kind.__struct_config__.tag) for kind in get_args(AnyEvent))
"""The kinds of row that are events; all others are outcomes."""


def entry(round_: int, fact: Event | Outcome) -> Entry:
    """Return what the log holds of an event or outcome: its kind, and the rest as the body."""
    plain: dict[str, Any] = msgspec.to_builtins(fact)
    kind = plain.pop("kind")
    return Entry(round=round_, kind=kind, body=canonical(plain))


def event_of(kind: str, body: bytes) -> AnyEvent:
    """Return the event that a row of the log tells.

    Raises:
        msgspec.ValidationError: the row tells none that this version knows.
    """
    plain: dict[str, Any] = msgspec.json.decode(body)
    event: AnyEvent = msgspec.convert({"kind": kind, **plain}, AnyEvent)
    return event


def state_of(body: bytes) -> TableState | None:
    """Return the table's state that a row carries, None if there was no table yet.

    Raises:
        msgspec.ValidationError: the row is not such a row, or of a version that is not known.
    """
    plain: dict[str, Any] = msgspec.json.decode(body)
    return msgspec.convert(plain["state"], TableState | None)
