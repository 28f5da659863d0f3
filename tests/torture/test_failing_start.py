"""The disk fails while a controller starts: it says so and ends, or waits; later it starts."""

import contextlib
import errno
import shutil
import subprocess
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from tests.system.folder import short_folder
from tests.system.processes import PATIENCE, PROGRAM, eventually, started, tablekeeper
from tests.system.table import config
from tests.torture.disk import FailingDisk, built
from tests.torture.extent import FULL
from tests.torture.forging import at_rest, killed_log, rows_in
from tests.torture.report import Figure, Stopwatch

CODES: Final = (errno.ENOSPC, errno.EIO, errno.EROFS)
STEP: Final = 1 if FULL else 20
"""From one call that fails to the next one that is tried."""

ALTERED: Final = 1
DIFFERS: Final = 70

Process = subprocess.Popen[bytes]

ROUND: Final = "pontoon-nsw/18.13-table-1/pontoon"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path | None]:
    """The states in which a controller may find its log: none, at rest, after a kill."""
    folder = tmp_path_factory.mktemp("logs")
    for name in ("at rest", "killed"):
        (folder / name).mkdir()
    return {
        "no log yet": None,
        "a log at rest": at_rest(killed_log(folder / "at rest", [ROUND])),
        "a log after a kill": killed_log(folder / "killed", [ROUND]),
    }


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("found", ["no log yet", "a log at rest", "a log after a kill"])
def test_a_disk_that_fails_at_the_start_is_said_and_costs_nothing(
    found: str, logs: dict[str, Path | None], library: Path, figure
) -> None:
    with Stopwatch(figure("disk refuses from the n-th call of a start on")) as counted:
        for code in CODES if FULL else [CODES[list(logs).index(found)]]:
            failing = (Start(logs[found], library, n, code) for n in count(1, STEP))
            for start in failing:
                if not start.reaches(counted):
                    break
        counted.beside.append("no log yet, a log at rest, a log after a kill")
    counted.must_be_right()


class Start:
    """One start on a disk that refuses from a call on, and one more when it is mended."""

    def __init__(self, log: Path | None, library: Path, first: int, code: int) -> None:
        self._log = log
        self._library = library
        self._first = first
        self._code = code

    def reaches(self, counted: Figure) -> bool:
        """Start; tell whether there are so many calls, and count what comes out wrong."""
        with short_folder() as folder:
            state = folder / "state"
            state.mkdir()
            if self._log:
                shutil.copytree(self._log, state, dirs_exist_ok=True)
            rows = rows_in(state) if self._log else []
            toml = folder / "table.toml"
            toml.write_text(config(folder, {"shoe": str(folder / "no-shoe")}))
            failed, wrong = self._fail(folder, toml)
            wrong = wrong or _start_again(folder, toml)
            if not wrong and rows_in(state)[: len(rows)] != rows:
                wrong = "rows that were there before are not there any more"
        if not failed:
            return False
        counted.done += 1
        if wrong:
            again = f"{errno.errorcode[self._code]} from call {self._first} of the start on"
            counted.fail(wrong, again)
        return True

    def _fail(self, folder: Path, toml: Path) -> tuple[int, str]:
        """Return how often the disk refused, and what was wrong with what the controller did."""
        under = folder / "state" / "log"
        with FailingDisk(self._library, folder / "faults", under) as disk:
            disk.fail(self._code, first=self._first)
            with disk.preloaded(), _controller(folder, toml) as controller:
                answers, errors = folder / "control.sock", folder / "err"
                eventually(
                    lambda: (
                        controller.poll() is not None
                        or answers.is_socket()
                        or "not recorded" in errors.read_text()
                    ),
                    "it ends, waits for the disk, or answers",
                )
                disk.mend()
                if controller.poll() is None:
                    eventually(answers.is_socket, "the table goes on by itself")
                    return disk.failed, _stopped(controller, errors)
                return disk.failed, _ended_well(controller.returncode, errors.read_text())


def _controller(folder: Path, toml: Path) -> contextlib.AbstractContextManager[Process]:
    command = [*PROGRAM, "run", "--rehearsal", "--until-stdin-closes", "--config", toml]
    return started(command, errors=folder / "err")


def _ended_well(status: int, said: str) -> str:
    """A controller that ends because of the disk says so in one line, and no more."""
    if status in {0, ALTERED, DIFFERS} or "Traceback" in said:
        return f"it ended with {status}: {said}"
    return "" if "not written" in said or "disk" in said else f"it does not say why: {said}"


def _stopped(controller: Process, errors: Path) -> str:
    assert controller.stdin is not None
    controller.stdin.close()
    status = controller.wait(PATIENCE)
    said = errors.read_text()
    return f"it ended with {status}: {said}" if status or "Traceback" in said else ""


def _start_again(folder: Path, toml: Path) -> str:
    """Start on a disk that is well, stop, and verify; return what is wrong."""
    with _controller(folder, toml) as controller:
        answers = folder / "control.sock"
        eventually(
            lambda: controller.poll() is not None or answers.is_socket(), "the table answers"
        )
        if controller.poll() is not None:
            return f"it does not start any more: {(folder / 'err').read_text()}"
        if wrong := _stopped(controller, folder / "err"):
            return f"started again, {wrong}"
    verified = tablekeeper("log", "verify", folder / "state")
    return f"log verify: {verified.stdout}{verified.stderr}" if verified.returncode else ""
