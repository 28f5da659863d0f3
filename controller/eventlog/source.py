"""Reading the database without leaving a trace, whether or not a controller is writing it.

While a writer has the log open (or has crashed), a file of SQLite's stands beside it and
readers have to take part in its bookkeeping. A log at rest has none, and is read as it lies:
otherwise SQLite would put new files into a folder that may be evidence, or on a disc that can't
be written. For the same reason a log whose writer was killed, or a copy, is read through a copy
of its own. Should a writer start in the meantime, what was read is thrown away and read again.
"""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from controller.eventlog.aside import Aside
from controller.eventlog.reasons import DATABASE_ERRORS, is_refused
from controller.eventlog.wal import is_listed

BUSY_SECONDS = 5.0
"""How long a read waits while another program has the whole file locked."""

LONGEST_VALUE = 16 * 1024 * 1024
"""Bytes of a value that are read, of which nothing that was ever written has a hundredth."""

_Result = TypeVar("_Result")


class Source:
    """One database file, open for reading only."""

    def __init__(self, file: Path, *, undecodable: str = "replace") -> None:
        """Open the file.

        ``undecodable`` says what becomes of text that is not UTF-8, which somebody must have put
        there: a codec's error handler. Readers see a substitute; a verifier must tell them apart.

        Raises:
            NotALog: it has to be read through a copy, for which there is no room.
            sqlite3.Error, OSError: it can't be opened.

        """
        self._file = file
        self._undecodable = undecodable
        self._wal, self._shared, self._journal = (
            file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm", "-journal")
        )
        self._aside: Aside | None = None
        self._open()

    def read(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Return what ``work`` reads from the connection; it may be run more than once.

        Raises:
            sqlite3.Error, UnicodeDecodeError: as raised by ``work``.

        """
        while True:
            try:
                result = work(self._db)
            except DATABASE_ERRORS:
                if not self._is_stale():
                    raise
            else:
                if not self._is_stale():
                    return result
            self.close()
            self._open()

    def fetch(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        """Run one query and return all its records."""
        return self.read(lambda db: db.execute(query, values).fetchall())

    def close(self) -> None:
        """Close the file."""
        self._db.close()
        if self._aside is not None:
            self._aside.close()
            self._aside = None

    def _open(self, *, aside: bool = False) -> None:
        self._state = self._look()  # before opening: a change in between must not go unseen
        has_wal = _is_file(self._wal)
        at_rest = not has_wal and not _is_file(self._journal)
        # Whoever has it open in good health has a list of what stands in the -wal beside it.
        aside = aside or (has_wal and not is_listed(self._wal, self._shared))
        self._is_by_itself = at_rest or aside
        if at_rest:
            self._connect(self._file, "mode=ro&immutable=1")
        elif aside:
            self._aside = Aside.of(self._file)
            self._connect(self._aside.file, "mode=rw")
        else:
            self._connect(self._file, "mode=ro")
            if self._is_refused():
                self.close()
                self._open(aside=True)

    def _connect(self, file: Path, mode: str) -> None:
        self._db = sqlite3.connect(
            f"file:{quote(os.fsencode(file))}?{mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        self._db.text_factory = self._as_text
        self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)

    def _is_refused(self) -> bool:
        """Tell whether it can't be read where it lies; what else may be wrong is for `read`."""
        try:
            self._db.execute("SELECT 1 FROM sqlite_schema").fetchone()
        except DATABASE_ERRORS as error:
            return is_refused(error)
        return False

    def _is_stale(self) -> bool:
        """Tell whether what was read by itself was written meanwhile."""
        return self._is_by_itself and self._look() != self._state

    def _look(self) -> tuple[tuple[int, int, int] | None, ...]:
        return _look(self._file), *(_look_for(path) for path in (self._wal, self._journal))

    def _as_text(self, data: bytes) -> str:
        return data.decode("utf-8", self._undecodable)


def _is_file(path: Path) -> bool:
    """Tell whether there is a file; what is none is said by whoever asked for the files."""
    return path.is_file() and not path.is_symlink()


def _look(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _look_for(path: Path) -> tuple[int, int, int] | None:
    try:
        return _look(path)
    except FileNotFoundError:
        return None
