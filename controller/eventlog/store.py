"""The log on disk, as its one writer has it.

A row is recorded when the commit has returned, and not before: only then do the sequence and the
hash kept here move on, and only then is the witness told.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import msgspec

from controller.eventlog import signing, witness
from controller.eventlog.chain import START, Head, head_of, link
from controller.eventlog.checkpoints import DAY_CLOSED, DAY_OPENED, NONE_BEFORE, Checkpoint, is_due
from controller.eventlog.day import OpenDay, forget, roll_back
from controller.eventlog.dayrows import DayRows
from controller.eventlog.errors import (
    DayInUse,
    EventLogError,
    LogAltered,
    LogWriteFailed,
    NotALog,
    SigningKeyLost,
)
from controller.eventlog.files import (
    LOCK,
    PUBLIC_KEYS,
    WITNESS,
    DayFile,
    days_in,
    is_sealed,
    key_folder,
    make_folder,
    name_of,
    sha256_of,
    sync_folder,
)
from controller.eventlog.lock import WriterLock
from controller.eventlog.read import DayReader, LogReader
from controller.eventlog.reasons import DATABASE_ERRORS, on_opening, why
from controller.eventlog.row import Entry, Row, canonical
from controller.eventlog.signing import PublicKey, SigningKey
from controller.eventlog.witness import Witness


class EventLog:
    """An append-only log in a folder of its own; see ``log.Log``.

    It is one file a day. Between two days, after one was closed and before the next is begun,
    it can be read and not added to.

    Every call blocks until the disk has answered. Calls may come from any thread, one at a time.
    """

    def __init__(self, folder: Path, lock: WriterLock) -> None:
        """Take over a folder that is locked; `open` does the rest."""
        self._folder = folder
        self._lock = lock
        self._days: tuple[DayFile, ...] = ()
        self._day: OpenDay | DayReader | None = None
        self._key: SigningKey | None = None
        self._witness: Witness | None = None
        self._head = START
        self._signed = NONE_BEFORE
        """What stands for the checkpoints of the day that is open; the next one covers them."""
        self._doubt: tuple[Row, ...] | None = None
        self._closed = False

    @classmethod
    def open(cls, folder: Path, *, new_key: bool = False) -> Self:
        """Open the log in a folder for writing, or begin one there.

        Reads the end of the log, however long the log is: at least what came after the last
        checkpoint, whose signature must hold.

        With ``new_key`` the day whose key was lost is left as it is, and the log is between days.

        Raises:
            LogHeld: another controller has it; its process id is named.
            LogAltered: the end does not hold together or is not where the witness saw it.
            SigningKeyLost: the key that signs this day is gone.
            LogWriteFailed: the folder or file can't be created or written.
            NotALog, NewerFormat: the file there is something else.

        """
        with ExitStack() as undo:
            try:
                make_folder(folder)
                log = cls(folder, WriterLock.take(folder / LOCK))
                undo.callback(log.close)
                log._take_up(new_key=new_key)
            except DATABASE_ERRORS as error:
                raise on_opening(error, log._file) from error
            except OSError as error:
                raise LogWriteFailed(folder, why(error)) from error
            undo.pop_all()
        return log

    @property
    def head(self) -> Head:
        """The last row's sequence and hash."""
        self._must_be_open()
        return self._head

    @property
    def is_over(self) -> bool:
        """Tell whether the last day was closed: nothing can be added before the next is begun."""
        return not isinstance(self._day, OpenDay) or self._day.is_over()

    def begin_day(self, at: str, body: Mapping[str, Any]) -> Row:
        """Close the day, seal its file, and begin the next with a row that says ``body``.

        The row says besides: the day's number and public key, and of the file before its name,
        SHA-256 and last row. A log without rows has no day to be closed.

        Raises:
            DayInUse: somebody reads the day's file; nothing was done, call again a little later.
            LogWriteFailed: the disk did not take all of it. What was done is done; call again.
            ValueError: the time can't be right, or the log is closed.

        """
        self._must_be_open()
        try:
            if isinstance(self._day, OpenDay) and self._day.first is not None:
                self._close_day(at, self._day)
            return self._open_day(at, body)
        except DATABASE_ERRORS as error:
            raise LogWriteFailed(self._file, why(error)) from error
        except OSError as error:
            raise LogWriteFailed(self._folder, why(error)) from error

    def append(
        self, at: str, event: Entry, outcomes: Sequence[Entry] = (), cause: int | None = None
    ) -> tuple[Row, ...]:
        """Record an event and its outcomes in one transaction; on return they are on the disk.

        Raises:
            LogWriteFailed: nothing is recorded as far as can be told. When the reason is gone the
                same call may be repeated; if it turns out that the step was recorded after all,
                its rows are returned then, and it is not recorded twice.
            ValueError: the time or the cause can't be right, the log is closed or between days.

        """
        self._must_be_open()
        day = self._open_file()
        if self._doubt is not None:
            found = self._look_again(self._doubt, event, outcomes)
            if found:
                return found
            day = self._open_file()
        rows = link(self._head, at, event, outcomes, cause)
        self._bring_witness_up_to_date()
        self._commit(day, rows)
        return rows

    def rows(self, since: int = 0, *, until: int | None = None) -> Iterator[Row]:
        """Yield the rows with ``since < seq <= until`` that are there at the call.

        Raises:
            LogAltered: while iterating, if a file is damaged.

        """
        self._must_be_open()
        last = self._head.seq if until is None else min(until, self._head.seq)
        assert self._day is not None
        first = self._day.first or 1
        if since >= first - 1:
            return self._day.rows(since, last)
        return self._rows_of_all_days(since, last)

    def last_of(self, kind: str) -> Row | None:
        """Return the latest row of a kind in the last day's file, found by index."""
        self._must_be_open()
        assert self._day is not None
        return self._day.last_of(kind)

    def close(self) -> None:
        """Close the files and let the next writer in."""
        if self._closed:
            return
        self._closed = True
        if self._day is not None:
            self._day.close()
        if self._witness is not None:
            self._witness.close()
        self._lock.release()

    # --- opening ----------------------------------------------------------------------------------

    def _take_up(self, *, new_key: bool) -> None:
        slots = witness.read(self._folder / WITNESS)
        found = days_in(self._folder)
        if found:
            roll_back(found[-1])
        self._days = self._without_unbegun(found, slots)
        if self._days:
            self._go_on(slots, new_key=new_key)
        else:
            self._begin()
        # Where the power failed between a day's end and the end of its key.
        signing.destroy(key_folder(self._folder), before=self._days[-1].number + self.is_over)
        self._witness = Witness.open(self._folder / WITNESS, slots)
        if slots is None:
            sync_folder(self._folder)
        elif self._witness.seen != self._head or None in slots:
            self._witness.note(self._head)

    def _without_unbegun(
        self, days: tuple[DayFile, ...], slots: witness.Slots | None
    ) -> tuple[DayFile, ...]:
        """Forget a file that a power cut left before its first row, unless there were rows."""
        begun = tuple(day for day in days if day.path.stat().st_size)
        if not begun and (seen := witness.furthest(slots)):
            path = days[-1].path if days else self._folder
            raise LogAltered(path, 1, f"the file is gone or empty: the witness saw {seen} events")
        for day in days:
            if day not in begun:
                forget(day)
        return begun

    def _begin(self) -> None:
        """Begin a log: the key first, so that no row is without one."""
        self._key = SigningKey.create(key_folder(self._folder), 1)
        signing.add_public(self._folder / PUBLIC_KEYS, PublicKey(1, self._key.public))
        self._start_file(1, self._key)

    def _go_on(self, slots: witness.Slots | None, *, new_key: bool) -> None:
        """Take up the last day: open, over, or cut off before its first row.

        It is looked at before anything is opened for writing: a log that was altered stays as it
        lies, and is evidence.
        """
        last = self._days[-1]
        with closing(DayReader.open(last)) as reader:
            without_rows = reader.first is None
            if without_rows and last.number > 1:
                forget(last)
                self._days = self._days[:-1]
                self._go_on(slots, new_key=new_key)
                return
            over = reader.is_over() or last.number == 0 or new_key
            reader.must_be_in_shape()
            self._head = self._checked_end(reader, slots)
        if new_key and last.number and not is_sealed(last.path):
            OpenDay.open(last).seal()  # without a last word, which nobody can sign any more
        if over and (last.number == 0 or is_sealed(last.path)):
            self._day = DayReader.open(last)
            return
        self._key = None if over else self._key_of(last, without_rows=without_rows)
        if over:
            last.path.chmod(0o600)
        self._day = day = OpenDay.open(last)
        if over:
            self._finish_closing(day)

    def _key_of(self, day: DayFile, *, without_rows: bool) -> SigningKey:
        key = SigningKey.load(key_folder(self._folder), day.number)
        path = self._folder / PUBLIC_KEYS
        listed = signing.public_key_of(path, day.number)
        if listed is None and without_rows:
            signing.add_public(path, PublicKey(day.number, key.public))
        elif listed is None:
            raise LogAltered(path, 0, f"the public key of day {day.number} was removed")
        elif listed.key != key.public:
            raise LogAltered(path, 0, f"the public key of day {day.number} was changed")
        return key

    def _checked_end(self, day: DayRows, slots: witness.Slots | None) -> Head:
        """Return the head, once the witness agrees, the last rows chain and they are signed.

        The rows that are looked at are those since the last checkpoint, at least.
        """
        ended = self._end_before(day)
        head = day.head if day.first is not None else ended

        def hash_at(seq: int) -> str | None:
            return day.hash_at(seq) or self._hash_in(self._days[:-1], seq)

        if found := witness.contradiction(slots, head, hash_at):
            raise LogAltered(day.file.path, *found)
        checkpoint = day.checkpoint()
        head = day.check_end(ended, checkpoint.seq - 1 if checkpoint else ended.seq)
        path = self._folder / PUBLIC_KEYS
        listed = signing.public_key_of(path, day.file.number)
        if checkpoint and listed is None:
            raise LogAltered(path, 0, f"the public key of day {day.file.number} was removed")
        if checkpoint and listed and not signing.is_signed(listed.key, checkpoint):
            what = "the checkpoint here is not signed by the day's key"
            raise LogAltered(day.file.path, checkpoint.seq, what)
        self._signed = _signed_until(checkpoint)
        return head

    def _finish_closing(self, day: OpenDay) -> None:
        """Do what a power cut left to do of closing a day."""
        row = day.last_of(DAY_CLOSED)
        assert row is not None
        self._add_next_key(row)
        self._seal(day)

    # --- days -------------------------------------------------------------------------------------

    def _close_day(self, at: str, day: OpenDay) -> None:
        if day.is_over():  # by an earlier call, which did not come to its end
            self._finish_closing(day)
            return
        if not day.put_together():
            raise DayInUse(day.file.path)
        assert self._key is not None
        after = day.file.number + 1
        # On disk before it is named: a log whose next key is lost could not go on.
        following = SigningKey.create(key_folder(self._folder), after)
        told = self._key.hand_over(after, following.public)
        body = canonical({"day": day.file.number, "next": {"key": told.key, "by": told.by}})
        (closing_row,) = self.append(at, Entry(0, DAY_CLOSED, body))
        self._add_next_key(closing_row)
        self._seal(day)

    def _add_next_key(self, closing_row: Row) -> None:
        """List the key that a closed day names for the next one."""
        body = msgspec.json.decode(closing_row.body)
        key = PublicKey(body["day"] + 1, body["next"]["key"], body["next"]["by"])
        signing.add_public(self._folder / PUBLIC_KEYS, key)

    def _seal(self, day: OpenDay) -> None:
        day.seal()
        signing.destroy(key_folder(self._folder), before=day.file.number + 1)
        self._day = DayReader.open(day.file)

    def _open_day(self, at: str, body: Mapping[str, Any]) -> Row:
        """Begin a day, in the open file without rows or in a new one."""
        header: dict[str, Any] = {**body, "previous": None}
        if not isinstance(self._day, OpenDay):
            assert self._day is not None
            before = self._day.file
            head = {"seq": self._head.seq, "hash": self._head.hash}
            header["previous"] = {
                "file": before.path.name,
                "sha256": sha256_of(before.path),
                **head,
            }
            key = self._next_key(before.number + 1)
            self._day.close()
            self._start_file(before.number + 1, key)
        assert self._key is not None
        header |= {"day": self._open_file().file.number, "key": self._key.public}
        (row,) = self.append(at, Entry(0, DAY_OPENED, canonical(header)))
        return row

    def _next_key(self, number: int) -> SigningKey:
        """Return the key that the day before handed over, or a new one where that is lost."""
        keys, path = key_folder(self._folder), self._folder / PUBLIC_KEYS
        listed = signing.public_key_of(path, number)
        if listed is not None:
            with suppress(SigningKeyLost):
                key = SigningKey.load(keys, number)
                if key.public == listed.key:
                    return key
        key = SigningKey.create(keys, number)
        signing.add_public(path, PublicKey(number, key.public))
        return key

    def _start_file(self, number: int, key: SigningKey) -> None:
        date = datetime.now().astimezone().date().isoformat()
        file = DayFile(number, self._folder / name_of(number, date))
        self._day = OpenDay.open(file)
        self._days = (*self._days, file)
        self._key = key
        self._signed = NONE_BEFORE

    # --- appending --------------------------------------------------------------------------------

    def _commit(self, day: OpenDay, rows: tuple[Row, ...]) -> None:
        head = head_of(rows)
        assert self._key is not None
        assert self._witness is not None
        try:
            checkpoint = self._key.sign(head, self._signed) if is_due(rows) else None
            day.commit(rows, checkpoint)
        except sqlite3.Error as error:
            self._doubt = None if self._is_as_before(day) else rows
            raise LogWriteFailed(day.file.path, why(error)) from error
        self._head = head
        if checkpoint:
            self._signed = checkpoint.after
        # The rows are recorded, so this call has succeeded; the next one insists on the witness.
        with suppress(OSError):
            self._witness.note(head)

    def _is_as_before(self, day: OpenDay) -> bool:
        """Undo what a failed commit has begun; tell whether the file ends where it did."""
        try:
            day.undo()
            return self._head_of(day) == self._head
        except (*DATABASE_ERRORS, EventLogError):
            return False

    def _look_again(
        self, doubtful: tuple[Row, ...], event: Entry, outcomes: Sequence[Entry]
    ) -> tuple[Row, ...] | None:
        """Open the file anew after a write that left it in doubt, and see what it holds."""
        day = self._open_file()
        try:
            day.close()
            self._day = day = OpenDay.open(day.file)
            found = self._head_of(day)
        except DATABASE_ERRORS as error:
            raise LogWriteFailed(day.file.path, why(error)) from error
        except OSError as error:
            raise LogWriteFailed(day.file.path, why(error)) from error
        except (LogAltered, NotALog) as error:
            raise LogWriteFailed(day.file.path, f"{error}; stop and start again") from error
        if found == self._head:
            self._doubt = None
            return None
        if found == head_of(doubtful) and _say(doubtful, (event, *outcomes)):
            self._doubt = None
            self._head = found
            self._signed = _signed_until(day.checkpoint())
            return doubtful
        raise LogWriteFailed(
            day.file.path,
            "the log has grown behind this controller's back; stop and start again",
        )

    def _bring_witness_up_to_date(self) -> None:
        assert self._witness is not None
        if self._witness.seen == self._head:
            return
        try:
            self._witness.note(self._head)
        except OSError as error:
            raise LogWriteFailed(self._folder / WITNESS, why(error)) from error

    # --- reading ----------------------------------------------------------------------------------

    @property
    def _file(self) -> Path:
        """The file concerned, for messages."""
        return self._days[-1].path if self._days else self._folder

    def _head_of(self, day: OpenDay) -> Head:
        """Return the file's head; where the day before ended, if it has no rows yet."""
        return day.head if day.first is not None else self._head

    def _open_file(self) -> OpenDay:
        if not isinstance(self._day, OpenDay):
            what = f"{self._folder}: the day is closed; begin the next one first"
            raise ValueError(what)  # noqa: TRY004 - a call at the wrong time, not of a wrong type
        return self._day

    def _rows_of_all_days(self, since: int, last: int) -> Iterator[Row]:
        with closing(LogReader.open(self._folder)) as reader:
            yield from reader.rows(since, until=last)

    def _end_before(self, day: DayRows) -> Head:
        """Return where the day before ended; its file may have been moved to an archive."""
        if self._days[:-1]:
            with closing(DayReader.open(self._days[-2])) as reader:
                return reader.head
        header = day.header()
        return header.previous.head if header and header.previous else START

    @staticmethod
    def _hash_in(days: Sequence[DayFile], seq: int) -> str | None:
        for day in reversed(days):
            with closing(DayReader.open(day)) as reader:
                if found := reader.hash_at(seq):
                    return found
        return None

    def _must_be_open(self) -> None:
        if self._closed:
            raise ValueError(f"{self._folder}: this log is closed")


def _signed_until(last: Checkpoint | None) -> str:
    return last.after if last else NONE_BEFORE


def _say(rows: Sequence[Row], entries: Sequence[Entry]) -> bool:
    """Tell whether the rows record just these entries."""
    said = [(row.round, row.kind, bytes(row.body)) for row in rows]
    return said == [(entry.round, entry.kind, entry.body) for entry in entries]
