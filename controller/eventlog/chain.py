"""How one row follows from another: sequence, cause and hash.  No I/O.

Each hash covers the hash before it, so a row can't be changed, moved, added or left out without
every later hash changing too. FORMAT.md says the same for somebody without this program.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from controller.eventlog.row import Content, Entry, Row, is_moment

GENESIS = "0" * 64
"""The hash that stands before the first row."""


class Head(NamedTuple):
    """How far a log goes: the last row's sequence and hash."""

    seq: int
    hash: str


START = Head(0, GENESIS)
"""The head of a log without rows."""


def row_hash(previous_hash: str, content: Content) -> str:
    """Return the seal of a row: lower-case hex SHA-256 over what came before and what it says.

    The digest is taken over the previous hash, a newline, and the row as a JSON object without
    its ``hash``. All fields before the body are JSON scalars and the body comes last, so no two
    different rows share one encoding, whatever the body holds.
    """
    sealed = previous_hash.encode() + b"\n" + msgspec.json.encode(content)
    return sha256(sealed).hexdigest()


def fits(previous_hash: str, row: Row) -> bool:
    """Tell whether a row's hash is the one it must have after the given hash."""
    try:
        return row_hash(previous_hash, row.content()) == row.hash
    except UnicodeEncodeError:  # it holds text that no writer can have put there
        return False


def seal(previous_hash: str, content: Content) -> Row:
    """Return the content as a row that follows the given hash."""
    return Row(
        content.seq,
        content.at,
        content.round,
        content.kind,
        content.cause,
        content.body,
        row_hash(previous_hash, content),
    )


def link(
    head: Head, at: str, event: Entry, outcomes: Sequence[Entry], cause: int | None
) -> tuple[Row, ...]:
    """Return the rows that record an event and its outcomes after the given head.

    Raises:
        ValueError: ``at`` is not a time as rows carry it, or ``cause`` is not in the log.

    """
    if not is_moment(at):
        raise ValueError(f"time {at!r} is not UTC like 2026-05-09T07:35:25.123456Z")
    if cause is not None and not 1 <= cause <= head.seq:
        raise ValueError(f"cause {cause} is not in the log, which goes up to {head.seq}")
    rows: list[Row] = []
    seq, previous = head.seq, head.hash
    for entry in (event, *outcomes):
        seq += 1
        body = msgspec.Raw(entry.body)
        row = seal(previous, Content(seq, at, entry.round, entry.kind, cause, body))
        rows.append(row)
        previous = row.hash
        cause = head.seq + 1  # the outcomes follow from the event
    return tuple(rows)


def head_of(rows: Sequence[Row]) -> Head:
    """Return the head of a log that ends with these rows, at least one."""
    return Head(rows[-1].seq, rows[-1].hash)
