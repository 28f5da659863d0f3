"""Rounds on a disk that fails at a chosen call of a step: one call after the other, or by lot."""

import asyncio
import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

from controller.scripts.perform import perform
from tests.system.folder import short_folder
from tests.system.processes import tablekeeper
from tests.system.table import rows_of
from tests.torture.alike import differences, script_of, undisturbed
from tests.torture.disk import FailingDisk
from tests.torture.extent import SEED
from tests.torture.failing import Attempt, FailingTable, Plan, played_to_its_end
from tests.torture.report import Figure

SCRIPT: Final = "devices/two-jackpots"
"""Every kind of step: wagers, cards, the pedal, two jackpot buttons, two prizes, the meter."""

CALLS: Final = 12
"""Calls of a commit, about."""

OFTEN: Final = 0.3
"""How likely the disk fails in a step of the share."""

TRIES: Final = 40
"""Rounds begun anew after a failure, at most: none shall hide the others."""


class Sweep:
    """Rounds one after the other, in which the disk fails at the n-th call of each step."""

    def __init__(self, library: Path, counted: Figure, calls: int, *, reads: bool = False) -> None:
        self._library = library
        self.counted = counted
        self._calls = calls
        self._reads = reads

    def a_share(self, code: int) -> None:
        """Fail at a call drawn by lot, in steps drawn by lot, until the disk has refused once."""
        luck = random.Random(f"{SEED} failing disk {code} {self._reads}")
        while not self.counted.done and not self.counted.failures:
            self.play(
                lambda _step: (
                    Attempt(luck.randint(1, CALLS), code, self._calls)
                    if luck.random() < OFTEN
                    else None
                )
            )

    def all_of_it(self, code: int) -> None:
        """Fail at every call of every step."""
        calls = next(first for first in count(1) if not self.every_step(first, code))
        self.counted.beside.append(f"up to {calls - 1} calls in a step")

    def every_step(self, first: int, code: int) -> bool:
        """Fail at that call of every step; tell whether any step had so many calls."""
        begin, reached = 0, False
        for _ in range(TRIES):
            table = self.play(_from(begin, Attempt(first, code, self._calls)))
            reached = reached or bool(table.reached)
            if table.now_failed is None:
                return reached
            begin = table.now_failed
        raise AssertionError(f"more than {TRIES} rounds did not come to their end")

    def play(self, plan: Plan) -> "Played":
        """Play one round; count the refusals, and each thing that came out wrong."""
        with (
            short_folder() as folder,
            FailingDisk(self._library, folder / "faults", folder / "state" / "log") as disk,
        ):
            (folder / "state").mkdir()
            if self._reads:
                disk.refuse_reads_too()
            table, ended = asyncio.run(_play(disk, folder, plan))
            wrong = [*table.wrong, *_wrong_at_the_end(folder / "state", broken_off=bool(ended))]
        self.counted.done += table.hits
        for what in [ended, *wrong]:
            if what:
                self.counted.fail(what, f"{SCRIPT}, {table.now}")
        for trouble in sorted(table.troubles):
            reason = trouble.rpartition(": ")[2].rstrip(")")
            if reason not in self.counted.beside:
                self.counted.beside.append(reason)
        return Played(table.reached, table.steps if ended else None)


class Played:
    """What one round came to: the calls it reached, and the step that never ended."""

    def __init__(self, reached: set[int], now_failed: int | None) -> None:
        self.reached = reached
        self.now_failed = now_failed


def _from(begin: int, attempt: Attempt) -> Plan:
    return lambda step: attempt if step >= begin else None


async def _play(disk: FailingDisk, folder: Path, plan: Plan) -> tuple[FailingTable, str]:
    script = script_of(SCRIPT)
    result = None

    async def playing() -> None:
        nonlocal result
        result = await perform(script, table)

    with disk.preloaded():
        async with FailingTable.set_up(script, folder / "state", folder) as wire:
            assert isinstance(wire, FailingTable)
            table = await wire.fail_by(disk, plan)
            ended = await played_to_its_end(playing(), table)
    if result is not None:
        table.wrong += differences(await undisturbed(script), result)
    return table, ended


def _wrong_at_the_end(state: Path, *, broken_off: bool) -> Iterator[str]:
    verified = tablekeeper("log", "verify", state)
    if verified.returncode not in ({0, 3} if broken_off else {0}):
        yield f"log verify ended with {verified.returncode}: {verified.stdout}{verified.stderr}"
    kinds = [row["kind"] for row in rows_of(state)]
    starts, undecided = kinds.count("started"), kinds.count("undecided")
    if (starts, undecided) != (1, 0):
        yield f"not one quiet run: {starts} starts, {undecided} events undecided"
    errors = (state / "controller.err").read_text()
    if "Traceback" in errors:
        yield errors
