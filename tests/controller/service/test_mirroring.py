"""A look at the second copy before a table opens: whatever lies there, the table opens."""

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.bounded import within
from controller.eventlog import Entry, EventLog, canonical, verify
from controller.eventlog.errors import MirrorFailed
from controller.eventlog.mirror import Mirror
from controller.service import mirroring
from controller.service.mirroring import Looked, check_copy

AT = "2026-05-09T07:35:25.123456Z"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    with closing(EventLog.open(tmp_path / "log")) as log:
        log.begin_day(AT, {"date": "2026-05-01"})
        log.append(AT, Entry(1, "note", canonical({})))
    return tmp_path / "log"


def file(copy: Path) -> None:
    copy.write_text("no folder")


def below_a_file(copy: Path) -> None:
    copy.parent.joinpath("held").write_text("no folder")
    copy.symlink_to(copy.parent / "held" / "copy")


WHAT_IS_THERE: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (lambda _: None, "it is not there: plug in or mount its disk"),
    "a file": (file, "it is no folder: move it away"),
    "below a file": (below_a_file, "a file stands where a folder should be"),
    "a dead link": (lambda copy: copy.symlink_to("nowhere"), "it is not there"),
    "a circle": (lambda copy: copy.symlink_to(copy), "links lead there in a circle"),
    "a pipe": (os.mkfifo, "it is no folder: move it away"),
}


@pytest.mark.parametrize("kind", WHAT_IS_THERE)
def test_what_is_no_folder_is_told_later(log: Path, tmp_path: Path, kind: str) -> None:
    make, why = WHAT_IS_THERE[kind]
    make(tmp_path / "copy")

    assert check_copy(log, tmp_path / "copy", 2) == Looked(2)
    with pytest.raises(MirrorFailed, match=why):
        Mirror(log, tmp_path / "copy").keep_in_step()


@pytest.mark.parametrize(
    "number", [errno.EACCES, errno.EPERM, errno.EIO, errno.ENOTCONN, errno.ESTALE, errno.ENODEV]
)
def test_a_folder_that_cannot_be_looked_at_is_told_later(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    copy = tmp_path / "copy"
    stat = Path.stat

    def refused(path: Path, **how: bool) -> os.stat_result:
        if path == copy:
            raise OSError(number, os.strerror(number), str(path))
        return stat(path, **how)

    monkeypatch.setattr(Path, "stat", refused)

    assert check_copy(log, copy, 2) == Looked(2)
    with pytest.raises(MirrorFailed) as told:
        Mirror(log, copy).keep_in_step()
    assert "; " in told.value.why  # it is said what to do


def test_a_fault_of_our_own_is_told_later_and_stands_in_the_journal(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_what: object) -> None:
        raise LookupError("never thought of")

    monkeypatch.setattr(mirroring.Mirror, "keep_in_step", broken)

    assert check_copy(log, tmp_path, 2) == Looked(2)


def test_two_at_once_do_not_write_into_one_folder(log: Path, tmp_path: Path) -> None:
    """One that began before the table opened, and hung, goes on when another is at it."""
    copy = tmp_path / "copy"
    copy.mkdir()
    assert mirroring._writing.acquire(timeout=1)
    try:
        done = []
        within(0.2, lambda: done.append(check_copy(log, copy)), None)
        assert done == []
        assert list(copy.iterdir()) == []
    finally:
        mirroring._writing.release()
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    check_copy(log, copy)
    assert verify(copy).ok
