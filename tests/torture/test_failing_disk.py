"""The disk fails at every call of every step of a round, and comes back.

Nothing is told, shown or paid that is not recorded; the round goes on by itself, and settles as
if nothing had been.  ``TORTURE=full`` makes it every call, every step and every errno.
"""

import errno
from pathlib import Path
from typing import Final

import pytest

from tests.torture.disk import FOR_EVER, built
from tests.torture.extent import FULL, done_before, keep
from tests.torture.report import Stopwatch
from tests.torture.sweeping import Sweep

CODES: Final = (errno.ENOSPC, errno.EIO, errno.EROFS)

NAMES: Final = {
    FOR_EVER: "disk refuses from the n-th call on, then is mended",
    1: "disk refuses the n-th call alone",
    3: "disk refuses three calls from the n-th on",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("faults"))


@pytest.mark.timeout(5400)
@pytest.mark.parametrize("calls", NAMES if FULL else [FOR_EVER])
@pytest.mark.parametrize("code", CODES, ids=errno.errorcode.get)
def test_a_failing_disk_stops_the_table_and_a_mended_one_lets_it_go_on(
    code: int, calls: int, library: Path, figure
) -> None:
    part = f"disk-{errno.errorcode[code]}-{calls}"
    if (before := done_before(part)) is not None:
        figure.keep(before)
        return
    with Stopwatch(figure(NAMES[calls])) as counted:
        sweep = Sweep(library, counted, calls)
        sweep.all_of_it(code) if FULL else sweep.a_share(code)
    keep(part, counted)
    counted.must_be_right()
