"""The room on the disk of the log: how much is left, and for how many days.

How fast it goes is taken from the log alone, and without the wall clock, in two ways, of which the
faster counts:

- the largest sealed day: of several day files, all but the newest are whole gaming days;
- this run: what the log's files have grown since the first look, or over the last 24 hours, as
  bytes a day; only from an hour on, since a first busy minute says nothing of a day.

As long as neither is known no days are named; then only a disk that has hardly more than the room
that a table needs to open is told of.

A file system may also have room for bytes and none for files (inodes); the log takes few, so that
only what is left counts. One that has no such number, as btrfs, is never full of files.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from controller.clock import mono_ms
from controller.settings import ROOM_FILES

LOOK_EVERY: Final = 60.0
"""Seconds between looks."""

WARN_DAYS: Final = 14
"""With fewer days left, somebody should do something about it, and still has the time."""

LITTLE: Final = 2
"""So many times the room that a table needs to open is little, however slowly the log grows."""

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS

MB: Final = 1_000_000

MOST_DAYS: Final = 100_000
"""Files that are looked at: a folder that somebody fills holds nothing up."""

DATABASES: Final = "*.db"
"""The files of the log that hold rows; what SQLite keeps beside them comes and goes."""


class Look(NamedTuple):
    """What was seen at one time, in bytes; ``at`` in milliseconds since the machine started."""

    at: int
    free: int
    log: int
    """How large the log is."""
    day: int
    """How large the largest sealed day is; 0 if there is none."""
    files: int | None = None
    """How many files may still be made; None if the disk knows no such number."""


def look(state: Path, now: int) -> Look:
    """Look at the disk of a state folder and at the log in it.

    Raises:
        OSError: the folder cannot be looked at.
    """
    days = islice((state / "log").glob(DATABASES), MOST_DAYS)
    sizes = {file.name: file.lstat().st_size for file in days}
    sealed = sorted(sizes)[:-1]
    return Look(
        at=now,
        free=free_bytes(state),
        log=sum(sizes.values()),
        day=max((sizes[name] for name in sealed), default=0),
        files=free_files(state),
    )


def free_bytes(folder: Path) -> int:
    """Return how much may still be written to the disk of a folder, by who is not root."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def free_files(folder: Path) -> int | None:
    """Return how many files may still be made on the disk of a folder; None if it knows no number.

    Not root's, who may have more.
    """
    disk = os.statvfs(folder)
    return disk.f_favail if disk.f_files else None


class DiskWatch:
    """Looks at the disk now and then; ``warning`` is what is to be said of it, mostly nothing."""

    def __init__(
        self,
        state: Path,
        room: int,
        looks: Callable[[], Look] | None = None,
        *,
        files: int = ROOM_FILES,
    ) -> None:
        """Take the state folder, and the bytes and files that must be free for a table to open."""
        self._room = room
        self._files = files
        self._look = looks or (lambda: look(state, mono_ms()))
        self._hourly: deque[Look] = deque()
        self.warning = ""

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            # In a thread: a disk that does not answer holds nothing else up.
            await asyncio.to_thread(self.look)
            await asyncio.sleep(LOOK_EVERY)

    def look(self) -> None:
        """Look once."""
        try:
            now = self._look()
        except OSError as fault:
            self.warning = f"The disk of the table cannot be looked at: {fault.strerror}"
            return
        rate = max(now.day, self._growth(now))
        self.warning = _words(now.free, rate, self._room) or _files_words(now.files, self._files)

    def _growth(self, now: Look) -> int:
        """Return by how many bytes a day the log grows in this run; 0 while it is not known."""
        looks = self._hourly
        if not looks or now.at - looks[-1].at >= HOUR_MS:
            looks.append(now)
        while len(looks) > 1 and now.at - looks[1].at >= DAY_MS:
            looks.popleft()
        first = looks[0]
        # A sealed day that was moved away meanwhile makes the log smaller.
        if now.at - first.at < HOUR_MS or now.log <= first.log:
            return 0
        return (now.log - first.log) * DAY_MS // (now.at - first.at)


def _words(free: int, rate: int, room: int) -> str:
    """Return the warning, empty if there is room enough; ``rate`` is bytes a day, 0 if unknown."""
    days = free // rate if rate else None
    if days is not None and days < WARN_DAYS:
        left = {0: "less than a day", 1: "about 1 day"}.get(days, f"about {days} days")
    elif free < LITTLE * room:
        left = f"{free // MB} MB"
    else:
        return ""
    return f"The disk of the table is nearly full: {left} left; {WHAT_TO_DO}"


def _files_words(files: int | None, room: int) -> str:
    """Return the warning that few files can be made."""
    if files is None or files >= LITTLE * room:
        return ""
    left = f"only {files} more files (inodes)"
    return f"The disk of the table is nearly full: {left} can be made; {WHAT_TO_DO}"


WHAT_TO_DO: Final = "free space or move sealed days away"
