"""Checking a whole log: every row, the files around them, what was signed, and the witness."""

import sqlite3
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from controller.eventlog import schema, witness
from controller.eventlog.chain import GENESIS, START
from controller.eventlog.checkpoints import read_kept, size_of
from controller.eventlog.database import (
    begins_as_database,
    ends_early,
    inside,
    size_of_database,
)
from controller.eventlog.errors import LogAltered, NotALog
from controller.eventlog.files import (
    PUBLIC_KEYS,
    WITNESS,
    DayFile,
    LogFiles,
    completed,
    days_in,
    find_log,
    first_missing,
    sha256_of,
)
from controller.eventlog.halves import may_lack_rows, missing_from, must_not_be_half, not_kept
from controller.eventlog.header import Header, header_of
from controller.eventlog.read import open_source
from controller.eventlog.reasons import DATABASE_ERRORS, is_damage, on_reading, why
from controller.eventlog.scan import Scan
from controller.eventlog.signatures import Signatures
from controller.eventlog.trust import Trust
from controller.eventlog.verdict import FirstBad, Progress, Verdict
from controller.eventlog.wal import wal_fault
from controller.eventlog.writtendown import WrittenDown, compare


def verify(
    path: Path,
    progress: Progress | None = None,
    *,
    keys: Sequence[str] = (),
    elsewhere: Sequence[Path] = (),
    written: Sequence[WrittenDown] = (),
) -> Verdict:
    """Check a log, also one that is being written; see `Verdict`.

    It takes one look at each day as it is now, and memory for a few hundred rows.

    ``keys`` are public keys that were kept elsewhere, 64 hex digits each, after the number of their
    day and a colon if that is known; without any, those that the log itself lists are believed.
    ``elsewhere`` are folders in which days are looked for that are not at the path, as they may
    have been moved to an archive. ``written`` are checkpoints that somebody wrote down.

    Raises:
        NotALog: there is no log at the path, or it can't be read now.
        NewerFormat: a later version of this program wrote it.

    """
    files = find_log(path)
    if files.odd:  # what a log has not: nothing of it is opened
        return _unread(files.odd[0])
    slots = _slots(files)
    files = completed(files, elsewhere)
    if files.odd:
        return _unread(files.odd[0])
    return _Check(files, slots, keys, progress, written).run()


def _unread(what: str) -> Verdict:
    return Verdict(
        ok=False, events=0, head=GENESIS, first_bad=FirstBad(0, what), open_round=False, days=0
    )


def _slots(files: LogFiles) -> witness.Slots | None:
    """Read the witness, before the rows: a log may run ahead of what is read here."""
    try:
        return witness.read(files.folder / WITNESS)
    except OSError as error:
        raise NotALog(files.folder / WITNESS, f"it can't be read: {why(error)}") from error


