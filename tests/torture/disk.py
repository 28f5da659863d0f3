"""A disk that fails at a chosen call while a controller runs on it; see ``faults.c``."""

import contextlib
import mmap
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol, Self

SOURCE: Final = Path(__file__).with_name("faults.c")

FOR_EVER: Final = 2**62
"""So many calls that none follows."""

_CALLS, _FIRST, _LAST, _ERRNO, _FAILED, _READS = range(6)
_NUMBER: Final = struct.Struct("=q")


class Disk(Protocol):
    """A disk that can be made to fail under a running controller."""

    @property
    def failed(self) -> int:
        """How often it has refused; for a real disk, how often it was made to."""

    def fail(self, code: int, *, first: int, count: int = FOR_EVER) -> None:
        """Fail with an errno from the ``first`` call on, counted from the next one as 1."""

    def mend(self) -> None:
        """Take every call again."""


class FailingDisk:
    """Whatever lies under a folder, for the processes that are started while `preloaded`."""

    def __init__(self, library: Path, control: Path, under: Path) -> None:
        self.environment = {  # for whoever starts a program by itself
            "LD_PRELOAD": str(library),
            "TORTURE_FAULTS": str(control),
            "TORTURE_UNDER": str(under.resolve()),
        }
        control.write_bytes(bytes(mmap.PAGESIZE))
        self._attach(control)

    @classmethod
    def attached(cls, control: Path) -> Self:
        """Return the disk of this program, which was started with it preloaded."""
        disk = cls.__new__(cls)
        disk.environment = {}
        disk._attach(control)
        return disk

    def _attach(self, control: Path) -> None:
        with control.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), mmap.PAGESIZE)

    def refuse_reads_too(self, *, looks: bool = False) -> None:
        """From now on reads are calls as well, or also ``looks`` at what there is."""
        self._put(_READS, 1 + looks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_what: object) -> None:
        self._memory.close()

    @contextlib.contextmanager
    def preloaded(self) -> Iterator[None]:
        """Put the disk under every process that is started meanwhile."""
        before = {name: os.environ.get(name) for name in self.environment}
        os.environ.update(self.environment)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value

    @property
    def calls(self) -> int:
        """How often the disk was called so far."""
        return self._get(_CALLS)

    @property
    def failed(self) -> int:
        """How often it has refused."""
        return self._get(_FAILED)

    @property
    def calls_fail(self) -> bool:
        """Whether it refuses just now, and for ever."""
        return 0 < self._get(_FIRST) <= self.calls + 1 and self._get(_LAST) >= FOR_EVER

    def fail(self, code: int, *, first: int, count: int = FOR_EVER) -> None:
        """Fail with an errno from the ``first`` call on, counted from the next one as 1.

        A negative number is the signal that whoever calls dies of.
        """
        begin = self.calls + first
        self._put(_ERRNO, code)
        self._put(_LAST, begin + count - 1)
        self._put(_FIRST, begin)

    def mend(self) -> None:
        """Take every call again."""
        self._put(_FIRST, 0)

    def _get(self, at: int) -> int:
        value: int = _NUMBER.unpack_from(self._memory, at * _NUMBER.size)[0]
        return value

    def _put(self, at: int, value: int) -> None:
        _NUMBER.pack_into(self._memory, at * _NUMBER.size, value)


def built(folder: Path) -> Path:
    """Build the library in the folder and return it.

    Raises:
        AssertionError: there is no C compiler, or it refuses; says what to do.

    """
    compiler = shutil.which("gcc")
    assert compiler, "a C compiler is needed: sudo apt-get install gcc libc6-dev"
    library = folder / "faults.so"
    command = [compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    done = subprocess.run(
        [*command, "-o", str(library), str(SOURCE), "-ldl"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{SOURCE.name} is not built: {done.stderr}"
    return library
