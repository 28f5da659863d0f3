"""What was done to a row that does not fit, as far as the rows around it can tell.  No I/O.

Each finding but the last few is proved by a hash: undo the suspected change, and the row has the
hash it carries. What can't be proved is said more vaguely.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain as joined
from typing import Any

from msgspec.structs import replace

from controller.eventlog.chain import GENESIS, fits, row_hash
from controller.eventlog.form import misshapen
from controller.eventlog.row import Row, is_hash


def explain(earlier: Sequence[Row], following: Sequence[Row], kinds: Iterable[str]) -> str:
    """Say what was done to the first of the ``following`` rows, which does not fit.

    ``earlier`` are rows just before it, which do fit; ``kinds`` are the kinds used in the log.
    """
    row = following[0]
    previous = earlier[-1].hash if earlier else GENESIS
    return (
        _malformed(row)
        or _one_value_changed(previous, row, _candidates(earlier, following, kinds))
        or _hash_changed(previous, following)
        or _displaced(previous, earlier, following)
        or _removed(following)
        or _unproved(following)
    )


def _malformed(row: Row) -> str | None:
    return misshapen(row) or (None if is_hash(row.hash) else "hash changed: no SHA-256")


def _candidates(
    earlier: Sequence[Row], following: Sequence[Row], kinds: Iterable[str]
) -> Iterator[tuple[str, str, Any]]:
    """Yield what a value may have been before, as (word, field, value)."""
    rounds = {row.round for row in (*earlier, *following)}
    for value in sorted(rounds | {r + 1 for r in rounds} | {r - 1 for r in rounds}):
        yield "round", "round", value
    for kind in kinds:
        yield "kind", "kind", kind
    for cause in (None, *(row.seq for row in reversed(earlier))):
        yield "cause", "cause", cause
    for moment in {row.at for row in (*earlier, *following)}:
        yield "time", "at", moment


def _one_value_changed(
    previous: str, row: Row, candidates: Iterable[tuple[str, str, Any]]
) -> str | None:
    for word, field, value in candidates:
        if fits(previous, replace(row, **{field: value})):
            return f"{word} changed: it was {value}, it is {getattr(row, field)}"
    return None


def _hash_changed(previous: str, following: Sequence[Row]) -> str | None:
    if len(following) > 1 and fits(row_hash(previous, following[0].content()), following[1]):
        return "hash changed"
    return None


def _displaced(previous: str, earlier: Sequence[Row], following: Sequence[Row]) -> str | None:
    """Look for the row that belongs here among those that follow."""
    row = following[0]
    for place, other in enumerate(following[1:], start=1):
        if not any(fits(previous, moved) for moved in _renumbered(other, row.seq)):
            continue
        before_other = other.hash if place == 1 else following[place - 1].hash
        if any(fits(before_other, moved) for moved in _renumbered(row, other.seq)):
            return f"order changed: rows {row.seq} and {other.seq} were swapped"
        for known in joined(earlier, following[1:]):
            if _says_the_same(row, known):
                return f"row inserted: a copy of another; the row that belongs here is {other.seq}"
        return f"row inserted: the row that belongs here is {other.seq}"
    return None


def _removed(following: Sequence[Row]) -> str | None:
    """Look whether rows are missing and the later ones were given their numbers."""
    if len(following) == 1:
        return None
    row, successor = following[0], following[1]
    for count in range(1, len(following) + 1):
        if any(fits(row.hash, moved) for moved in _renumbered(successor, successor.seq + count)):
            return f"row missing: {count} removed here and the later ones renumbered"
    return None


def _unproved(following: Sequence[Row]) -> str:
    if len(following) == 1:
        return "time, body or hash changed"
    if fits(following[0].hash, following[1]):
        return "body changed (or the time)"
    return "row changed together with its hash, or put in place of another"


def _renumbered(row: Row, seq: int) -> Iterator[Row]:
    """Yield the row with another number, its cause as it is and moved by as much."""
    yield replace(row, seq=seq)
    if row.cause is not None:
        yield replace(row, seq=seq, cause=row.cause + seq - row.seq)


def _says_the_same(row: Row, other: Row) -> bool:
    return (row.at, row.round, row.kind, row.body) == (
        other.at,
        other.round,
        other.kind,
        other.body,
    )
