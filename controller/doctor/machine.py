"""The machine that is examined: its files below a root, and its programs.

The root is ``/`` but for tests, and for the disk of a machine that does not start any more.
"""

import contextlib
import os
import re
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

ANSWER_WITHIN: Final = 10.0
"""Seconds that a program of the system has to answer."""

_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")


class Node(NamedTuple):
    """A path with all links followed: as the machine names it, and as we reach it."""

    named: Path
    reached: Path


class Machine:
    """Reads a machine and changes nothing."""

    def __init__(self, root: Path = Path("/")) -> None:
        """Take the folder that is the machine's ``/``."""
        self.root = root.resolve()

    def path(self, path: str | Path) -> Path:
        """Return where a path of the machine is reached."""
        return self.root / Path(path).absolute().relative_to("/")

    def node(self, path: str | Path) -> Node:
        """Return what a path leads to; it need not be there."""
        reached = Path(os.path.realpath(self.path(path)))
        if reached.is_relative_to(self.root):
            return Node(Path("/") / reached.relative_to(self.root), reached)
        return Node(reached, reached)  # a link that leads out of the root

    def text(self, path: str | Path) -> str | None:
        """Return what a small file says, None if it is not there or may not be read."""
        return text_of(self.path(path))

    def listing(self, path: str | Path) -> list[Path]:
        """Return where the entries of a folder are reached; none if it cannot be read."""
        try:
            return sorted(self.path(path).iterdir())
        except OSError:
            return []

    def ask(self, *command: str) -> str | None:
        """Return what a program of the system answers, None if there is none or it fails."""
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=ANSWER_WITHIN,
                env={**os.environ, "LC_ALL": "C"},
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None

    def processes(self) -> dict[int, str]:
        """Return the names of all processes that are seen here."""
        found = {}
        for folder in self.path("/proc").glob("[0-9]*"):
            if (name := text_of(folder / "comm")) is not None:
                found[int(folder.name)] = name
        return found

    def command_line(self, pid: int) -> str:
        """Return a process's command line, "" if it is gone or hidden."""
        with contextlib.suppress(OSError):
            words = self.path(f"/proc/{pid}/cmdline").read_bytes()
            return words.replace(b"\0", b" ").decode(errors="replace").strip()
        return ""


def text_of(path: Path) -> str | None:
    """Return what a small file says, None if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def number_of(text: str | None) -> int | None:
    """Return the whole number that a file of the kernel says, None if it says anything else."""
    return int(text) if text is not None and _NUMBER.fullmatch(text) else None
