"""What somebody may put into a log's folder, or rename there, by which nothing is read or shown."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.eventlog.files import days_in

Plant = Callable[[Path], object]


def last(folder: Path) -> Path:
    """Return the file of the last day."""
    return days_in(folder)[-1].path


def _another(name: str) -> Plant:
    """Put a second file there for the last day."""
    return lambda folder: shutil.copy(
        last(folder), folder / name.format(days_in(folder)[-1].number)
    )


def _renamed(name: str) -> Plant:
    """Give the last day's file another name, with all that belongs to it."""

    def rename(folder: Path) -> None:
        day = days_in(folder)[-1]
        to = folder / name.format(day.number)
        day.path.rename(to)
        if day.checkpoints.exists():
            day.checkpoints.rename(to.with_suffix(".checkpoints"))

    return rename


def _linked(folder: Path) -> None:
    """Leave a link where the last day's file was."""
    file = last(folder)
    file.symlink_to(file.rename(folder.parent / "elsewhere.db"))


def _instead(name: str, make: Callable[[Path], object]) -> Plant:
    """Put something that is no file in the place of a file."""

    def put(folder: Path) -> None:
        path = folder / name.format(last(folder).stem)
        path.unlink(missing_ok=True)
        make(path)

    return put


def _link(path: Path) -> None:
    path.symlink_to("/dev/zero")


NEW_DAY: Final = "day-0099-2031-05-09.db"

PLANTS: Final[dict[str, tuple[Plant, str]]] = {
    "a later date": (_another("day-{:04}-2031-11-01.db"), "there are two files for day"),
    "an earlier date": (_another("day-{:04}-2001-11-01.db"), "there are two files for day"),
    "a longer number": (_another("day-{:05}-2031-11-01.db"), "is not the name of a day's file"),
    "another case": (_another("DAY-{:04}-2031-11-01.DB"), "is not the name of a day's file"),
    "no such date": (_another("day-0099-2031-02-30.db"), "is not the name of a day's file"),
    "no day": (_another("day-0000-2031-11-01.db"), "is not the name of a day's file"),
    "a copy": (_another("day-{:04}-2031-11-01 (2).db"), "is not the name of a day's file"),
    "a date that is not its own": (
        _renamed("day-{:04}-2031-11-01.db"),
        "first row says that it is",
    ),
    "a link to the file": (_linked, "is a link, where a file belongs"),
    "a folder as a day": (_instead(NEW_DAY, Path.mkdir), "is a folder, where a file belongs"),
    "a pipe as a day": (_instead(NEW_DAY, os.mkfifo), "is a pipe, where a file belongs"),
    "a link as a day": (_instead(NEW_DAY, _link), "is a link, where a file belongs"),
    "a pipe as witness": (_instead("witness", os.mkfifo), "witness is a pipe"),
    "a link as witness": (_instead("witness", _link), "witness is a link"),
    "a pipe as keys": (_instead("public-keys", os.mkfifo), "public-keys is a pipe"),
    "a link as keys": (_instead("public-keys", _link), "public-keys is a link"),
    "a folder as keys": (_instead("public-keys", Path.mkdir), "public-keys is a folder"),
    "a pipe as checkpoints": (_instead("{}.checkpoints", os.mkfifo), "checkpoints is a pipe"),
    "a link as checkpoints": (_instead("{}.checkpoints", _link), "checkpoints is a link"),
    "a pipe beside a day": (_instead("{}.db-wal", os.mkfifo), "-wal is a pipe"),
}
"""How it is done, and what is said of it."""
