"""Checking what is signed in one day: the checkpoints in its file, and the copy beside it.

Each signature covers the one before it, so the last one that holds stands for all. Only when it
does not hold is each looked at, to find how far they do.
"""

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from controller.eventlog.chain import Head
from controller.eventlog.checkpoints import NONE_BEFORE, SIGNED, Checkpoint
from controller.eventlog.signing import is_signed
from controller.eventlog.verdict import FirstBad

if TYPE_CHECKING:
    from controller.eventlog.scan import Scan

NONE_LEFT: Final = 2**63


class Signatures:
    """The checkpoints of one day, taken as its rows go by.

    A row that must be signed is the last of its transaction or is followed by one that is signed.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        kept: Iterator[Checkpoint],
        key: str | None,
        *,
        each: bool = False,
    ) -> None:
        """Read what is signed, inside the file and as it is ``kept`` beside it.

        ``each`` says to check every signature, not only the last.
        """
        self.each = each
        self.due = 0
        """The row that must be signed and was not yet; 0 if none."""
        self.inside = 0
        """Checkpoints in the file until now."""
        self.beside = 0
        """Those that are kept beside it too."""
        self._key = key
        self._db = db
        self._inside = db.execute("SELECT seq, before, signature FROM checkpoint ORDER BY seq")
        self._next = self._fetch()
        self._kept = kept
        self._next_kept = next(kept, None)
        self._group: tuple[int | None, int | None] = (None, None)
        self._last: Checkpoint | None = None
        self._covered = NONE_BEFORE

    @property
    def next(self) -> int:
        """The next row at which something is signed, in the file or beside it."""
        inside = self._next[0] if self._next else NONE_LEFT
        return min(inside, self._next_kept.seq if self._next_kept else NONE_LEFT)

    def take(self, head: Head, kind: str, cause: int | None, scan: "Scan") -> FirstBad | None:
        """Look at what is signed at a row that follows from those before it."""
        if self.due and cause not in self._group:
            return self._unsigned(head.seq - 1)
        if kind in SIGNED and not self.due:
            self.due = head.seq
            self._group = (head.seq, cause if cause is not None else head.seq)
        if self._next is not None and self._next[0] < head.seq:
            return FirstBad(self._next[0], "a checkpoint was added where there is no event")
        if self._next is None or self._next[0] != head.seq:
            return self._beside(head, None, scan)
        checkpoint = Checkpoint(*head, *self._next[1:])
        self._next = self._fetch()
        self.due = 0
        if bad := self._beside(head, checkpoint, scan):
            return bad
        covers, self._covered = checkpoint.before == self._covered, checkpoint.after
        if self.each and (bad := self._check(checkpoint, scan)):
            return bad
        if not covers:
            return FirstBad(head.seq, "a checkpoint before this one was added, removed or changed")
        self._last = checkpoint
        return None

    def end(self, scan: "Scan") -> FirstBad | None:
        """Look at what is left when there are no more rows."""
        if self._next is not None:
            what = f"rows after {scan.head.seq} cut off: event {self._next[0]} was signed"
            return FirstBad(scan.head.seq + 1, what)
        if bad := self._cut_off(scan):
            return bad
        if self.due and scan.head.seq < scan.seen:
            return None  # the witness tells that rows are missing, and which
        if self.due:
            return self._unsigned(scan.head.seq)
        return self._check(self._last, scan) if self._last and not self.each else None

    def _fetch(self) -> tuple[int, str, str] | None:
        """Return the next checkpoint in the file: number, ``before``, signature."""
        found = self._inside.fetchone()
        return (found[0], _text(found[1]), _text(found[2])) if found else None

    def _unsigned(self, last: int) -> FirstBad:
        return FirstBad(self.due, f"its checkpoint was removed: event {last} must be signed")

    def _check(self, checkpoint: Checkpoint, scan: "Scan") -> FirstBad | None:
        if self._key is None:
            return FirstBad(checkpoint.seq, "it is signed, and the day's public key is not listed")
        if self._is_genuine(checkpoint):
            scan.signed = checkpoint.head
            return None
        if self._holds_later(checkpoint.seq):
            what = "its checkpoint was forged: it is not signed by the day's key, a later one is"
            return FirstBad(checkpoint.seq, what)
        return FirstBad(
            scan.signed.seq + 1,
            f"{_which(scan, checkpoint.seq)} rewritten, all or some, and the hashes computed anew,"
            f" or the checkpoint at {checkpoint.seq} was forged: it is not signed by the day's key",
        )

    def _holds_later(self, seq: int) -> bool:
        """Tell whether the owner of the key signed a later row: then the rows are as signed."""
        query = (
            "SELECT seq, hash, before, signature FROM checkpoint JOIN event USING (seq)"
            " WHERE seq > ? ORDER BY seq DESC"
        )
        later = self._db.execute(query, (seq,))
        return any(self._is_genuine(Checkpoint(one[0], *map(_text, one[1:]))) for one in later)

    def _is_genuine(self, one: Checkpoint) -> bool:
        return self._key is not None and is_signed(self._key, one)

    # --- the copy beside the file -----------------------------------------------------------------

    def _beside(self, head: Head, inside: Checkpoint | None, scan: "Scan") -> FirstBad | None:
        """Compare with the copy beside the file, as far as that goes."""
        self.inside += inside is not None
        kept = self._next_kept
        if kept is None or kept.seq > head.seq:
            return None
        if kept.seq < head.seq:
            what = "the checkpoint kept beside the file is not of this day"
            return FirstBad(kept.seq, what)
        self.beside += 1
        self._next_kept = next(self._kept, None)
        if kept == inside:
            return None
        if not self._is_genuine(kept):
            return FirstBad(head.seq, "the checkpoint kept beside the file was forged")
        if kept.hash != head.hash:
            return FirstBad(
                scan.signed.seq + 1,
                f"{_which(scan, head.seq)} rewritten, all or some, and the hashes computed anew:"
                f" the checkpoint of {head.seq} that is kept beside the file has another hash",
            )
        what = "was removed from the file" if inside is None else "was changed in the file"
        return FirstBad(head.seq, f"its checkpoint {what}; the copy beside it holds")

    def _cut_off(self, scan: "Scan") -> FirstBad | None:
        """Find a checkpoint of a row that is not there."""
        while (kept := self._next_kept) is not None:
            self._next_kept = next(self._kept, None)
            if kept.seq <= scan.head.seq:
                continue
            if not self._is_genuine(kept):
                return FirstBad(kept.seq, "the checkpoint kept beside the file was forged")
            what = f"rows after {scan.head.seq} cut off: event {kept.seq} was signed"
            return FirstBad(scan.head.seq + 1, what)
        return None


def _which(scan: "Scan", last: int) -> str:
    """Name the events after the last one that a signature holds for."""
    first = scan.signed.seq + 1
    return f"event {first}" if first == last else f"events {first} to {last}"


def _text(value: object) -> str:
    """Return text that the connection may give as bytes, as it does while rows are hashed."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
