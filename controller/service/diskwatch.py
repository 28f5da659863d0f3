"""The room on the disk of the log: how much is left, and for how many days.

How fast it goes is taken from the log alone, and without the wall clock, in two ways, of which the
faster counts:

- the largest sealed day: of several day files, all but the newest are whole gaming days;
- this run: what the log's files have grown since the first look, or over the last 24 hours, as
  bytes a day; only from an hour on, since a first busy minute says nothing of a day.

As long as neither is known no days are named; then only a disk that has hardly more than the room
that a table needs to open is told of.

With less than that room no day and no round is begun; one that has begun is played to its end,
also by a table that was started again meanwhile.  That there is too little, and that there is room
again, are events of the log, so that what was refused can be decided again.

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
from controller.events import AnyEvent, DiskEnough, DiskLow
from controller.settings import ROOM_FILES

LOOK_EVERY: Final = 60.0
"""Seconds between looks."""

LOOK_AGAIN: Final = 3.0
"""Seconds between looks while a round waits for room: somebody is making it."""

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


def lacking(folder: Path, room: int, files: int) -> str:
    """Say what the disk of a folder lacks, of so many bytes and files; empty if nothing.

    Raises:
        OSError: it cannot be looked at.
    """
    return _lacks(free_bytes(folder), free_files(folder), room, files)


def _lacks(free: int, free_files: int | None, room: int, files: int) -> str:
    if free_files is not None and free_files < files:
        return (
            f"{free_files} files can be made on this disk (inodes), and a table opens, and a round"
            f" begins, only with {files} (table.room_files), so that a whole day can be recorded;"
            f" {WHAT_TO_DO}. Where the files are: du --inodes -xS / | sort -n | tail"
        )
    if free < room:
        return (
            f"{free // MB} MB are free on this disk, and a table opens, and a round begins, only"
            f" with {room // MB} MB (table.room), so that a whole day can be recorded; {WHAT_TO_DO}"
        )
    return ""


class DiskWatch:
    """Looks at the disk now and then; ``warning`` is what is to be said of it, mostly nothing."""

    def __init__(
        self,
        state: Path,
        room: int,
        looks: Callable[[], Look] | None = None,
        *,
        files: int = ROOM_FILES,
        asked: bool = True,
        told: bool = False,
    ) -> None:
        """Take the state folder, and the bytes and files that must be free for a table to open.

        ``asked`` is False where a round does without that room, ``told`` says whether the log knows
        already that there is too little.
        """
        self._asked = asked
        self._told = told
        self._room = room
        self._files = files
        self._look = looks or (lambda: look(state, mono_ms()))
        self._hourly: deque[Look] = deque()
        self.warning = ""
        self.lacks = ""
        """What a round or a day waits for; as it was when the disk could be looked at last."""

    async def run(self, tell: Callable[[AnyEvent], None]) -> None:
        """Look until cancelled; that there is too little room, or enough again, is told."""
        while True:
            # In a thread: a disk that does not answer holds nothing else up.
            await asyncio.to_thread(self.look)
            for event in self.news():
                tell(event)
            await asyncio.sleep(LOOK_AGAIN if self.lacks else LOOK_EVERY)

    def news(self) -> list[AnyEvent]:
        """Return what the log does not know yet of the room; once."""
        if bool(self.lacks) == self._told:
            return []
        self._told = bool(self.lacks)
        return [DiskLow(why=self.lacks) if self.lacks else DiskEnough()]

    def look(self) -> None:
        """Look once."""
        try:
            now = self._look()
        except OSError as fault:
            self.warning = f"The disk of the table cannot be looked at: {fault.strerror}"
            return
        if self._asked:
            self.lacks = _lacks(now.free, now.files, self._room, self._files)
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
