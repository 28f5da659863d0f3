"""One pass over the rows of a log: each follows from the one before.

Most of the time that a verification takes goes here, so the way of a row that holds is short: its
text is put together from the columns as they lie in the file, and hashed. A row that does not hold
that way is looked at again with care, and what was done to it is said.
"""

import sqlite3
from collections import deque
from collections.abc import Collection
from copy import copy
from hashlib import sha256
from typing import Any, Final

from controller.eventlog import schema
from controller.eventlog.chain import START, Head, fits
from controller.eventlog.checkpoints import DAY_CLOSED, SIGNED
from controller.eventlog.diagnose import explain
from controller.eventlog.files import DayFile
from controller.eventlog.form import Form, Runs
from controller.eventlog.row import Row
from controller.eventlog.signatures import Signatures
from controller.eventlog.verdict import CLOSING_KIND, OPENING_KIND, FirstBad, Progress

NEARBY: Final = 256
"""Rows before and after a bad one that are looked at to say what was done to it."""

PROGRESS_STEP: Final = 10_000
"""Rows between two calls of ``progress``."""

_EVENT: Final = b'%b\n{"seq":%d,"at":"%b","round":%d,"kind":"%b","cause":null,"body":%b}'
_OUTCOME: Final = b'%b\n{"seq":%d,"at":"%b","round":%d,"kind":"%b","cause":%d,"body":%b}'
_NOTED: Final = frozenset(kind.encode() for kind in (*SIGNED, OPENING_KIND, CLOSING_KIND))


class Scan:
    """How far the rows of a log hold, and what is known of them."""

    def __init__(self, noted: Collection[int] = (), also: Collection[int] = ()) -> None:
        """Begin before the first row; the hashes of the rows ``noted``, and ``also``, are kept."""
        self.head = START
        self.count = 0
        self.signed = START
        self.opened = 0
        self.closed = 0
        self.hashes: dict[int, str] = {}
        self.seen = max(noted, default=0)
        """How far the witness says that the log went."""
        self._wanted = frozenset([*noted, *also])
        self._runs = Runs()
        self._earlier: deque[tuple[Any, ...]] = deque(maxlen=NEARBY)

    def copy(self) -> "Scan":
        """Return one that goes on from here by itself."""
        other = copy(self)
        other._earlier = self._earlier.copy()  # noqa: SLF001 - it is one of ours
        other._runs = copy(self._runs)  # noqa: SLF001
        other.hashes = self.hashes.copy()
        return other

    @property
    def is_over(self) -> bool:
        """Tell whether the last row closes a day."""
        return bool(self._earlier) and self._earlier[-1][3] == DAY_CLOSED.encode()

    def before(self, seq: int) -> Head:
        """Return the head before a row that turned out not to hold, as near as it is known."""
        known = [self.signed, *(Head(record[0], record[6].decode()) for record in self._earlier)]
        return max((head for head in known if head.seq < seq), default=START)

    def walk(
        self,
        db: sqlite3.Connection,
        file: DayFile,
        signatures: Signatures | None,
        progress: Progress | None,
        of: int,
    ) -> FirstBad | None:
        """Take the rows of a day in order, for as long as they hold; return what is wrong."""
        seq, previous = self.head.seq, self.head.hash.encode()
        earlier, wanted = self._earlier, self._wanted
        form, runs = Form(), self._runs
        attention = signatures.next if signatures else 0
        as_text = db.text_factory
        # Bytes, not text: they are hashed as they lie, and most of them are never looked at.
        db.text_factory = bytes
        try:
            for record in db.execute(f"{schema.SELECT} ORDER BY seq"):
                number, _, _, kind, cause, _, hash_ = record
                if number != seq + 1:
                    return _gap(seq + 1, number)
                if not _holds(previous, record):
                    db.text_factory = as_text
                    if bad := self._slowly(db, file, Head(seq, previous.decode()), number):
                        return bad
                    db.text_factory = bytes
                if what := form.fault(record) or (runs.ended and runs.fault(record)):
                    return FirstBad(number, what)
                if kind in _NOTED or number in wanted:
                    self._note(record)
                if signatures and (number >= attention or signatures.due or kind in _NOTED):
                    head = Head(number, hash_.decode())
                    if bad := signatures.take(head, kind.decode(), cause, self):
                        return bad
                    attention = signatures.next
                earlier.append(record)
                self.count += 1
                seq, previous = number, hash_
                if progress and (number % PROGRESS_STEP == 0 or number == of):
                    progress(number, of)
        finally:
            db.text_factory = as_text
            self.head = Head(seq, previous.decode())
        return signatures.end(self) if signatures else None

    def _note(self, record: tuple[Any, ...]) -> None:
        seq, _, _, kind, _, _, hash_ = record
        if seq in self._wanted:
            self.hashes[seq] = hash_.decode()
        if kind == OPENING_KIND.encode():
            self.opened = seq
            self._runs.note(record)
        elif kind == CLOSING_KIND.encode():
            self.closed = seq
            self._runs.note(record)

    def _slowly(
        self, db: sqlite3.Connection, file: DayFile, before: Head, seq: int
    ) -> FirstBad | None:
        """Look at a row with care, and say what was done to it; None if it holds after all."""

        def fetch(query: str, values: tuple[Any, ...]) -> list[Any]:
            return db.execute(query, values).fetchall()

        rows = list(schema.rows_between(fetch, file.path, before.seq, seq + NEARBY))
        if fits(before.hash, rows[0]):
            return None
        kinds = [kind for (kind,) in fetch("SELECT DISTINCT kind FROM event", ())]
        return FirstBad(seq, explain([_row(each) for each in self._earlier], rows, kinds))


def _holds(previous: bytes, record: tuple[Any, ...]) -> bool:
    """Tell whether a row's hash is the one it must have after the given hash; see ``chain.fits``.

    The text is the one that the writer hashed, if it is put together from a writer's values. A
    quotation mark in a value that stands between such marks could make other values give the same
    text: such values are no time and no kind, which `Form` finds.
    """
    seq, at, round_, kind, cause, body, hash_ = record
    try:
        if cause is None:
            text = _EVENT % (previous, seq, at, round_, kind, body)
        else:
            text = _OUTCOME % (previous, seq, at, round_, kind, cause, body)
    except TypeError:  # a value of another type, which only a damaged file can have
        return False
    return bool(sha256(text).hexdigest().encode() == hash_)


def _row(record: tuple[Any, ...]) -> Row:
    """Return a row that holds."""
    seq, at, round_, kind, cause, body, hash_ = record
    values = (seq, at.decode(), round_, kind.decode(), cause, body.decode(), hash_.decode())
    return schema.to_row(values, schema.NO_FILE)


def _gap(expected: int, found: int) -> FirstBad:
    if found < expected:
        return FirstBad(expected, f"row inserted with the number {found}")
    if found == expected + 1:
        return FirstBad(expected, "row missing")
    return FirstBad(expected, f"rows {expected} to {found - 1} missing")
