"""A disk that answers nothing at all, neither writes nor reads, and then is back.

As one that hangs and is reset.  The table goes on by itself.
"""

import errno
from pathlib import Path

import pytest

from tests.torture.disk import FOR_EVER, built
from tests.torture.extent import FULL
from tests.torture.report import Stopwatch
from tests.torture.sweeping import Sweep


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("faults"))


@pytest.mark.timeout(5400)
def test_a_disk_that_was_dead_for_a_while_lets_the_table_go_on(library: Path, figure) -> None:
    with Stopwatch(figure("disk answers neither writes nor reads, then is back")) as counted:
        sweep = Sweep(library, counted, FOR_EVER, reads=True)
        sweep.all_of_it(errno.EIO) if FULL else sweep.a_share(errno.EIO)
    counted.must_be_right()
