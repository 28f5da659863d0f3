"""The process that looks at a part of the cuts; started in a mount namespace of its own.

Arguments: a job in a file (`Job` as JSON).  Prints a `Verdict` a line, as JSON.
"""

import dataclasses
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.appliance.programs import do
from tests.pc.cuts.crash import Disk, Left, left_of, write
from tests.pc.cuts.cut_table import Acknowledged, Person
from tests.pc.cuts.judged import Dead, Judging, Verdict, mount
from tests.pc.cuts.moments import Cut
from tests.pc.cuts.write_log import WriteLog


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

    @classmethod
    def read(cls, path: Path) -> "Job":
        """Return the job in a file."""
        plain = json.loads(path.read_text())
        plain["cuts"] = [
            Cut(tuple(moment), Left(left), seed) for moment, left, seed in plain["cuts"]
        ]
        plain["acknowledged"] = [Acknowledged(*one) for one in plain["acknowledged"]]
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
    rebuilding = Rebuilding(work, [Path(disk) for disk in job.disks])
    for cut in job.cuts:
        verdict = Verdict(f"{cut.moment} {cut.left} {cut.seed}")
        places = [folder / place for place in job.places]
        mounted: list[Path] = []
        try:
            for image, place in zip(rebuilding.after(cut), places, strict=True):
                mount(image, place)
                mounted.append(place)
            had = [one for one in job.acknowledged if one.length <= cut.moment[0]]
            latest = {one.name: one for one in job.people if one.length <= cut.moment[0]}
            people = [one for one in latest.values() if one.pin]
            second = folder / job.second if job.second else None
            Judging(folder, job.name, people, second).judge(verdict, had)
        except Dead as fault:
            verdict.dead = str(fault)
        finally:
            for place in mounted:
                do("umount", place)
        say(dataclasses.asdict(verdict))


def say(words: dict[str, Any]) -> None:
    """Tell whoever has started this process."""
    sys.stdout.write(f"{json.dumps(words)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    look(Job.read(Path(sys.argv[1])))
