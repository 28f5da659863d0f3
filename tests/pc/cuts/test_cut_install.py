"""The power of a PC is cut while the controller is installed on it, or its next version.

Whatever is left, a table that ran goes on, and what was said to be done is on the disk.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.appliance.programs import do
from tests.appliance.table_pc import SOCKET
from tests.pc.cuts.cut_table import Acknowledged, Noting, Said
from tests.pc.cuts.dealing import play
from tests.pc.cuts.judged import Verdict
from tests.pc.cuts.judged_pc import recorded_in
from tests.pc.cuts.logged import LoggedDisk, logging
from tests.pc.cuts.looking import Job
from tests.pc.cuts.moments import cuts
from tests.pc.cuts.parallel import judged
from tests.pc.cuts.pc_disk import Checkout, bare, installed, making, on
from tests.pc.cuts.table_of_cuts import TableOfCuts, bad
from tests.pc.cuts.write_log import WriteLog
from tests.system.processes import end, eventually
from tests.system.table import rows_of

SEED = 1
AFTERWARDS = 20.0
"""Seconds for which a PC runs on: part of what was installed may be on the disk only then."""


class Prepared:
    """What the tests here begin with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkout = Checkout(folder)
        self.bare = folder / "bare.img"
        bare(self.bare, folder / "bare")


@pytest.fixture(scope="module")
def prepared(memory: Path) -> Prepared:
    return Prepared(memory)


class Installing:
    """The installation on a disk whose writes are logged."""

    def __init__(self, prepared: Prepared, folder: Path) -> None:
        self.folder = folder
        self.said: list[Said] = []
        self.rows: list[Acknowledged] = []
        self.disk = LoggedDisk(folder)
        self.began = 0
        self._wheels = prepared.checkout.wheels

    def note(self, row: dict) -> None:
        self.rows.append(Acknowledged(self.disk.length(), row))

    def make(self, machine) -> None:
        """Install, and note what is said when."""
        self.began = self.disk.length()
        process = making(machine)
        try:
            assert process.stdout is not None
            for line in process.stdout:
                self.said.append(Said(self.disk.length(), line.strip()))
            assert process.wait() == 0, self.said
        finally:
            end(process)

    def cut(self, what: str, count: int) -> list[Verdict]:
        log = WriteLog(self.disk.log)
        ends = [(entry.end,) for entry in log.entries if entry.end >= self.began]
        job = Job(
            folder=str(self.folder),
            name="",
            disks=[str(self.folder)],
            places=[],
            cuts=cuts(ends, count, random.Random(SEED)),
            acknowledged=self.rows,
            whole_pc=what,
            said=self.said,
            wheels=str(self._wheels),
        )
        return judged(job)


@pytest.fixture
def installing(prepared: Prepared, in_memory: Path) -> Iterator[Installing]:
    return Installing(prepared, in_memory)


def plays(machine, it: Installing, rounds: int) -> None:
    """Play at the table of a PC; every row that is told is noted."""
    eventually(lambda: machine.inside(SOCKET).exists(), "the table listens")
    with Noting(machine.inside(SOCKET), it.note) as talk:
        talk.watch()
        told = {one.row["seq"] for one in it.rows}
        for row in rows_of(recorded_in(machine)):
            if row["seq"] not in told:
                it.note(row)
        for _ in range(rounds):
            play(talk)


def test_as_the_next_version_is_installed(
    prepared: Prepared, installing: Installing, states: int, table_of_cuts: TableOfCuts
) -> None:
    it = installing
    do("cp", "--sparse=always", prepared.bare, it.disk.base)
    installed(it.disk.base, it.folder / "root", prepared.checkout)
    with logging(it.disk), on(it.disk.device, it.folder / "root", prepared.checkout) as machine:
        plays(machine, it, 2)
        it.make(machine)
        plays(machine, it, 2)
        time.sleep(AFTERWARDS)
    assert any("the table runs on" in one.words for one in it.said), it.said
    verdicts = it.cut("upgrade", states)
    table_of_cuts.add("upgrade", verdicts)
    assert not bad(verdicts)


def test_as_it_is_installed_for_the_first_time(
    prepared: Prepared, installing: Installing, states: int, table_of_cuts: TableOfCuts
) -> None:
    it = installing
    do("cp", "--sparse=always", prepared.bare, it.disk.base)
    with logging(it.disk), on(it.disk.device, it.folder / "root", prepared.checkout) as machine:
        it.make(machine)
        time.sleep(AFTERWARDS)
    assert any("installed. Name the devices" in one.words for one in it.said), it.said
    verdicts = it.cut("first", states)
    table_of_cuts.add("first install", verdicts)
    assert not bad(verdicts)
