"""Which files a log is made of, where they are, and how to find them from a path somebody typed."""

import os
from pathlib import Path

from controller.eventlog.errors import NotALog
from controller.eventlog.reasons import why

EVENTS = "events.db"
WITNESS = "witness"
LOCK = "lock"
LOG_FOLDER = "log"


def find_events(path: Path) -> Path:
    """Return the database meant by a state folder, a log folder, or the file itself.

    A folder that has only a witness counts too: the file is gone, which the caller should say.

    Raises:
        NotALog: there is nothing at the path or in it that looks like a log, or it can't be read.

    """
    try:
        return _find(path)
    except OSError as error:
        raise NotALog(path, f"it can't be read: {why(error)}") from error


def _find(path: Path) -> Path:
    if path.is_dir():
        for folder in (path / LOG_FOLDER, path):
            if (folder / EVENTS).exists() or (folder / WITNESS).exists():
                return folder / EVENTS
        raise NotALog(path, f"no {EVENTS} in this folder or in {LOG_FOLDER}/ below it")
    if not path.exists():
        raise NotALog(path, "there is nothing at this path")
    if not path.is_file():
        raise NotALog(path, "neither a folder nor a file")
    return path


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
