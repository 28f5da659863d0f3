"""What kinds of row a table's log can have, and the events and outcomes behind them."""

import functools
import operator
from typing import Any, Final

import msgspec

from controller.errors import UsageError
from controller.eventlog import Row
from controller.events import AnyEvent
from controller.outcomes import Outcome
from controller.table.record import EVENT_KINDS


def kind_of(fact: type[msgspec.Struct]) -> str:
    """Return the kind under which an event or outcome stands in a log."""
    return str(fact.__struct_config__.tag)


_OUTCOMES: Final[Any] = functools.reduce(operator.or_, Outcome.__subclasses__())

EVENTS: Final = tuple(sorted(EVENT_KINDS))
OUTCOMES: Final = tuple(sorted(kind_of(one) for one in Outcome.__subclasses__()))


def known_kind(text: str) -> str:
    """Return the kind if there is one of that name.

    Raises:
        UsageError: there is none; lists all.
    """
    if text in EVENTS or text in OUTCOMES:
        return text
    raise UsageError(
        f"--kind {text!r} is no kind of row. What happens: {', '.join(EVENTS)}."
        f" What comes of it: {', '.join(OUTCOMES)}"
    )


def fact_of(row: Row) -> AnyEvent | Outcome:
    """Return the event or outcome that a row tells.

    Raises:
        ValueError: this version can't read it: the row was altered, or another version wrote it.
    """
    plain = msgspec.json.decode(row.body)  # msgspec's errors are ValueErrors
    if not isinstance(plain, dict):
        raise ValueError("the body is no JSON object")  # noqa: TRY004 (of the log, not of a caller)
    union: Any = AnyEvent if row.kind in EVENTS else _OUTCOMES
    fact: AnyEvent | Outcome = msgspec.convert({**plain, "kind": row.kind}, union)
    return fact


def operator_of(row: Row) -> str:
    """Return the name of the person who signed in and asked, where the row has it."""
    try:
        who = msgspec.json.decode(row.body).get("who", "")
    except (msgspec.DecodeError, AttributeError):
        return ""
    return str(who or "")
