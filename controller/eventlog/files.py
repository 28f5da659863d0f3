"""Which files a log is made of, where they are, and how to find them from a path somebody typed."""

import hashlib
import os
import re
import stat
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

from controller.custody import KINDS, open_file
from controller.eventlog.errors import NotALog
from controller.eventlog.reasons import why

WITNESS: Final = "witness"
LOCK: Final = "lock"
PUBLIC_KEYS: Final = "public-keys"
LOG_FOLDER: Final = "log"
OLD_FILE: Final = "events.db"
"""What a log of format 1 was: one file for all days."""

_DAY: Final = re.compile(r"day-([0-9]{4,9})-([0-9]{4}-[0-9]{2}-[0-9]{2})\.db")
_OWN: Final = (WITNESS, LOCK, PUBLIC_KEYS)


class DayFile(NamedTuple):
    """The file of one gaming day: its number, counted from 1 without gaps, and its path.

    Number 0 is a log of format 1, which had one file for all days.
    """

    number: int
    path: Path

    @property
    def checkpoints(self) -> Path:
        """The file beside it that keeps its signed checkpoints once more."""
        return self.path.with_suffix(".checkpoints")

    @property
    def has_begun(self) -> bool:
        """Tell whether there is anything in the file; there is not just after it was made.

        What a power cut broke off while it was made counts for nothing: it is undone.

        Raises:
            OSError: it can't be looked at.

        """
        try:
            return self.path.stat().st_size > 0 and not _was_blank(self.path)
        except FileNotFoundError:  # one without rows may be made anew under another date
            return False


class LogFiles(NamedTuple):
    """A log as it lies on the disk: its folder and the files of its days, in order.

    ``whole`` is False if somebody asked for one day of several. ``odd`` says what lies in the
    folder that no log has there; none of it is among the days.
    """

    folder: Path
    days: tuple[DayFile, ...]
    whole: bool = True
    odd: tuple[str, ...] = ()


_JOURNAL: Final = bytes.fromhex("d9d505f920a163d7")
"""How a file begins by which SQLite undoes what was broken off, see
https://sqlite.org/fileformat2.html#the_rollback_journal; ..."""

_PAGES_BEFORE: Final = slice(16, 20)
"""... and where it says how many pages there were before."""


def _was_blank(database: Path) -> bool:
    """Tell whether a database is to be put back to what it was without a page."""
    try:
        with database.with_name(f"{database.name}-journal").open("rb") as stream:
            begin = stream.read(_PAGES_BEFORE.stop)
    except FileNotFoundError:
        return False
    return begin.startswith(_JOURNAL) and begin[_PAGES_BEFORE] == bytes(4)


def name_of(number: int, on: str) -> str:
    """Return the name of a day's file; ``on`` is its date."""
    return f"day-{number:04}-{on}.db"


def files_in(folder: Path) -> LogFiles:
    """Return which files a log has: everybody who reads, writes or checks one asks here.

    Of two files for one day the first by name counts, and that there is another is said.

    Raises:
        OSError: the folder can't be read.

    """
    days: dict[int, DayFile] = {}
    odd = []
    for path in sorted(folder.iterdir()):
        if not _is_named_as_ours(path.name):
            continue
        if kind := _kind_of(path):
            odd.append(f"{path.name} is {kind}, where a file belongs")
        elif path.name == OLD_FILE:
            days[0] = DayFile(0, path)
        elif path.suffix.lower() == ".db":
            number = number_of(path)
            if number is None:
                odd.append(f"{path.name} is not the name of a day's file")
            elif number in days:
                both = f"{days[number].path.name} and {path.name}"
                odd.append(f"there are two files for day {number}, {both}")
            else:
                days[number] = DayFile(number, path)
    return LogFiles(folder, tuple(sorted(days.values())), odd=tuple(odd))


def days_in(folder: Path) -> tuple[DayFile, ...]:
    """Return the files of the days in a log's folder, in order; see `files_in`.

    Raises:
        OSError: the folder can't be read.

    """
    return files_in(folder).days


def first_missing(numbers: Sequence[int], *, since: int = 1) -> int | None:
    """Return the first number from ``since`` on that lacks in a row of ascending ones."""
    expected = (number for number in numbers if number >= since)
    return next((due for due, number in enumerate(expected, start=since) if due != number), None)


