"""Operators in folders of their own, and real tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.operators.lockout import Moment
from controller.operators.store import Store
from tests.system.fixtures import folder, table
from tests.system.folder import short_folder
from tests.system.real import RealTable, real_table


class Clock:
    """The machine's clock, moved by hand."""

    def __init__(self) -> None:
        self.mono = 1_000_000
        self.boot = "first"

    def __call__(self) -> Moment:
        return Moment(self.mono, self.boot)

    def restart(self) -> None:
        """Start the machine anew."""
        self.mono, self.boot = 5, f"{self.boot} again"


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still."""
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Store:
    """Nobody yet, in a folder of its own."""
    return Store(tmp_path, clock)


@pytest.fixture
def real() -> Iterator[RealTable]:
    """A real table that runs."""
    with short_folder() as folder, real_table(folder) as it:
        yield it


@pytest.fixture(scope="module")
def shared_real() -> Iterator[RealTable]:
    """A real table, for tests that leave no trace at it, with ``ines``, a game supervisor."""
    with short_folder() as folder, real_table(folder) as it:
        it.add()
        yield it


__all__ = ["Clock", "clock", "folder", "real", "shared_real", "store", "table"]
