"""A database that can't be read where it lies is read from a copy of its own.

SQLite would have to write there: a list of what stands in a ``-wal``, or back what a power cut
broke off. On a disc that can't be written it can't, and of what is evidence it must not.
"""

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from controller.eventlog.errors import NotALog
from controller.eventlog.reasons import why

ENDS: Final = ("", "-wal", "-journal")
"""What is copied: the database and what it is not whole without."""

OTHERWISE: Final = ("/var/tmp", "/dev/shm")  # noqa: S108 - a folder of our own is made there
"""Where a copy is made if there is no room where it should be: a full disk is no reason."""

_PIECE: Final = 1024 * 1024


class _NoRoom(NotALog):
    """There is no room for a copy in a folder."""


class Aside:
    """The copy, in a folder for its owner alone, until it is closed."""

    def __init__(self, folder: "tempfile.TemporaryDirectory[str]", file: Path) -> None:
        """Take over what `of` has copied."""
        self._folder = folder
        self.file = file

    @classmethod
    def of(cls, file: Path) -> Self:
        """Copy a database, with what stands beside it.

        Raises:
            NotALog: what stands there is no file, or there is no room; says what to do.
            OSError: it can't be read.

        """
        try:
            return cls._in(None, file)
        except _NoRoom:
            for place in OTHERWISE:
                with suppress(_NoRoom):
                    return cls._in(place, file)
            raise

    @classmethod
    def _in(cls, place: str | None, file: Path) -> Self:
        """Copy a database into a folder of its own in a place, by default that of such files."""
        try:
            folder = tempfile.TemporaryDirectory(prefix="tablekeeper-", dir=place)
        except OSError as error:
            raise _no_room(file, error) from error
        copy = Path(folder.name) / file.name
        try:
            for end in ENDS:
                _copy(file.with_name(f"{file.name}{end}"), copy.with_name(f"{copy.name}{end}"))
        except BaseException:
            folder.cleanup()
            raise
        return cls(folder, copy)

    def close(self) -> None:
        """Remove the copy."""
        self._folder.cleanup()


def _copy(file: Path, to: Path) -> None:
    try:
        mode = file.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISREG(mode):
        raise NotALog(file, "it is no file")
    with file.open("rb") as source:
        try:
            with to.open("xb") as target:
                _copy_data(source.fileno(), target.fileno())
        except OSError as error:
            raise _no_room(file, error) from error


def _copy_data(source: int, target: int) -> None:
    """Copy a file, and nothing of what was never written in it: that may be without end."""
    size, place = os.fstat(source).st_size, 0
    os.ftruncate(target, size)
    while place < size:
        try:
            place = os.lseek(source, place, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing more was written
                return
            raise
        end = os.lseek(source, place, os.SEEK_HOLE)
        while place < end:
            written = os.pwrite(target, os.pread(source, min(_PIECE, end - place), place), place)
            if not written:  # it has become shorter meanwhile
                return
            place += written


def _no_room(file: Path, error: OSError) -> _NoRoom:
    return _NoRoom(
        file,
        f"it has to be read through a copy in {tempfile.gettempdir()}: {why(error)};"
        " TMPDIR=FOLDER names another place for that",
    )
