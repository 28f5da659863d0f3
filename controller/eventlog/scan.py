"""Checking the rows of one day: each follows from the one before, and what must be is signed."""

import sqlite3
from collections import deque
from collections.abc import Collection, Iterator
from copy import copy
from pathlib import Path
from typing import Any

import msgspec

from controller.eventlog import schema
from controller.eventlog.chain import START, Head, fits
from controller.eventlog.checkpoints import DAY_OPENED, SIGNED, Checkpoint
from controller.eventlog.diagnose import explain
from controller.eventlog.files import DayFile
from controller.eventlog.row import Row
from controller.eventlog.signing import is_signed
from controller.eventlog.verdict import CLOSING_KIND, OPENING_KIND, FirstBad

NEARBY = 256
"""Rows before and after a bad one that are looked at to say what was done to it."""


class Scan:
    """One pass over the rows of a log: how far they hold, and why no further."""

    def __init__(self, noted: Collection[int] = ()) -> None:
        """Begin before the first row; the hashes of the rows ``noted`` are kept."""
        self.head = START
        self.count = 0
        self.signed = START
        self.hashes: dict[int, str] = {}
        self._noted = frozenset(noted)
        self.opened = 0
        self.closed = 0
        self.earlier: deque[Row] = deque(maxlen=NEARBY)

    def copy(self) -> "Scan":
        """Return one that goes on from here by itself."""
        other = copy(self)
        other.earlier = self.earlier.copy()
        other.hashes = self.hashes.copy()
        return other

    def before(self, seq: int) -> Head:
        """Return the head before a row that turned out not to hold, as near as it is known."""
        known = [self.signed, *(Head(row.seq, row.hash) for row in self.earlier)]
        return max((head for head in known if head.seq < seq), default=START)

    def take(self, row: Row) -> None:
        """Count a row that holds."""
        self.head = Head(row.seq, row.hash)
        self.count += 1
        self.earlier.append(row)
        if row.seq in self._noted:
            self.hashes[row.seq] = row.hash
        if row.kind == OPENING_KIND:
            self.opened = row.seq
        elif row.kind == CLOSING_KIND:
            self.closed = row.seq


class Signatures:
    """The checkpoints of one day, taken as its rows go by.

    Each row that must be signed is the last of its transaction or is followed by one that is.
    """

    def __init__(
        self, db: sqlite3.Connection, kept: Iterator[Checkpoint], key: str | None, *, each: bool
    ) -> None:
        """Read what is signed, inside the file and as it is ``kept`` beside it.

        ``each`` says to check every signature, not only the last.
        """
        self._db = db
        self._key = key
        self._each = each
        self._inside = db.execute("SELECT seq, signature FROM checkpoint ORDER BY seq")
        self._next = self._inside.fetchone()
        self._kept = kept
        self._next_kept = next(self._kept, None)
        self._first = 0
        self._due = 0
        self._last: tuple[Head, str] | None = None

    def take(self, row: Row, scan: Scan) -> FirstBad | None:
        """Look at what is signed at a row; return what is wrong with it."""
        if self._due and row.cause != self._first:
            return _unsigned(self._due, row.seq - 1)
        if row.cause != self._first:
            self._first = row.seq
        if row.kind in SIGNED:
            self._due = row.seq
        if self._next is not None and self._next[0] < row.seq:
            return FirstBad(self._next[0], "a checkpoint was added where there is no event")
        if self._next is None or self._next[0] != row.seq:
            return self._outside(row, None)
        signature = self._next[1]
        self._next = self._inside.fetchone()
        self._due = 0
        head = Head(row.seq, row.hash)
        self._last = (head, signature)
        if bad := self._outside(row, signature):
            return bad
        if self._each:
            return self._check(head, signature, scan)
        return None

    def end(self, scan: Scan) -> FirstBad | None:
        """Look at what is left when there are no more rows."""
        if self._due:
            return _unsigned(self._due, scan.head.seq)
        if self._next is not None:
            what = f"rows after {scan.head.seq} cut off: event {self._next[0]} was signed"
            return FirstBad(scan.head.seq + 1, what)
        if self._next_kept is not None:
            return self._cut_off(scan)
        if self._last is not None and not self._each:
            return self._check(*self._last, scan)
        return None

    def _check(self, head: Head, signature: str, scan: Scan) -> FirstBad | None:
        if self._key is not None and is_signed(self._key, head, signature):
            scan.signed = head
            return None
        if self._key is None:
            return FirstBad(head.seq, "it is signed, and the day's public key is not listed")
        return self._forged(head, scan)

    def _forged(self, head: Head, scan: Scan) -> FirstBad:
        """Tell a checkpoint that was changed from rows that were."""
        if self._holds_later(head.seq):
            what = "its checkpoint was forged: it is not signed by the day's key, a later one is"
            return FirstBad(head.seq, what)
        first = scan.signed.seq + 1
        which = f"event {first}" if first == head.seq else f"events {first} to {head.seq}"
        return FirstBad(
            first,
            f"{which} rewritten, all or some, and the hashes computed anew: the checkpoint at"
            f" {head.seq} is not signed by the day's key",
        )

    def _holds_later(self, seq: int) -> bool:
        """Tell whether the owner of the key signed a later row: then this one is as signed, too."""
        query = (
            "SELECT seq, hash, signature FROM checkpoint JOIN event USING (seq)"
            " WHERE seq > ? ORDER BY seq DESC"
        )
        later = self._db.execute(query, (seq,))
        return any(is_signed(self._key or "", Head(at, hash_), by) for at, hash_, by in later)

    def _outside(self, row: Row, signature: str | None) -> FirstBad | None:
        """Compare with the copy beside the file, as far as that goes."""
        while self._next_kept is not None and self._next_kept.seq < row.seq:
            self._next_kept = next(self._kept, None)
        kept = self._next_kept
        if kept is None or kept.seq != row.seq:
            return None
        self._next_kept = next(self._kept, None)
        if kept.hash == row.hash and kept.signature == signature:
            return None
        return self._contradiction(kept, row, signature)

    def _contradiction(self, kept: Checkpoint, row: Row, signature: str | None) -> FirstBad:
        genuine = self._key is not None and is_signed(self._key, kept.head, kept.signature)
        if not genuine:
            return FirstBad(row.seq, "the checkpoint kept beside the file was forged")
        if kept.hash != row.hash:
            return FirstBad(
                row.seq,
                "the checkpoint kept beside the file has another hash: this or earlier rows were"
                " rewritten and their hashes computed anew",
            )
        what = "was removed from the file" if signature is None else "was changed in the file"
        return FirstBad(row.seq, f"its checkpoint {what}; the copy beside it holds")

    def _cut_off(self, scan: Scan) -> FirstBad | None:
        """A genuine checkpoint of a later row: rows were cut off."""
        for kept in (self._next_kept, *self._kept):
            assert kept is not None
            if kept.seq <= scan.head.seq:
                continue
            if self._key is not None and is_signed(self._key, kept.head, kept.signature):
                what = f"rows after {scan.head.seq} cut off: event {kept.seq} was signed"
                return FirstBad(scan.head.seq + 1, what)
            return FirstBad(kept.seq, "the checkpoint kept beside the file was forged")
        return None


