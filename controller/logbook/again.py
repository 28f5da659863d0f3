"""A round decided again from its opening row, and compared with what was recorded."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from controller.errors import OutcomesDiffer
from controller.eventlog import Row
from controller.logbook.reading import Gap
from controller.table.record import OPENING, state_of
from controller.table.recorded import recorded
from controller.table.resume import again
from controller.table.state import TableState


class Again(NamedTuple):
    """What came of it."""

    state: TableState | None
    """The table as it stood at the end of the round, or as far as it could be decided."""
    events: int
    """How many events came to what was recorded."""
    fault: str = ""
    """Why it was not decided to the end; empty if it was."""
    differs: bool = False
    """That is because something else came out than was recorded."""


class _Lacking(Exception):
    """Rows of the round can't be read."""


def decide_again(items: Iterable[Row | Gap], number: int) -> Again:
    """Decide the round's events again, one after the other, and compare every outcome."""
    rows = _whole(items)
    state: TableState | None = None
    stood: TableState | None = None
    events = 0
    try:
        opening = next(row for row in rows if row.kind == OPENING and row.round == number)
        stood = state = state_of(bytes(opening.body))
        rest = (row for row in rows if row.cause is None or row.cause != opening.cause)
        for step in recorded(rest):
            state = again(state, step)
            events += 1
            if state is not None and state.round == number:
                stood = state
    except StopIteration:
        return Again(None, 0, "the row that opens it is missing")
    except OutcomesDiffer as fault:
        return Again(stood, events, str(fault), differs=True)
    except _Lacking as fault:
        return Again(stood, events, str(fault))
    except (msgspec.DecodeError, LookupError, TypeError, ValueError) as fault:
        return Again(stood, events, f"this version cannot read a row of it: {fault}")
    return Again(stood, events)


def _whole(items: Iterable[Row | Gap]) -> Iterator[Row]:
    for item in items:
        if isinstance(item, Gap):
            raise _Lacking("rows of it can't be read")
        yield item