class _Check:
    """One check of one log."""

    def __init__(
        self,
        files: LogFiles,
        slots: witness.Slots | None,
        keys: Sequence[str],
        progress: Progress | None,
        written: Sequence[WrittenDown],
    ) -> None:
        self._files = files
        self._slots = slots
        self._keys = keys
        self._trust = Trust.of(files.folder, keys)
        self._progress = progress
        self._written = written
        self._scan = Scan(
            [slot.seq for slot in slots or () if slot], also=[one.seq for one in written]
        )
        self._days = 0
        self._last = 0
        self._last_day = 0
        self._sparse: dict[DayFile, int] = {}
        """How many checkpoints are in a day's file, where not all are kept beside it."""
        self._signers: dict[int, str] = {}
        """The key of each day in which a signature held."""

    def run(self) -> Verdict:
        bad = self._keys_unlike() or self._gone()
        if bad is None:
            self._last = self._last_row() if self._progress else 0
            bad = self._all_days() or self._keys_unproved()
        events, head = self._scan.count, self._scan.head
        if bad and 0 < bad.seq <= head.seq:  # what shows it stands in a later row
            head = self._scan.before(bad.seq)
            events -= self._scan.head.seq - head.seq
        bad = bad or self._lacking() or self._against_witness()
        half = self._half(bad)
        notes = (*self._notes(), *half, *(() if bad else not_kept(self._sparse)))
        if bad is None:
            whole, first = self._files.whole, head.seq - events + 1
            said = compare(self._written, first, head, self._scan.hashes.get, whole=whole)
            bad, notes = said.bad, (*notes, *said.notes)
            if bad and bad.seq <= head.seq:  # as far as nothing that was written down vouches for
                events, head = max(0, said.held.seq - first + 1), said.held
        return Verdict(
            ok=bad is None,
            events=events,
            head=head.hash,
            first_bad=bad,
            open_round=self._scan.opened > self._scan.closed,
            days=self._days,
            signed=min(self._scan.signed.seq, head.seq),
            notes=notes,
            half=bool(half),
            last=head.seq,
        )

    def _notes(self) -> tuple[str, ...]:
        if self._files.whole:
            return self._trust.notes
        numbers = ", ".join(str(day.number) for day in self._files.days)
        return (f"only day {numbers} was looked at: what was before is not shown",)

    # --- what a copy may lack ---------------------------------------------------------------------

    def _lacking(self) -> FirstBad | None:
        """Find what stands beside the days' files in a log that has rows, and does not here."""
        if not self._files.whole or not self._scan.count:
            return None
        days = [day for day in self._now() if day.number <= self._last_day]
        what = missing_from(self._files, days, self._slots)
        return FirstBad(0, what) if what else None

    def _half(self, bad: FirstBad | None) -> tuple[str, ...]:
        """Say that rows may be missing where nothing else tells how far the log went."""
        if not (days := self._now()):
            return ()
        must_not_be_half(days[-1], self._slots, rows=bool(self._scan.count or bad))
        told = "cut off" in bad.what if bad else not self._is_witnessed(days[-1])
        what = may_lack_rows(days[-1]) if told and not self._scan.is_over else None
        return (what,) if what else ()

    def _is_witnessed(self, day: DayFile) -> bool:
        """Tell whether the witness says how far a day went: it tells of the last one only."""
        here = [one.number for one in days_in(self._files.folder)]
        return any(self._slots or ()) and day.number >= max(here, default=0)

    # --- keys -------------------------------------------------------------------------------------

    def _keys_unlike(self) -> FirstBad | None:
        """Find what is wrong with the list of keys before any row is read."""
        if bad := self._trust.fault():
            return bad
        alone = self._trust.is_blank and not self._files.whole  # that file names its own key
        return None if alone else self._trust.stranger()

    def _keys_unproved(self) -> FirstBad | None:
        """Find keys, listed or known, that belong to none of the days."""
        whole = self._files.whole
        bad = self._trust.beyond(self._last_day) if whole else None
        return bad or self._trust.unproved(self._signers, whole=whole)

    # --- files ------------------------------------------------------------------------------------

    def _gone(self) -> FirstBad | None:
        """Find files that are missing, as a whole."""
        seen = witness.furthest(self._slots)
        try:
            begun = [day for day in self._files.days if day.has_begun]
        except OSError as error:
            raise NotALog(self._files.folder, f"it can't be read: {why(error)}") from error
        if not begun and not seen:
            if self._files.days:
                raise NotALog(self._files.days[-1].path, schema.EMPTY)
            raise NotALog(self._files.folder, "the file is gone, and it had no events")
        if not begun:
            return FirstBad(1, f"the file is gone or empty: the witness saw {seen} events")
        numbers = [day.number for day in begun]
        missing = first_missing(numbers, since=1 if self._files.whole else numbers[0])
        return FirstBad(0, f"the file of day {missing} is missing") if missing else None

    def _all_days(self) -> FirstBad | None:
        """Read the days, the last one again if it was gone on with before the next was begun."""
        done: set[DayFile] = set()
        while days := self._begun_but(done):
            *over, last = days
            for day in over:
                if bad := self._one_day(day, [*done, *days]):
                    return bad
                done.add(day)
            before = self._scan
            bad = self._one_day(last, [*done, *days])
            self._days = len(done) + 1
            if bad or not self._begun_but({*done, last}):
                return bad
            self._scan = before
        return None

    def _begun_but(self, done: Collection[DayFile]) -> list[DayFile]:
        """Return the days that have begun by now, in order, without those that are done."""
        return [day for day in self._now() if day not in done and day.has_begun]

    def _now(self) -> tuple[DayFile, ...]:
        if not self._files.whole:
            return self._files.days
        found = {day.number: day for day in self._files.days}
        for day in days_in(self._files.folder):
            found.setdefault(day.number, day)
        return tuple(sorted(found.values()))

    def _one_day(self, day: DayFile, all_days: Sequence[DayFile]) -> FirstBad | None:
        if not begins_as_database(day.path):
            if witness.furthest(self._slots):
                return FirstBad(0, f"{day.path.name} is no database any more")
            raise NotALog(day.path, "it is not a database")
        after = next((one for one in all_days if one.number == day.number + 1), None)
        sealed_as = _sealed_as(after) if after else None
        if after and day.path.stat().st_size > size_of_database(day.path):
            return FirstBad(0, f"{day.path.name}: {_LONGER}")  # by how much, nobody need read
        digest = sha256_of(day.path) if after else ""
        before = self._scan
        if torn := wal_fault(day.path):
            return FirstBad(0, torn)
        # Before the rows: what is kept beside them is never ahead of what is read here.
        kept = size_of(day.checkpoints)
        source = open_source(day.path, undecodable="surrogateescape")
        try:
            bad = source.read(lambda db: self._database(db, day, before, kept))
        except (OSError, sqlite3.Error) as error:
            raise NotALog(day.path, f"it can't be read any more: {why(error)}") from error
        finally:
            source.close()
        return bad or self._sealing(day, after, sealed_as, digest)

    def _before(self, day: DayFile) -> DayFile | None:
        """Return the file of the day before, if it is looked at too."""
        return next((one for one in self._now() if one.number == day.number - 1), None)

    def _sealing(
        self, day: DayFile, after: DayFile | None, sealed_as: str | None, digest: str
    ) -> FirstBad | None:
        """Compare the file of a day that is over with what the next day says of it."""
        if after is None:
            return None
        if sealed_as not in (None, digest):
            what = "the file was changed after it was sealed, though its rows hold"
            return FirstBad(0, f"{day.path.name}: {what}")
        if day.path.with_name(f"{day.path.name}-wal").exists():
            return FirstBad(0, f"{day.path.name}-wal was added to a day that is sealed")
        return None

    # --- one database -----------------------------------------------------------------------------

    def _database(
        self, db: sqlite3.Connection, day: DayFile, before: Scan, kept: int
    ) -> FirstBad | None:
        self._scan = before.copy()  # what was read of a file that changed is thrown away
        try:
            db.execute("BEGIN")  # all that follows sees the file at one moment
            schema.identify(db, day.path)
            return self._rows_and_shape(db, day, kept) or inside(db)
        except DATABASE_ERRORS as error:
            if not is_damage(error):
                raise on_reading(error, day.path, 0) from error
            what = f"the file is damaged ({error}){ends_early(day.path)}"
            return FirstBad(self._scan.head.seq + 1, what)
        except LogAltered as problem:
            return FirstBad(problem.seq, problem.what)
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")

    def _rows_and_shape(self, db: sqlite3.Connection, day: DayFile, kept: int) -> FirstBad | None:
        """Prefer what is wrong with a row: a guard taken away is only the means to that."""
        old = schema.is_old(db)
        shape = schema.fault(db, old=old)
        bad = FirstBad(0, shape) if shape else None
        try:
            return self._rows(db, day, kept, signed=not old) or bad
        except DATABASE_ERRORS:
            if bad is None:
                raise
            return bad

    def _rows(
        self, db: sqlite3.Connection, day: DayFile, kept: int, *, signed: bool
    ) -> FirstBad | None:
        header = header_of(db) if signed else None
        if bad := self._beginning(db, day, header):
            return bad
        if not signed:
            return self._scan.walk(db, day, None, self._progress, self._last)
        key = self._trust.key_of(day.number) or (header.key if header else None)
        start = self._scan.copy()
        signatures = Signatures(db, read_kept(day.checkpoints, kept), key)
        bad = self._scan.walk(db, day, signatures, self._progress, self._last)
        if self._scan.count > start.count:
            self._last_day = day.number
        self._sparse.pop(day, None)
        if signatures.beside < signatures.inside:
            self._sparse[day] = signatures.inside
        if key is not None and self._scan.signed.seq > start.signed.seq:
            self._signers[day.number] = key
        if bad:  # look how far the signatures hold, one by one
            self._scan = start
            signatures = Signatures(db, read_kept(day.checkpoints, kept), key, each=True)
            bad = self._scan.walk(db, day, signatures, None, self._last) or bad
        return bad

    def _beginning(
        self, db: sqlite3.Connection, day: DayFile, header: Header | None
    ) -> FirstBad | None:
        """Compare a day's first row with the day before and with the keys."""
        alone = not self._files.whole and self._scan.head == START
        if alone and header and header.previous:
            self._scan.head = header.previous.head
        first = self._scan.head.seq + 1
        if day.number > 1 and header is None:
            found = db.execute("SELECT 1 FROM event LIMIT 1").fetchone()
            return FirstBad(first, "the day's first row is missing or changed") if found else None
        if header is None:
            return None
        if what := header.misnames(day, self._before(day)):
            return FirstBad(0, what)
        if day.number > 1 and header.previous is None:
            return FirstBad(first, "the day's first row does not name the file before")
        if self._trust.key_of(day.number) is None:
            # A day that has begun since the list was read: its key was listed before it began.
            self._trust = Trust.of(self._files.folder, self._keys)
            if bad := self._trust.fault():
                return bad
        listed = self._trust.key_of(day.number)
        if listed is None and (self._files.whole or not self._trust.is_blank):
            lacks = self._trust.is_blank and missing_from(self._files, [day], self._slots)
            return FirstBad(0, lacks or f"{PUBLIC_KEYS}: the key of day {day.number} was removed")
        if listed is not None and listed != header.key:
            return FirstBad(first, "the day's key is another one than the log lists")
        if why_not := self._trust.broken_at(day.number):
            return FirstBad(first, f"day {day.number}: {why_not}")
        return None

    def _last_row(self) -> int:
        """Return the number of the last row that there is now, as far as it can be read."""
        for day in reversed(self._now()):
            with suppress(NotALog, OSError, *DATABASE_ERRORS):
                source = open_source(day.path)
                try:
                    (found,) = source.fetch("SELECT coalesce(max(seq), 0) FROM event", ())[0]
                finally:
                    source.close()
                return int(found)
        return 0

    # --- the witness ------------------------------------------------------------------------------

    def _against_witness(self) -> FirstBad | None:
        last = self._now()[-1]
        if not self._files.whole and not self._is_witnessed(last):
            return None
        scan = self._scan
        slots = witness.since(self._slots, scan.head.seq - scan.count + 1)
        found = witness.contradiction(slots, scan.head, scan.hashes.get)
        return FirstBad(*found) if found else None


_LONGER = "the file was changed after it was sealed: it goes on behind the database in it"


def _sealed_as(after: DayFile) -> str | None:
    """Return what the next day's first row says of the file before it."""
    source = open_source(after.path)
    try:
        header = source.read(header_of)
    except DATABASE_ERRORS:
        return None  # the next day's own check says what is wrong with it
    finally:
        source.close()
    return header.previous.sha256 if header and header.previous else None
