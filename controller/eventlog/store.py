"""The log on disk, as its one writer has it.

A row is recorded when the commit has returned, and not before: only then do the sequence and the
hash kept here move on, and only then is the witness told.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from controller.eventlog import witness
from controller.eventlog.chain import START, Head, head_of, link
from controller.eventlog.checkpoints import DAY_OPENED, NONE_BEFORE, is_due
from controller.eventlog.day import OpenDay, forget
from controller.eventlog.errors import (
    DayInUse,
    EventLogError,
    LogAltered,
    LogWriteFailed,
    NotALog,
)
from controller.eventlog.files import (
    LOCK,
    WITNESS,
    DayFile,
    files_in,
    make_folder,
    name_of,
    sync_folder,
)
from controller.eventlog.lock import WriterLock
from controller.eventlog.opening import signed_until, take_up
from controller.eventlog.read import DayReader, LogReader
from controller.eventlog.reasons import DATABASE_ERRORS, on_opening, why
from controller.eventlog.row import Entry, Row, canonical
from controller.eventlog.signing import SigningKey
from controller.eventlog.turn import finish_closing, key_of_next, last_word, seal_of, start_file
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
        self.keys_put_back: tuple[int, ...] = ()
        """Earlier days whose private keys, long destroyed, lay there again when it was opened."""
        self._closed = False

    @classmethod
    def open(cls, folder: Path, *, date: str | None = None, new_key: bool = False) -> Self:
        """Open the log in a folder for writing, or begin one there.

        Reads the end of the log, however long the log is: at least what came after the last
        checkpoint, whose signature must hold.

        ``date`` names the file of a first day, if it is another than the calendar's. With
        ``new_key`` the day whose key was lost is over, and the log is between days.

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
                log._take_up(date or _today(), new_key=new_key)
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

    def keep_lock(self) -> bool:
        """Lock the log anew if its lock was deleted or replaced; tell whether that was needed.

        Raises:
            LogHeld: another process has locked what is there now: there are two writers.
            LogWriteFailed: what is there now can't be locked.

        """
        self._must_be_open()
        if self._lock.is_own:
            return False
        try:
            self._lock.take_again()
        except OSError as error:
            raise LogWriteFailed(self._folder / LOCK, why(error)) from error
        return True

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

    def of_kinds(self, kinds: Collection[str], *, all_days: bool = False) -> Iterator[Row]:
        """Yield the rows of some kinds in the last day's file, or all that are here, in order."""
        self._must_be_open()
        assert self._day is not None
        if not all_days:
            yield from self._day.of_kinds(kinds)
            return
        with closing(LogReader.open(self._folder)) as reader:
            for day in reader.days():
                yield from day.of_kinds(kinds)

    def _take_up(self, date: str, *, new_key: bool) -> None:
        if odd := files_in(self._folder).odd:
            raise LogAltered(self._folder, 0, odd[0])
        slots = witness.read(self._folder / WITNESS)
        taken = take_up(self._folder, slots, date, without_key=new_key)
        self._days, self._day, self._key, self._head, self._signed, self.keys_put_back = taken
        self._witness = Witness.open(self._folder / WITNESS, slots)
        if slots is None:
            sync_folder(self._folder)
        elif self._witness.seen != self._head or None in slots:
            self._witness.note(self._head)

    def close(self) -> None:
        """Close the files and let the next writer in."""
        if self._closed:
            return
        self._closed = True
        if isinstance(self._day, OpenDay) and self._doubt is None:
            # SQLite does so by itself, unless somebody has the file open for reading.
            with suppress(*DATABASE_ERRORS):
                self._day.put_together()
        if self._day is not None:
            self._day.close()
        if self._witness is not None:
            self._witness.close()
        self._lock.release()

    # --- days -------------------------------------------------------------------------------------

    def _close_day(self, at: str, day: OpenDay) -> None:
        if not day.is_over():  # unless an earlier call came so far
            if not day.put_together():
                raise DayInUse(day.file.path)
            assert self._key is not None
            self.append(at, last_word(self._folder, day.file.number, self._key))
        self._day = finish_closing(self._folder, day)
        self._key = None

    def _open_day(self, at: str, body: Mapping[str, Any]) -> Row:
        """Begin a day, in the open file without rows or in a new one."""
        if self._day is None:
            self._make_anew(str(body.get("date", _today())))
        elif not isinstance(self._day, OpenDay):
            self._start_file(str(body.get("date", _today())))
        elif self._day.first is None and "date" in body:
            self._name_file(str(body["date"]), self._day)
        day = self._open_file()
        assert self._key is not None
        before = self._days[-2] if len(self._days) > 1 else None
        header = {
            **body,
            "day": day.file.number,
            "key": self._key.public,
            "previous": seal_of(before, self._head) if before else None,
        }
        (row,) = self.append(at, Entry(0, DAY_OPENED, canonical(header)))
        return row

    def _start_file(self, date: str) -> None:
        assert self._day is not None
        over, number = self._day, self._day.file.number + 1
        key = key_of_next(self._folder, number)
        self._day = day = start_file(self._folder, number, date)
        over.close()
        self._days = (*self._days, day.file)
        self._key, self._signed = key, NONE_BEFORE

    def _name_file(self, date: str, day: OpenDay) -> None:
        """Make the file anew if it was named before the day's date was known."""
        if day.file.path.name == name_of(day.file.number, date):
            return
        self._day = None  # until it is made anew, which a full disk may refuse for now
        day.close()
        self._make_anew(date)

    def _make_anew(self, date: str) -> None:
        """Make the first day's file under this date, in place of the one that is listed."""
        *earlier, day = self._days
        forget(day)
        named = DayFile(day.number, self._folder / name_of(day.number, date))
        self._days = (*earlier, named)  # also if it is made in part: the next try removes it
        self._day = OpenDay.open(named)

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
            self._signed = signed_until(day.checkpoint())
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

    def _must_be_open(self) -> None:
        if self._closed:
            raise ValueError(f"{self._folder}: this log is closed")


def _today() -> str:
    return datetime.now().astimezone().date().isoformat()


def _say(rows: Sequence[Row], entries: Sequence[Entry]) -> bool:
    """Tell whether the rows record just these entries."""
    said = [(row.round, row.kind, bytes(row.body)) for row in rows]
    return said == [(entry.round, entry.kind, entry.body) for entry in entries]
