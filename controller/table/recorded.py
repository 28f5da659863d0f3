"""What a log says of a table, as it was recorded and without deciding anything."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

import msgspec

from controller.eventlog.row import Row
from controller.game.settlement import Settlement
from controller.outcomes import Corrected, Outcome, Settled
from controller.table.decision import Wager, by_wager


class Recorded(NamedTuple):
    """One event of the log with the outcomes that were recorded with it."""

    event: Row
    outcomes: tuple[Row, ...]


def recorded(rows: Iterable[Row]) -> Iterator[Recorded]:
    """Put each event together with its outcomes, in order."""
    for _, group in groupby(rows, key=lambda row: row.cause or row.seq):
        event, *outcomes = group
        yield Recorded(event, tuple(outcomes))


def payments(rows: Iterable[Row]) -> Iterator[Outcome]:
    """Yield what rows tell of how wagers were settled, and settled otherwise.

    Raises:
        msgspec.ValidationError: this version cannot read one.
    """
    for row in rows:
        plain: dict[str, Any] = msgspec.json.decode(row.body)
        if row.kind == "settled":
            yield Settled(row=msgspec.convert(plain["row"], Settlement))
        elif row.kind == "corrected":
            yield msgspec.convert({"kind": row.kind, **plain}, Corrected)


def settled(
    before: Mapping[Wager, Settlement], outcomes: Iterable[Outcome]
) -> dict[Wager, Settlement]:
    """Return what each wager came to, brought up to date with more outcomes."""
    now = dict(before)
    for outcome in outcomes:
        match outcome:
            case Settled(row=row):
                now[by_wager(row)] = row
            case Corrected(was=was, now=None):
                now.pop(by_wager(was), None)
            case Corrected(now=row) if row is not None:
                now[by_wager(row)] = row
    return now
