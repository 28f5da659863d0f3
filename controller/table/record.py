"""Events and outcomes as rows of the log, and back."""

from typing import Any, Final, get_args

import msgspec

from controller.eventlog.row import Entry, canonical
from controller.events import AnyEvent, Event, Started, Stopped
from controller.outcomes import Outcome, RoundOpened
from controller.table.state import TableState

OPENING: Final = str(RoundOpened.__struct_config__.tag)
STARTED: Final = str(Started.__struct_config__.tag)
STOPPED: Final = str(Stopped.__struct_config__.tag)

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


def state_of(body: bytes) -> TableState:
    """Return the table's state that the opening row of a round carries.

    Raises:
        msgspec.ValidationError: the row is not such a row, or of a version that is not known.
    """
    plain: dict[str, Any] = msgspec.json.decode(body)
    return msgspec.convert(plain["state"], TableState)
