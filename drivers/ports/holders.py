"""Who else has a device open: the first thing a technician asks after "in use"."""

import os
from pathlib import Path

PROC = Path("/proc")


def who_holds(node: Path, *, proc: Path = PROC) -> str:
    """Name the processes that have *node* open, as far as this user may see them."""
    target, found = node.resolve(), []
    for process in proc.glob("[0-9]*"):
        if _has_open(process, target):
            own = process.name == str(os.getpid())
            found.append("this program itself" if own else f"{_name(process)} ({process.name})")
    return " and ".join(sorted(found)) or "a program that this user cannot see"


def _has_open(process: Path, target: Path) -> bool:
    # Processes of other users refuse, and any may end while it is looked at.
    try:
        return any(_points_to(link, target) for link in (process / "fd").iterdir())
    except OSError:
        return False


def _points_to(link: Path, target: Path) -> bool:
    try:
        return link.readlink() == target
    except OSError:
        return False


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "a program that has just ended"
