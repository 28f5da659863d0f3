"""What a process may be made to believe of its machine: another wall clock, a slow disk.

Each is a small C library that is loaded before the process's own; needs the compiler ``gcc``.
"""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.table import Running

SOURCES = Path(__file__).parent / "shims"


def preloaded(name: str, folder: Path) -> dict[str, str]:
    """Compile one of the libraries into the folder; return the environment that loads it."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is needed to make a process believe something else of its machine")
    library = folder / f"{name}.so"
    source = SOURCES / f"{name}.c"
    command = [compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source]
    subprocess.run(command, check=True, timeout=60)
    return {"LD_PRELOAD": str(library)}


class WallClock:
    """The wall clock that a table's controller sees."""

    def __init__(self, folder: Path) -> None:
        self._offset = folder / "offset"
        self.environment = preloaded("wall_clock", folder)
        self.environment["WALL_CLOCK_OFFSET"] = str(self._offset)

    def set(self, seconds: int) -> None:
        """Set the clock so many seconds away from the real one."""
        new = self._offset.with_suffix(".new")
        new.write_text(f"{seconds}\n")
        new.rename(self._offset)  # whoever reads it reads a whole number


class SlowDisk:
    """The disk that a table's controller writes to, or only that of a folder."""

    def __init__(self, folder: Path, below: Path | None = None) -> None:
        self._stands = folder / "stands"
        self.environment = {**preloaded("slow_disk", folder), "SLOW_DISK": str(self._stands)}
        if below is not None:
            self.environment["SLOW_DISK_BELOW"] = str(below)

    @contextlib.contextmanager
    def stands(self) -> Iterator[None]:
        """Let nothing get onto the disk until the end."""
        self._stands.touch()
        try:
            yield
        finally:
            self._stands.unlink()


@contextlib.contextmanager
def running_under(folder: Path, environment: dict[str, str]) -> Iterator[Running]:
    """Run a table whose controller has the environment; afterwards nothing of it runs any more."""
    table = Running(folder)
    table.environment = environment
    with table:
        yield table