def number_of(path: Path) -> int | None:
    """Return the number of the day whose file has this name, None if no day's has."""
    match = _DAY.fullmatch(path.name)
    if not match:
        return None
    try:
        date.fromisoformat(match[2])
    except ValueError:
        return None
    number = int(match[1])
    return number if number and name_of(number, match[2]) == path.name else None


def _is_named_as_ours(name: str) -> bool:
    return name in _OWN or name.lower().startswith(("day-", OLD_FILE))


def _kind_of(path: Path) -> str | None:
    """Say what a path is if it is no file; None if it is one, or is gone by now."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISREG(mode):
        return None
    return next(words for is_kind, words in KINDS if is_kind(mode))


def key_folder(folder: Path) -> Path:
    """Return where the private key of a log is: not in its folder, which is given to others."""
    return folder.with_name(f"{folder.name}-key")


def find_log(path: Path) -> LogFiles:
    """Return the log meant by a state folder, a log folder, or the file of a day.

    A folder that has only a witness counts too: the files are gone, which the caller should say.

    Raises:
        NotALog: there is nothing at the path or in it that looks like a log, or it can't be read.

    """
    try:
        return _find(path)
    except OSError as error:
        raise NotALog(path, f"it can't be read: {why(error)}") from error


def _find(path: Path) -> LogFiles:
    if path.is_dir():
        for folder in (path / LOG_FOLDER, path):
            if not folder.is_dir():
                continue
            files = files_in(folder)
            if files.days or files.odd or (folder / WITNESS).exists():
                return files
        raise NotALog(path, f"no day's file in this folder or in {LOG_FOLDER}/ below it")
    if not path.exists():
        raise NotALog(path, "there is nothing at this path")
    if not path.is_file():
        raise NotALog(path, "neither a folder nor a file")
    day = DayFile(number_of(path) or 0, path)
    files = files_in(path.parent)
    odd = files.odd if _is_named_as_ours(path.name) else (*files.odd, *_odd_beside(path))
    return files._replace(days=(day,), whole=files.days == (day,), odd=odd)


def completed(files: LogFiles, elsewhere: Sequence[Path]) -> LogFiles:
    """Return a log with the days that are missing in its folder and are ``elsewhere``.

    Raises:
        NotALog: there is no log, or it can't be read.

    """
    known = {day.number: day for day in files.days}
    odd: list[str] = []
    for path in elsewhere:
        archive = find_log(path)
        odd += archive.odd
        for day in archive.days:
            other = known.setdefault(day.number, day)
            if other.path.name != day.path.name:
                both = f"{other.path.name} and {day.path.name}"
                odd.append(f"there are two files for day {day.number}, {both}")
    return files._replace(days=tuple(sorted(known.values())), odd=tuple(odd))


def _odd_beside(path: Path) -> list[str]:
    """Say what is no file beside a day's file that somebody gave another name."""
    names = [f"{path.name}{end}" for end in ("-wal", "-shm", "-journal")]
    beside = [path.with_name(name) for name in (*names, f"{path.stem}.checkpoints")]
    kinds = ((one.name, _kind_of(one)) for one in beside)
    return [f"{name} is {kind}, where a file belongs" for name, kind in kinds if kind]


def make_folder(folder: Path) -> None:
    """Create a folder for its owner alone, unless it is there.

    Raises:
        OSError: it can't be created.

    """
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make sure that a new name in the folder outlives a power cut.

    Raises:
        OSError: the disk did not confirm it.

    """
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def is_sealed(file: Path) -> bool:
    """Tell whether a day's file is by itself and may not be written.

    Raises:
        OSError: it can't be looked at.

    """
    beside = [file.with_name(f"{file.name}{end}") for end in ("-wal", "-journal")]
    return not file.stat().st_mode & 0o222 and not any(path.exists() for path in beside)


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file, 64 hex digits.

    Raises:
        OSError: it can't be read.

    """
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_durably(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Put a small file in place, whole or not at all, and make sure that it stays.

    Raises:
        OSError: it was not; what was there before is as it was.

    """
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)  # of a power cut, or a link that somebody put there
    fd = open_file(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(fd, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
