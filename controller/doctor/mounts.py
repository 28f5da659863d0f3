"""Which file system a path lies on, by the kernel's table of mounts."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from controller.doctor.machine import Machine


class Mount(NamedTuple):
    """One mounted file system."""

    point: Path
    kind: str
    """``ext4``, ``tmpfs``, ..."""
    source: str
    options: frozenset[str]


def mount_of(path: Path, machine: Machine) -> Mount | None:
    """Return what the path lies on, None if the kernel does not tell."""
    named = machine.node(path).named
    lines = (machine.text("/proc/self/mountinfo") or "").splitlines()
    mounts = [mount for line in lines if (mount := _read(line)) is not None]
    around = [mount for mount in mounts if named.is_relative_to(mount.point)]
    # Of mounts on the same point the last lies on top.
    return max(reversed(around), key=lambda mount: len(mount.point.parts), default=None)


def _read(line: str) -> Mount | None:
    before, dash, after = line.partition(" - ")
    words, more = before.split(), after.split()
    if not dash or len(words) < 6 or len(more) < 2:
        return None
    options = {*words[5].split(","), *(more[2].split(",") if len(more) > 2 else ())}
    return Mount(Path(_plain(words[4])), more[0], _plain(more[1]), frozenset(options))


def _plain(text: str) -> str:
    # The kernel writes a blank in a path as \040.
    return os.fsdecode(
        re.sub(rb"\\(\d{3})", lambda found: bytes([int(found[1], 8)]), text.encode())
    )
