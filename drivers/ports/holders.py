"""Who else has a device open: the first thing a technician asks after "in use"."""

import os
import stat
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
PTY_MAJORS = range(136, 144)
"""Device numbers of virtual lines; each container counts its own from 0."""


class Holder(NamedTuple):
    """A process that has a device open."""

    pid: int
    name: str


class Holders(NamedTuple):
    """Who has a device open, as far as this user may see it."""

    seen: tuple[Holder, ...]
    unseen: int
    """How many processes do not show this user what they have open."""


def holders_of(node: Path, *, proc: Path = PROC) -> Holders:
    """Return the processes that have the node open; links must have been followed already."""
    seen, unseen = [], 0
    for process in proc.glob("[0-9]*"):
        try:
            if _has_open(process, node):
                seen.append(Holder(int(process.name), _name(process)))
        except PermissionError:
            unseen += 1
    return Holders(tuple(sorted(seen)), unseen)


def who_holds(node: Path, *, proc: Path = PROC) -> str:
    """Name the processes that have *node* open, as far as this user may see them."""
    found = [_in_words(each) for each in holders_of(node.resolve(), proc=proc).seen]
    return " and ".join(sorted(found)) or "a program that this user cannot see"


def _in_words(holder: Holder) -> str:
    if holder.pid == os.getpid():
        return "this program itself"
    return f"{holder.name} ({holder.pid})"


def _has_open(process: Path, target: Path) -> bool:
    try:
        return any(_points_to(link, target) for link in (process / "fd").iterdir())
    except PermissionError:
        raise
    except OSError:
        return False  # it has just ended


def _points_to(link: Path, target: Path) -> bool:
    try:
        named = link.readlink()
        # Only what can be a device is asked for more: a file on a dead network disk would not
        # answer.
        if named != target and not named.is_relative_to("/dev"):
            return False
        return _is_same(link, target, named)
    except PermissionError:
        raise
    except OSError:
        return False


def _is_same(link: Path, target: Path, named: Path) -> bool:
    """Tell whether both are one device: a name means another one inside a container, and a device
    can have another name there.
    """
    try:
        one, other = link.stat(), target.stat()
    except FileNotFoundError:
        return named == target
    if not stat.S_ISCHR(other.st_mode) or os.major(other.st_rdev) in PTY_MAJORS:
        return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
    return stat.S_ISCHR(one.st_mode) and one.st_rdev == other.st_rdev


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "a program that has just ended"
