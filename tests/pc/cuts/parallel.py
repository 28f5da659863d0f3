"""Looking at many cuts at once: a process for each processor."""

import contextlib
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.pc.cuts.judged import Verdict
from tests.pc.cuts.looking import Job

AT_ONCE: Final = os.cpu_count() or 1
ROOT: Final = Path(__file__).parents[3]


def judged(job: Job, at_once: int = AT_ONCE) -> list[Verdict]:
    """Return what was found after each cut of a job."""
    folder = Path(job.folder)
    with contextlib.ExitStack() as stack:
        looking = []
        for number in range(at_once):
            # Neighbours go to one process: it brings its images forward as little as it can.
            part = len(job.cuts) * number // at_once, len(job.cuts) * (number + 1) // at_once
            name = f"looking-{number}"
            mine = dataclasses.replace(job, name=name, cuts=job.cuts[slice(*part)])
            path = folder / f"{name}.json"
            path.write_text(json.dumps(dataclasses.asdict(mine)))
            errors = stack.enter_context((folder / f"{name}.log").open("w"))
            command = ["unshare", "--mount", "--propagation", "private", sys.executable]
            process = subprocess.Popen(
                [*command, "-m", "tests.pc.cuts.looking", str(path)],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=ROOT,
            )
            stack.callback(_gone, process)
            looking.append(process)
        verdicts = [Verdict(**json.loads(line)) for each in looking for line in _lines(each)]
    assert len(verdicts) == len(job.cuts), _said(folder)
    return verdicts


def _lines(process: "subprocess.Popen[str]") -> Sequence[str]:
    assert process.stdout is not None
    return process.stdout.readlines()


def _gone(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        process.terminate()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def _said(folder: Path) -> str:
    return "\n".join(log.read_text()[-2000:] for log in folder.glob("looking-*.log"))
