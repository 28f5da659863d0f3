"""Reading the database without leaving a trace, whether or not a controller is writing it.

While a writer has the log open (or has crashed), a file of SQLite's stands beside it and
readers have to take part in its bookkeeping. A log at rest has none, and is read as it lies:
otherwise SQLite would put new files into a folder that may be evidence, or on a disc that can't
be written. Should a writer start in the meantime, what was read is thrown away and read again.
"""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from controller.eventlog.reasons import DATABASE_ERRORS

BUSY_SECONDS = 5.0
"""How long a read waits while another program has the whole file locked."""

_Result = TypeVar("_Result")


class Source:
    """One database file, open for reading only."""

    def __init__(self, file: Path, *, undecodable: str = "replace") -> None:
        """Open the file.

        ``undecodable`` says what becomes of text that is not UTF-8, which somebody must have put
        there: a codec's error handler. Readers see a substitute; a verifier must tell them apart.

        Raises:
            sqlite3.Error, OSError: it can't be opened.

        """
        self._file = file
        self._undecodable = undecodable
        self._wal = file.with_name(file.name + "-wal")
        self._journal = file.with_name(file.name + "-journal")
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
            self._db.close()
            self._open()

    def fetch(self, query: str, values: tuple[Any, ...]) -> list[Any]:
        """Run one query and return all its records."""
        return self.read(lambda db: db.execute(query, values).fetchall())

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _open(self) -> None:
        self._state = self._look()  # before opening: a change in between must not go unseen
        self._at_rest = not self._wal.exists() and not self._journal.exists()
        mode = "mode=ro&immutable=1" if self._at_rest else "mode=ro"
        self._db = sqlite3.connect(
            f"file:{quote(os.fsencode(self._file))}?{mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        self._db.text_factory = self._as_text

    def _is_stale(self) -> bool:
        return self._at_rest and (self._wal.exists() or self._look() != self._state)

    def _look(self) -> tuple[int, int, int]:
        status = self._file.stat()
        return status.st_ino, status.st_size, status.st_mtime_ns

    def _as_text(self, data: bytes) -> str:
        return data.decode("utf-8", self._undecodable)