def _unsigned(seq: int, last: int) -> FirstBad:
    return FirstBad(seq, f"its checkpoint was removed: event {last} must be signed")


def walk(
    db: sqlite3.Connection, file: DayFile, scan: Scan, signatures: Signatures | None
) -> Iterator[FirstBad | None]:
    """Take rows in order; yield None after each that holds, and what is wrong with one and end."""
    for record in db.execute(f"{schema.SELECT} ORDER BY seq"):
        if bad := _gap(scan.head.seq + 1, record[0]):
            yield bad
            return
        row = schema.to_row(record, file.path)
        if not fits(scan.head.hash, row):
            yield FirstBad(row.seq, _what_was_done(db, file.path, scan, row))
            return
        if signatures is not None and (bad := signatures.take(row, scan)):
            yield bad
            return
        scan.take(row)
        yield None
    if signatures is not None and (bad := signatures.end(scan)):
        yield bad


def _gap(expected: int, found: int) -> FirstBad | None:
    if found == expected:
        return None
    if found < expected:
        return FirstBad(expected, f"row inserted with the number {found}")
    if found == expected + 1:
        return FirstBad(expected, "row missing")
    return FirstBad(expected, f"rows {expected} to {found - 1} missing")


def _what_was_done(db: sqlite3.Connection, file: Path, scan: Scan, row: Row) -> str:
    def fetch(query: str, values: tuple[Any, ...]) -> list[Any]:
        return db.execute(query, values).fetchall()

    following = list(schema.rows_between(fetch, file, row.seq - 1, row.seq + NEARBY))
    kinds = [kind for (kind,) in fetch("SELECT DISTINCT kind FROM event", ())]
    return explain(list(scan.earlier), following, kinds)


class Header(msgspec.Struct, frozen=True):
    """What the first row of a day says of the log; it says more."""

    class Before(msgspec.Struct, frozen=True):
        """The file of the day before."""

        file: str
        sha256: str
        seq: int
        hash: str

    day: int
    key: str
    previous: Before | None = None


def header_of(db: sqlite3.Connection) -> Header | None:
    """Return what a day's first row says, None if it is no such row."""
    found = db.execute("SELECT kind, body FROM event ORDER BY seq LIMIT 1").fetchone()
    if found is None or found[0] != DAY_OPENED:
        return None
    try:
        return msgspec.json.decode(found[1], type=Header)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
