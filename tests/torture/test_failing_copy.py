"""The second copy on a disk that fails, or a PC that loses its power, at each call to it.

Whatever is left verifies by itself and has all that it had; it is gone on with. Nothing but what a
table tells as an alarm comes of it.
"""

import errno
import os
import subprocess
import sys
from pathlib import Path
from signal import SIGKILL
from typing import Final

import pytest

from tests.torture.disk import FOR_EVER, FailingDisk, built
from tests.torture.extent import FULL
from tests.torture.report import Figure, Stopwatch

PROGRAM: Final = Path(__file__).parent / "children" / "copy_and_fail.py"
STEP: Final = 1 if FULL else 97
"""From one call that fails to the next one that is tried."""

HOW: Final = {
    "a power cut": (-SIGKILL, FOR_EVER),
    "EIO once": (errno.EIO, 1),
    "EIO for ever": (errno.EIO, FOR_EVER),
    "ENOSPC for a while": (errno.ENOSPC, 5),
    "EACCES for ever": (errno.EACCES, FOR_EVER),
    "ESTALE for a while": (errno.ESTALE, 20),
}
SHARE: Final = ("a power cut", "EIO once", "EACCES for ever")


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("how", HOW if FULL else SHARE)
def test_a_copy_on_a_disk_that_fails_at_any_call(how: str, tmp_path: Path, figure) -> None:
    code, calls = HOW[how]
    with Stopwatch(figure(f"second copy: {how}, at the n-th call")) as counted:
        _fail(tmp_path, code, calls, counted)
    counted.must_be_right()


def _fail(folder: Path, code: int, calls: int, counted: Figure) -> None:
    disk = FailingDisk(built(folder), folder / "control", folder / "copy")
    command = [sys.executable, PROGRAM, folder, folder / "control", str(code), str(calls)]
    with disk, disk.preloaded():
        done = subprocess.run(
            [*command, str(STEP)],
            env={**os.environ, "PYTHONPATH": str(Path.cwd())},
            capture_output=True,
            text=True,
            check=False,
        )
    *wrong, last = done.stdout.splitlines() or [""]
    assert last.startswith("failed at "), done.stdout + done.stderr
    counted.done += int(last.split()[2])
    for line in wrong:
        counted.fail(line, f"{PROGRAM.name} {code} {calls}")
