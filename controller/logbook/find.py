"""One round out of a long log, without reading what lies before it."""

from collections.abc import Iterator

from controller.errors import UsageError
from controller.eventlog import EventLogError, Readable, Row
from controller.eventlog.checkpoints import DAY_OPENED
from controller.logbook.reading import Gap, one, rows_and_gaps
from controller.table.record import EVENT_KINDS, LOGS_OWN, OPENING

Item = Row | Gap


def find_round(reader: Readable, number: int) -> list[Item]:
    """Return the rows of a round, from the one that opens it, with all outcomes of its events.

    Raises:
        UsageError: the log has no such round; says which it has.
    """
    # Rounds are counted from 1; what is of round 0 lies between them.
    found = _of_round(rows_and_gaps(reader, _before(reader, number)), number) if number else []
    if _begins(found, number):
        return found
    first, last = _range(reader)
    if first <= number <= last:
        # An altered log may have led the quick search astray.
        found = _of_round(rows_and_gaps(reader), number) or found
    if found:
        return found
    has = f"it has rounds {first} to {last}" if last > first else f"it has round {first} only"
    raise UsageError(
        f"round {number} is not in this log: {has if last else 'no round was opened in it'}"
    )


def _begins(items: list[Item], number: int) -> bool:
    return any(
        isinstance(item, Row) and item.kind == OPENING and item.round == number for item in items
    )


def _of_round(items: Iterator[Item], number: int) -> list[Item]:
    """Take what belongs to the round, up to the first event of a later one."""
    taken: list[Item] = []
    events: set[int] = set()
    over = False
    for item in items:
        if isinstance(item, Gap):
            if over:
                break
            if taken:
                taken.append(item)
        elif item.round == number or item.cause in events:
            taken.append(item)
            if item.kind in EVENT_KINDS:
                events.add(item.seq)
            over = over or (item.kind == OPENING and item.round > number)
        elif item.round > number and item.kind in EVENT_KINDS and taken:
            break
    return taken


def _before(reader: Readable, number: int) -> int:
    """Return a place in the log before the round's first row, by halving: rounds are in order."""
    try:
        low, high = 0, reader.head.seq + 1
    except EventLogError:
        return 0
    while high - low > 1:
        middle = (low + high) // 2
        row = one(reader, middle)
        if row is not None and row.kind in LOGS_OWN:  # a day ends or begins there
            row = one(reader, middle + (1 if row.kind == DAY_OPENED else -1))
        if row is None or row.round < number:
            low = middle
        else:
            high = middle
    # The row that opens a round is an outcome of the last event of the round before.
    row = one(reader, max(low, 1))
    event = low if row is None or row.cause is None else min(row.cause, low)
    return max(0, event - 1)


def _range(reader: Readable) -> tuple[int, int]:
    """Return the numbers of the first and the last round; 0 where there is none to be read."""
    rows = (item for item in rows_and_gaps(reader) if isinstance(item, Row))
    first = next((row.round for row in rows if row.round), 0)
    try:
        head = reader.head.seq
    except EventLogError:
        return first, first
    ends = (one(reader, seq) for seq in range(head, 0, -1))
    return first, next((row.round for row in ends if row is not None and row.round), first)
