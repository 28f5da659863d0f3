"""A log cut at any call of its first start or of the turn of a day is read where it can't be
written: as its last run has left it, and nothing is changed by that.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.eventlog import EventLogError, LogReader, NotALog, verify
from controller.eventlog.around import faults, notes, slots_of
from tests.torture.disk import FailingDisk, built

CHILD = Path(__file__).parent / "children" / "turn_days.py"
NO_ROW_YET = ("no controller has begun a log here", "no row in it", "no day's file")


def every_state(folder: Path) -> Iterator[Path]:
    """Yield a copy of the log before each call of the disk; of those that look alike, one."""
    state = folder / "state"
    state.mkdir()
    seen = set()
    with FailingDisk(built(folder), folder / "faults", state) as disk, disk.preloaded():
        disk.fail(0, first=1)
        child = subprocess.Popen([sys.executable, CHILD, state])
        for number in range(1_000_000):
            _, status = os.waitpid(child.pid, os.WUNTRACED)
            shape = tuple((p.name, p.stat().st_size) for p in sorted(state.rglob("*")))
            if shape not in seen:
                seen.add(shape)
                yield Path(shutil.copytree(state, folder / f"cut-{number:04}"))
            if not os.WIFSTOPPED(status):
                child.returncode = os.waitstatus_to_exitcode(status)
                assert child.returncode == 0
                return
            os.kill(child.pid, signal.SIGCONT)


def read(cut: Path) -> tuple[str, int]:
    """Return what is said of a log, and how many rows it has; ``""`` if it is read."""
    try:
        verdict = verify(cut)
        assert verdict.ok, verdict.first_bad
        with closing(LogReader.open(cut)) as reader:
            slots = slots_of(reader.files)
            found = [*faults(reader.files, slots, reader.days())]
            notes(reader.files, slots, reader.days())
            assert not found
            assert len(list(reader.rows())) == verdict.events
    except NotALog as nothing:
        return str(nothing), 0
    except EventLogError as fault:
        return f"it is not read: {fault}", 0
    return "", verdict.events


def listed(cut: Path) -> list[tuple[str, int, int]]:
    told = ((path, path.stat()) for path in sorted(cut.rglob("*")))
    return [(path.name, one.st_size, one.st_mtime_ns) for path, one in told]


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may enter."""
    with tempfile.TemporaryDirectory() as top:
        Path(top).chmod(0o755)
        yield Path(top)


@pytest.mark.timeout(300)
def test_what_a_cut_has_left_is_read_where_it_cannot_be_written(public: Path) -> None:
    most, wrong, journals = 0, [], 0
    for cut in every_state(public):
        journals += bool(list(cut.rglob("*-journal")))
        cut.chmod(0o555)
        for path in cut.rglob("*"):
            path.chmod(0o555 if path.is_dir() else 0o444)
        before = listed(cut)
        said, rows = without_rights(cut)
        if (most and said) or (said and not any(words in said for words in NO_ROW_YET)):
            wrong.append(f"{cut.name}: {said}")
        assert rows >= most, f"{cut.name}: {rows} rows, there were {most}"
        assert listed(cut) == before
        most = rows
    assert not wrong
    assert journals > 5
    assert most == 7


def without_rights(cut: Path) -> tuple[str, int]:
    """Read as a user whom the rights of files bind, which root is not."""
    if os.geteuid() != 0:
        return read(cut)
    os.seteuid(65534)
    try:
        return read(cut)
    finally:
        os.seteuid(0)
