"""A real disk that is full, or read-only, and then is not any more; root can make one."""

import asyncio
import contextlib
import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from controller.scripts.perform import perform
from tests.system.folder import short_folder
from tests.system.processes import PROGRAM, eventually, started, tablekeeper
from tests.system.table import config, rows_of
from tests.torture.alike import differences, script_of, undisturbed
from tests.torture.disk import FOR_EVER
from tests.torture.extent import FULL
from tests.torture.failing import Attempt, FailingTable, played_to_its_end
from tests.torture.report import Stopwatch

SCRIPT: Final = "devices/two-jackpots"
SIZE: Final = 16 * 2**20

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a disk"),
]


class RealDisk:
    """A small tmpfs that can be filled up to the last byte, freed, and made read-only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.failed = 0
        self._filler = folder / "filler"

    def fail(self, code: int, *, first: int, count: int = FOR_EVER) -> None:
        """Fill it up: it refuses from its first call on, until it is mended."""
        assert (code, first, count) == (errno.ENOSPC, 1, FOR_EVER), "a full disk has no other way"
        self.failed += 1
        with self._filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(b"\xff" * 4096):
                pass

    def mend(self) -> None:
        """Free it."""
        self._filler.unlink(missing_ok=True)

    def remount(self, how: str) -> bool:
        """Make it ``ro`` or ``rw``; tell whether the kernel did."""
        command = ["/usr/bin/mount", "-o", f"remount,{how}", str(self.folder)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def disk() -> Iterator[RealDisk]:
    """A real, small disk of its own."""
    with short_folder() as folder:
        place = folder / "state" / "log"
        place.mkdir(parents=True)
        size = f"size={SIZE},mode=700"
        subprocess.run(["/usr/bin/mount", "-t", "tmpfs", "-o", size, "tk", str(place)], check=True)
        try:
            yield RealDisk(place)
        finally:
            subprocess.run(["/usr/bin/umount", str(place)], check=True)


FILLED_AT: Final = frozenset({3, 8, 10})
"""Steps of the share in which the disk is full: a card, and both jackpot presses."""


def test_a_full_disk_stops_the_table_and_a_freed_one_lets_it_go_on(disk: RealDisk, figure) -> None:
    state = disk.folder.parent
    with Stopwatch(figure("a real disk (tmpfs) filled up in a step, then freed")) as counted:
        table, ended, other = asyncio.run(_play_on(disk))
        counted.done = table.hits
        for wrong in filter(None, [ended, *table.wrong, *other]):
            counted.fail(wrong, f"{SCRIPT}, {table.now}")
        verified = tablekeeper("log", "verify", state)
        if verified.returncode:
            counted.fail(f"log verify: {verified.stdout}{verified.stderr}", SCRIPT)
        assert [row["kind"] for row in rows_of(state)].count("started") == 1
        assert all("space" in trouble for trouble in table.troubles), table.troubles
    counted.must_be_right()


async def _play_on(disk: RealDisk) -> tuple[FailingTable, str, list[str]]:
    script = script_of(SCRIPT)
    results = []

    async def playing() -> None:
        results.append(await perform(script, table))

    def full(step: int) -> Attempt | None:
        return Attempt(1, errno.ENOSPC) if FULL or step in FILLED_AT else None

    async with FailingTable.set_up(script, disk.folder.parent, disk.folder.parents[1]) as wire:
        assert isinstance(wire, FailingTable)
        table = await wire.fail_by(disk, full)
        ended = await played_to_its_end(playing(), table)
    direct = await undisturbed(script)
    return table, ended, [what for result in results for what in differences(direct, result)]


def test_a_read_only_disk_is_said_at_the_start_and_a_writable_one_is_taken(
    disk: RealDisk, figure
) -> None:
    folder = disk.folder.parents[1]
    toml = folder / "table.toml"
    toml.write_text(config(folder, {"shoe": str(folder / "no-shoe")}))
    command = [*PROGRAM, "run", "--rehearsal", "--until-stdin-closes", "--config", toml]
    with Stopwatch(figure("a real disk remounted read-only, then writable")) as counted:
        for new in (True, False):  # before the log is begun, and when there is one
            assert disk.remount("ro")
            refused = tablekeeper("run", "--rehearsal", "--config", toml)
            counted.done += 1
            if refused.returncode == 0 or "Traceback" in refused.stderr:
                counted.fail(f"run ended with {refused.returncode}: {refused.stderr}", "ro")
            if "read-only" not in refused.stderr.lower():
                counted.fail(f"it does not say that the disk is read-only: {refused.stderr}", "ro")
            if not new and tablekeeper("log", "verify", disk.folder).returncode:
                counted.fail("log verify does not read a log on a read-only disk", "ro")
            assert disk.remount("rw")
            with started(command, errors=folder / "err") as controller:
                eventually((folder / "control.sock").is_socket, "the table answers")
                # The kernel lets nobody take the disk away from a controller that writes on it.
                if disk.remount("ro"):
                    counted.fail("made read-only under a running controller", "ro")
                assert controller.stdin is not None
                controller.stdin.close()
                assert controller.wait(30) == 0, (folder / "err").read_text()
        if tablekeeper("log", "verify", disk.folder).returncode:
            counted.fail("log verify finds the log altered", "ro")
    counted.must_be_right()
