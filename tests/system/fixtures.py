"""Fixtures for every folder whose tests run tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.folder import short_folder
from tests.system.table import Running, running


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path; gone afterwards."""
    with short_folder() as path:
        yield path


@pytest.fixture
def table(folder: Path) -> Iterator[Running]:
    """A running table; afterwards nothing of it runs any more."""
    with running(folder) as it:
        yield it


@pytest.fixture(scope="module")
def shared_table() -> Iterator[Running]:
    """A running table for tests that leave no trace at it."""
    with short_folder() as path, running(path) as it:
        yield it
