"""Whether the second copy of a log lies apart from it: a copy in the same place is none."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from controller.eventlog.files import key_folder

MOVE: Final = "give it a folder of its own, on another disk"


def misplaced(log: Path, copy: Path) -> str | None:
    """Say why a folder can't hold the second copy of the log in another one; None if it can.

    Links, relative paths and bind mounts are followed: what counts is the folder that is meant.
    Neither folder need be there.
    """
    if _is_within(copy, log):
        return f"it is the log's own folder {log}, or lies in it: {MOVE}"
    if _is_within(copy, key_folder(log)):
        return f"it lies where the log's private key is, {key_folder(log)}: {MOVE}"
    if _is_within(log, copy):
        return f"the log's folder {log} lies in it: {MOVE}"
    return None


def _is_within(inner: Path, outer: Path) -> bool:
    """Tell whether a folder is another one, or lies below it."""
    inner, outer = Path(os.path.realpath(inner)), Path(os.path.realpath(outer))
    marks = _marks(outer)
    return any(not marks.isdisjoint(_marks(one)) for one in (inner, *inner.parents))


def _marks(folder: Path) -> set[object]:
    """Return what tells a folder: its path, and what the disk calls it if it is there."""
    found: set[object] = {folder}
    with suppress(OSError):
        status = folder.stat()
        found.add((status.st_dev, status.st_ino))
    return found
