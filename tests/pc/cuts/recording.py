"""A table at work on disks whose writes are logged, and what comes of it when power is cut."""

import contextlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.appliance.programs import do
from tests.pc.cuts.cut_table import UID, CutTable, Person
from tests.pc.cuts.judged import Verdict
from tests.pc.cuts.logged import LoggedDisk, formatted, logging
from tests.pc.cuts.looking import Job
from tests.pc.cuts.moments import Moment, between, cuts, looked_at
from tests.pc.cuts.parallel import judged
from tests.pc.cuts.write_log import WriteLog

SECOND: Final = "second/log"
"""Where in the table's folder the second copy of its log lies."""


@dataclass
class Recording:
    """A table that is at work; what is asked of it stays in the recording."""

    folder: Path
    disks: Sequence[LoggedDisk]
    table: CutTable
    seen: list[Moment]
    people: list[Person] = field(default_factory=list)
    began: Moment = ()
    """From when on the power may be cut."""

    def now(self) -> int:
        """Return how long the log of the first disk is."""
        return self.disks[0].length()

    def begin(self) -> None:
        """Let the power be cut from now on, and not before."""
        self.began = tuple(disk.length() for disk in self.disks)

    def cut(self, count: int, seed: int) -> list[Verdict]:
        """Cut the power so many times, and return what was found; the table is at work no more."""
        logs = [WriteLog(disk.log) for disk in self.disks]
        moments = [
            moment
            for moment in between(logs, self.seen)
            if all(is_ >= was for is_, was in zip(moment, self.began, strict=bool(self.began)))
        ]
        second = SECOND if len(self.disks) > 1 else ""
        return judged(
            Job(
                folder=str(self.folder),
                name="",
                disks=[str(disk.folder) for disk in self.disks],
                places=PLACES[: len(self.disks)],
                cuts=cuts(moments, count, random.Random(seed)),
                acknowledged=self.table.acknowledged,
                people=self.people,
                second=second,
            )
        )


PLACES: Final = ["disk", "second"]
"""Where the disks are mounted in the table's folder."""


@contextlib.contextmanager
def recording(
    folder: Path, *, second: bool = False, more: str = "", environment: dict[str, str] | None = None
) -> Iterator[Recording]:
    """Give a table that was never started its disks; afterwards it has ended, and they are off."""
    with contextlib.ExitStack() as stack:
        disks = []
        for place in PLACES[: 1 + second]:
            disk = LoggedDisk(folder / f"{place}-logged")
            disk.folder.mkdir()
            (folder / place).mkdir()
            formatted(disk.base)
            disks.append(stack.enter_context(logging(disk)))
            do("mount", "-o", "loop", disk.device, folder / place)
            stack.callback(do, "umount", folder / place)
        if second:
            (folder / SECOND).mkdir(mode=0o700)
            do("chown", f"{UID}:{UID}", folder / SECOND)
            do("sync", "-f", folder / SECOND)
            more += f'mirror = "{folder / SECOND}"\n'
        seen = stack.enter_context(looked_at([disk.log for disk in disks]))
        table = stack.enter_context(contextlib.closing(CutTable(folder, more=more)))
        table.length = disks[0].length
        table.environment = environment or {}
        yield Recording(folder, disks, table, seen)
