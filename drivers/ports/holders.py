"""Who else has a device open: the first thing a technician asks after "in use"."""

import os
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")


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
        return link.readlink() == target
    except PermissionError:
        raise
    except OSError:
        return False


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "a program that has just ended"
