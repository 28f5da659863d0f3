"""Reading a log from outside: the console, an auditor's listing, an export."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from controller.eventlog import schema
from controller.eventlog.chain import Head
from controller.eventlog.errors import EventLogError, NotALog
from controller.eventlog.files import find_events
from controller.eventlog.reasons import DATABASE_ERRORS, on_reading, why
from controller.eventlog.row import Row
from controller.eventlog.source import Source


class LogReader:
    """A log open for reading, while a controller writes it or at rest.

    Rows are given as they stand, also from a log that was altered: whoever looks into that needs
    to see them. `verify` says whether they can be believed.
    """

    def __init__(self, file: Path, source: Source) -> None:
        """Take over what `open` has opened."""
        self._file = file
        self._source = source
        self._closed = False

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a log by its state folder, its own folder, or its file.

        Raises:
            NotALog: there is none, or it can't be read.
            NewerFormat: a later version of this program wrote it.
            LogAltered: the file is too damaged to be read.

        """
        file = find_events(path)
        source = open_source(file)
        try:
            source.read(lambda db: schema.identify(db, file))
        except DATABASE_ERRORS as error:
            source.close()
            raise on_reading(error, file, 0) from error
        except EventLogError:
            source.close()
            raise
        return cls(file, source)

    @property
    def head(self) -> Head:
        """The last row's sequence and hash, now."""
        return schema.head(self._fetch)

    def rows(self, since: int = 0, *, until: int | None = None) -> Iterator[Row]:
        """Yield the rows with ``since < seq <= until`` that are there at the call.

        Raises:
            LogAltered: while iterating, if the file is damaged.

        """
        last = self.head.seq
        if until is not None:
            last = min(until, last)
        return schema.rows_between(self._fetch, self._file, since, last)

    def close(self) -> None:
        """Close the file."""
        self._closed = True
        self._source.close()

    def _fetch(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        if self._closed:
            raise ValueError(f"{self._file}: this log is closed")
        try:
            return self._source.fetch(query, values)
        except DATABASE_ERRORS as error:
            raise on_reading(error, self._file, 0) from error
        except OSError as error:
            raise NotALog(self._file, f"it can't be read any more: {why(error)}") from error


def open_source(file: Path, *, undecodable: str = "replace") -> Source:
    """Open a log's database for reading; ``undecodable`` as in `Source`.

    Raises:
        NotALog: there is no file, nothing in it yet, or it can't be opened.

    """
    try:
        if file.stat().st_size == 0:
            raise NotALog(file, "it is empty: no controller has begun a log here")
        return Source(file, undecodable=undecodable)
    except OSError as error:
        raise NotALog(file, f"it can't be read: {why(error)}") from error
    except DATABASE_ERRORS as error:
        raise on_reading(error, file, 0) from error
