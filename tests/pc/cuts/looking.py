"""The process that looks at a part of the cuts; started in a mount namespace of its own.

Arguments: a job in a file (`Job` as JSON).  Prints a `Verdict` a line, as JSON.
"""

import contextlib
import dataclasses
import json
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.appliance.machine import Machine
from tests.appliance.programs import do
from tests.appliance.table_pc import ROOT
from tests.pc.cuts.crash import Disk, Left, left_of, write
from tests.pc.cuts.cut_table import Acknowledged, Person, Said
from tests.pc.cuts.judged import Dead, Judging, Verdict, get_ready, in_order
from tests.pc.cuts.judged_pc import judge_first_install, judge_upgrade
from tests.pc.cuts.moments import Cut
from tests.pc.cuts.write_log import WriteLog

MENDED_EVERY: Final = 10
"""Of so many PCs on which nothing is installed whole, one is installed again: it takes long."""
WORDS: Final = 1000
"""Signs of what is told of a fault."""


@dataclass
class Job:
    """Some cuts of one recording, in order."""

    folder: str
    name: str
    disks: list[str]
    """The folders of the logged disks (`logged.LoggedDisk`); the first has the table's state."""
    places: list[str]
    """Where each is mounted, in the folder."""
    cuts: list[Cut]
    acknowledged: list[Acknowledged]
    people: list[Person] = field(default_factory=list)
    """Who can sign in from when on; the last that is said of somebody counts."""
    second: str = ""
    """Where in the folder the second copy of the log lies."""
    whole_pc: str = ""
    """If the disk is that of a whole PC: what was installed on it, ``upgrade`` or ``first``."""
    said: list[Said] = field(default_factory=list)
    """What was said to whoever installed it."""
    wheels: str = ""
    """The folder from which it is installed again, if it has to be mended."""

    @classmethod
    def read(cls, path: Path) -> "Job":
        """Return the job in a file."""
        plain = json.loads(path.read_text())
        plain["cuts"] = [
            Cut(tuple(moment), Left(left), seed) for moment, left, seed in plain["cuts"]
        ]
        plain["acknowledged"] = [Acknowledged(*one) for one in plain["acknowledged"]]
        plain["said"] = [Said(*one) for one in plain["said"]]
        plain["people"] = [Person(*one) for one in plain["people"]]
        return cls(**plain)


class Rebuilding:
    """The disks after each cut, one cut after the other."""

    def __init__(self, work: Path, disks: Sequence[Path]) -> None:
        """Take a folder to work in, and the folders of the logged disks."""
        self.logs = [WriteLog(disk / "writes.log") for disk in disks]
        self._promised = [work / f"promised-{number}.img" for number, _ in enumerate(disks)]
        self.images = [work / f"cut-{number}.img" for number, _ in enumerate(disks)]
        for disk, image in zip(disks, self._promised, strict=True):
            do("cp", "--sparse=always", disk / "base.img", image)
        self._disks = [Disk(*pair) for pair in zip(self._promised, self.logs, strict=True)]

    def after(self, cut: Cut) -> list[Path]:
        """Return the images as the cut leaves them."""
        luck = random.Random(cut.seed)
        for number, length in enumerate(cut.moment):
            entries = self.logs[number].until(length)
            self._disks[number].promise(entries)
            do("cp", "--sparse=always", self._promised[number], self.images[number])
            write(self.images[number], left_of(self.logs[number], entries, cut.left, luck))
        return self.images


def look(job: Job) -> None:
    """Look at all cuts of a job."""
    folder = Path(job.folder)
    work = folder / job.name
    work.mkdir()
    run = folder / "run"
    run.mkdir(exist_ok=True)
    do("mount", "-t", "tmpfs", "tmpfs", run)
    get_ready(work)
    rebuilding = Rebuilding(work, [Path(disk) for disk in job.disks])
    for number, cut in enumerate(job.cuts):
        verdict = Verdict(f"{cut.moment} {cut.left} {cut.seed}")
        images = rebuilding.after(cut)
        try:
            if job.whole_pc:
                _look_at_pc(job, images[0], cut, verdict, mend=number % MENDED_EVERY == 0)
            else:
                _look_at_table(job, images, cut, verdict)
        except (Dead, AssertionError, OSError, subprocess.TimeoutExpired) as fault:
            verdict.dead = str(fault)[-WORDS:]
        say(dataclasses.asdict(verdict))


def _look_at_table(job: Job, images: Sequence[Path], cut: Cut, verdict: Verdict) -> None:
    folder = Path(job.folder)
    with contextlib.ExitStack() as mounted:
        for image, name in zip(images, job.places, strict=True):
            mounted.enter_context(in_order(image, folder / name))
        latest = {one.name: one for one in job.people if one.length <= cut.moment[0]}
        people = [one for one in latest.values() if one.pin]
        second = folder / job.second if job.second else None
        had = [one for one in job.acknowledged if one.length <= cut.moment[0]]
        Judging(folder, job.name, people, second).judge(verdict, had)


def _look_at_pc(job: Job, image: Path, cut: Cut, verdict: Verdict, *, mend: bool) -> None:
    checkout = {ROOT: "/checkout", Path(job.wheels): "/wheels"}
    said = [one for one in job.said if one.length <= cut.moment[0]]
    had = [one for one in job.acknowledged if one.length <= cut.moment[0]]
    verdict.acknowledged = len(had)
    root = Path(job.folder) / f"{job.name}-root"
    with in_order(image, root), Machine(root, {}, checkout) as machine:
        if job.whole_pc == "upgrade":
            judge_upgrade(machine, verdict, had, said)
        else:
            judge_first_install(machine, verdict, said, mend=mend)


def say(words: dict[str, Any]) -> None:
    """Tell whoever has started this process."""
    sys.stdout.write(f"{json.dumps(words)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    look(Job.read(Path(sys.argv[1])))
