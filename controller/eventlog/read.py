"""Reading a log from outside: the console, an auditor's listing, an export."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Self

from controller.eventlog import schema
from controller.eventlog.chain import START, Head
from controller.eventlog.dayrows import DayRows
from controller.eventlog.errors import EventLogError, LogAltered, NotALog
from controller.eventlog.files import DayFile, LogFiles, days_in, find_log
from controller.eventlog.reasons import DATABASE_ERRORS, on_reading, why
from controller.eventlog.row import Row
from controller.eventlog.source import Source


class DayReader(DayRows):
    """The file of one day, open for reading."""

    def __init__(self, file: DayFile, source: Source) -> None:
        """Take over what `open` has opened."""
        super().__init__(file)
        self._source = source

    @classmethod
    def open(cls, file: DayFile) -> Self:
        """Open a day's file.

        Raises:
            NotALog: it is none, or it can't be read.
            NewerFormat: a later version of this program wrote it.
            LogAltered: it is too damaged to be read.

        """
        source = open_source(file.path)
        try:
            source.read(lambda db: schema.identify(db, file.path))
        except DATABASE_ERRORS as error:
            source.close()
            raise on_reading(error, file.path, 0) from error
        except EventLogError:
            source.close()
            raise
        return cls(file, source)

    def must_be_in_shape(self) -> None:
        """Compare the file's tables and guards with those that this program makes.

        Raises:
            LogAltered: they are others.

        """
        old = self.file.number == 0
        if fault := self._source.read(lambda db: schema.fault(db, old=old)):
            raise LogAltered(self.file.path, 0, fault)

    def fetch(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """Run a query and return all its records."""
        try:
            return self._source.fetch(query, values)
        except DATABASE_ERRORS as error:
            raise on_reading(error, self.file.path, 0) from error
        except OSError as error:
            raise NotALog(self.file.path, f"it can't be read any more: {why(error)}") from error

    def close(self) -> None:
        """Close the file."""
        self._source.close()


class LogReader:
    """A log open for reading, while a controller writes it or at rest.

    Rows are given as they stand, also from a log that was altered: whoever looks into that needs
    to see them. `verify` says whether they can be believed.
    """

    def __init__(self, files: LogFiles, last: DayReader) -> None:
        """Take over what `open` has opened: the log's files, and the last day of them."""
        self._files = files
        self._days = {last.file: last}
        self._closed = False

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a log by its state folder, its own folder, or the file of one day.

        Raises:
            NotALog: there is none, or it can't be read.
            NewerFormat: a later version of this program wrote it.
            LogAltered: the file is too damaged to be read.

        """
        files = find_log(path)
        if not files.days and files.odd:
            raise LogAltered(files.folder, 0, files.odd[0])
        if not files.days:
            raise NotALog(files.folder, "the file is gone")
        return cls(files, DayReader.open(_last_begun(files.days)))

    @property
    def head(self) -> Head:
        """The last row's sequence and hash, now."""
        for reader in reversed(list(self._readers())):
            if (head := reader.head) != START:
                return head
        return START

    def rows(self, since: int = 0, *, until: int | None = None) -> Iterator[Row]:
        """Yield the rows with ``since < seq <= until`` that are there at the call.

        Raises:
            LogAltered: while iterating, if a file is damaged.

        """
        readers = list(self._readers())
        last = self.head.seq
        if until is not None:
            last = min(until, last)
        return _rows(readers, since, last)

    def last_of(self, kind: str) -> Row | None:
        """Return the latest row of a kind in the last day's file, found by index."""
        *_, last = self._readers()
        return last.last_of(kind)

    def of_kinds(self, kinds: Collection[str], *, all_days: bool = False) -> Iterator[Row]:
        """Yield the rows of some kinds in the last day's file, or all that are here, in order."""
        days = list(self._readers())
        for day in days if all_days else days[-1:]:
            yield from day.of_kinds(kinds)

    @property
    def files(self) -> LogFiles:
        """The files that the log had when it was opened."""
        return self._files

    def days(self) -> list[DayReader]:
        """Return the readers of all days that there are now, in order."""
        return list(self._readers())

    def close(self) -> None:
        """Close the files."""
        self._closed = True
        for reader in self._days.values():
            reader.close()

    def _readers(self) -> Iterator[DayReader]:
        """Yield the readers of all days that there are now, in order."""
        if self._closed:
            raise ValueError(f"{self._files.folder}: this log is closed")
        for day in self._now():
            if day not in self._days:
                self._days[day] = DayReader.open(day)
            yield self._days[day]

    def _now(self) -> tuple[DayFile, ...]:
        """Return the days that have begun; a writer may begin another at any time."""
        if not self._files.whole:
            return self._files.days
        try:
            days = [day for day in days_in(self._files.folder) if day.has_begun]
        except OSError as error:
            raise NotALog(self._files.folder, f"it can't be read any more: {why(error)}") from error
        # One that was taken away while it is read is for its reader to complain of.
        known = {day.number: day for day in (*days, *self._days)}
        return tuple(sorted(known.values()))


def _rows(readers: list[DayReader], since: int, last: int) -> Iterator[Row]:
    for reader in _covering(readers, since):
        yield from reader.rows(since, last)


def _covering(readers: list[DayReader], since: int) -> list[DayReader]:
    """Leave out days that end before the first row that is wanted."""
    for place in range(len(readers) - 1, 0, -1):
        first = readers[place].first
        if first is not None and first <= since + 1:
            return readers[place:]
    return readers


def _last_begun(days: tuple[DayFile, ...]) -> DayFile:
    return next((day for day in reversed(days) if day.has_begun), days[-1])


def open_source(file: Path, *, undecodable: str = "replace") -> Source:
    """Open a log's database for reading; ``undecodable`` as in `Source`.

    Raises:
        NotALog: there is no file, nothing in it yet, or it can't be opened.

    """
    try:
        if file.stat().st_size == 0:
            raise NotALog(file, schema.EMPTY)
        return Source(file, undecodable=undecodable)
    except OSError as error:
        raise NotALog(file, f"it can't be read: {why(error)}") from error
    except DATABASE_ERRORS as error:
        raise on_reading(error, file, 0) from error
