"""Which files a log is made of, where they are, and how to find them from a path somebody typed."""

import hashlib
import os
import re
from pathlib import Path
from typing import Final, NamedTuple

from controller.custody import open_file
from controller.eventlog.errors import NotALog
from controller.eventlog.reasons import why

WITNESS: Final = "witness"
LOCK: Final = "lock"
PUBLIC_KEYS: Final = "public-keys"
LOG_FOLDER: Final = "log"
OLD_FILE: Final = "events.db"
"""What a log of format 1 was: one file for all days."""

_DAY: Final = re.compile(r"day-(\d{4,})-(\d{4}-\d{2}-\d{2})\.db")


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


class LogFiles(NamedTuple):
    """A log as it lies on the disk: its folder and the files of its days, in order.

    ``whole`` is False if somebody asked for one day of several.
    """

    folder: Path
    days: tuple[DayFile, ...]
    whole: bool = True


def name_of(number: int, date: str) -> str:
    """Return the name of a day's file."""
    return f"day-{number:04}-{date}.db"


def days_in(folder: Path) -> tuple[DayFile, ...]:
    """Return the files of the days in a log's folder, in order.

    Raises:
        OSError: the folder can't be read.

    """
    found = [DayFile(0, folder / OLD_FILE)] if (folder / OLD_FILE).exists() else []
    named = ((_DAY.fullmatch(path.name), path) for path in folder.iterdir())
    found += [DayFile(int(match[1]), path) for match, path in named if match]
    return tuple(sorted(found))


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
            days = days_in(folder)
            if days or (folder / WITNESS).exists():
                return LogFiles(folder, days)
        raise NotALog(path, f"no day's file in this folder or in {LOG_FOLDER}/ below it")
    if not path.exists():
        raise NotALog(path, "there is nothing at this path")
    if not path.is_file():
        raise NotALog(path, "neither a folder nor a file")
    match = _DAY.fullmatch(path.name)
    day = DayFile(int(match[1]) if match else 0, path)
    return LogFiles(path.parent, (day,), whole=days_in(path.parent) == (day,))


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
