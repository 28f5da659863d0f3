# ruff: noqa: T201 - standard output is how it talks to the test
"""Keep a second copy of a log over three days, time and again, on a disk that fails at each call.

Arguments: a working folder, the disk's shared memory, an errno or -9 for a power cut (a kill), for
how many calls it fails, and from one call that fails to the next one that is tried. Prints a line
for what came out wrong, and at last how often the disk failed. Run with the disk preloaded: it is
below ``copy`` in the working folder. Each try is a process of its own, forked here.
"""

import contextlib
import os
import shutil
import sys
import traceback
from itertools import count
from pathlib import Path

from controller.eventlog import Entry, EventLog, LogReader, NotALog, canonical, verify
from controller.eventlog.errors import MirrorFailed
from controller.eventlog.mirror import Mirror
from tests.torture.disk import FailingDisk

AT = "2026-05-09T07:35:25.123456Z"
KILLED = -9
TRIES = 50
"""So often it is tried to keep a copy on a disk that fails for a few calls."""

folder = Path(sys.argv[1])
code, calls, step = map(int, sys.argv[3:])
source, copy, reached = folder / "log", folder / "copy", folder / "reached"
disk = FailingDisk.attached(Path(sys.argv[2]))
disk.refuse_reads_too(looks=True)


def entry(kind: str, **body: object) -> Entry:
    return Entry(1, kind, canonical(body))


def in_step(log: EventLog, mirror: Mirror) -> Mirror:
    """Try until it is; what goes wrong must be said as what it is."""
    for _ in range(TRIES):
        try:
            seq = mirror.keep_in_step(int(reached.read_text())).seq
        except MirrorFailed:
            mirror.close()
            mirror = Mirror(source, copy)
            if not disk.calls_fail:
                continue
            return mirror
        reached.write_text(str(seq))
        if seq == log.head.seq:
            return mirror
    raise AssertionError("it is not in step after so many tries")


def keep_over_days() -> None:
    log = EventLog.open(source)
    mirror = Mirror(source, copy)
    for day in (1, 2, 3):
        log.begin_day(AT, {"date": f"2026-05-0{day}"})
        for _ in range(2):
            log.append(AT, entry("card-out", card="AS", pad="x" * 3000), [entry("dealt")])
            log.append(AT, entry("asked"), [entry("settled", pays=500)])
            mirror = in_step(log, mirror)
    mirror.close()
    log.close()


def found_wrong() -> str:
    """Say what the copy is that was left, and what becomes of it once the disk is well again."""
    had = int(reached.read_text())
    try:
        verdict = verify(copy)
    except NotALog as nothing:
        if had:
            return f"the copy had {had} events and is none: {nothing}"
    else:
        if not verdict.ok:
            return f"the copy that was left does not verify: {verdict.first_bad}"
        if verdict.last < had:
            return f"the copy had {had} events and has {verdict.last}"
        with contextlib.closing(LogReader.open(copy)) as left:
            rows = list(left.rows())
        with contextlib.closing(LogReader.open(source)) as log:
            if rows != list(log.rows(until=len(rows))):
                return "the copy that was left has other rows"
    with contextlib.closing(Mirror(source, copy)) as mirror:
        try:
            mirror.keep_in_step(had)
        except Exception as fault:  # noqa: BLE001 - it is what is looked for
            return f"the copy is not gone on with: {fault!r}"
        if mirror.mended and code == KILLED:
            return f"a cut tore it: {mirror.mended}"
    verdict = verify(copy)
    rest = sorted(path.name for path in copy.iterdir() if ".new" in path.name)
    return "" if verdict.ok and not rest else f"the copy is no whole one: {verdict}, {rest}"


def one_try(first: int) -> str:
    for each in (source, folder / "log-key", copy):
        shutil.rmtree(each, ignore_errors=True)
    copy.mkdir()
    reached.write_text("0")
    before = disk.failed
    disk.fail(code, first=first, count=calls)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            keep_over_days()
            status = 0
        except BaseException:  # noqa: BLE001 - it is told, and the process ends
            traceback.print_exc(file=sys.stdout)
        finally:
            sys.stdout.flush()
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    disk.mend()
    if disk.failed == before:
        return "done" if status == 0 else f"without a fault: {status}"
    return found_wrong() if status in (0, KILLED) else f"it ended with {status}"


done = 0
for first in count(1 + int(os.environ.get("SKIP", "0")), step):
    what = one_try(first)
    if what == "done":
        break
    done += 1
    if what:
        print(f"call {first}: {what}")
print(f"failed at {done} calls")
