"""Opening what may have been put there by somebody else: it is judged on its descriptor.

What it is counts, not whose: whose it should be is known for a table's own files, of which `faults`
judges all, and not for copies, which lie on other disks and are read by others.  Of a secret that
is this user's own, who else may read it counts as well.

Nothing here waits: a pipe that nobody writes to is opened at once, and refused.
"""

import contextlib
import errno
import os
import sqlite3
from pathlib import Path
from shlex import quote
from typing import Final
from urllib.parse import quote as quote_uri

from controller.custody.judging import FILE, Custodian, Demand, Fault

_NOT_OPENED: Final = frozenset({errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ENODEV})
"""How the kernel refuses links, pipes and sockets, folders and devices without a driver."""


class OutOfCustody(OSError):
    """A file is not what it should be, or others may read it; ``fault`` says what mends it.

    An error of the disk to whoever reads or writes: what cannot be trusted is not there.
    """

    def __init__(self, fault: Fault) -> None:
        super().__init__(errno.EPERM, str(fault))
        self.fault = fault


def open_file(path: Path, flags: int, mode: int = 0o600, *, demand: Demand = FILE) -> int:
    """Open a file and return its descriptor.

    Raises:
        OutOfCustody: it is no file, or a secret that others may read.
        OSError: as `os.open`.

    """
    written = bool(flags & (os.O_WRONLY | os.O_RDWR))
    try:
        fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    except OSError as refused:
        if refused.errno in _NOT_OPENED:
            _must_be(path, path.lstat(), demand, written=written)
        raise
    try:
        _must_be(path, os.fstat(fd), demand, written=written)
    except OutOfCustody:
        os.close(fd)
        raise
    return fd


def read_file(
    path: Path, most: int, *, demand: Demand = FILE, settings_of: Custodian | None = None
) -> bytes:
    """Return what a file holds.

    ``settings_of`` are given for the configuration of a table: it is root's or theirs alone.

    Raises:
        OutOfCustody: it is no file, not as demanded, or has more than ``most`` bytes.
        OSError: it can't be read.

    """
    with os.fdopen(open_file(path, os.O_RDONLY, demand=demand), "rb") as opened:
        there = os.fstat(opened.fileno())
        if settings_of and (fault := settings_of.judge_settings(path, there)):
            raise OutOfCustody(fault)
        data = opened.read(min(there.st_size, most) + 1)  # so much memory is taken at once
    if len(data) > most:
        what = f"it has more than {most:,} bytes, as no file of its kind has"
        aside = f"mv {quote(str(path))} {quote(f'{path}.aside')}"
        raise OutOfCustody(Fault(path, "size", what, aside))
    return data


def open_database(path: Path, busy: float, *, check_same_thread: bool = True) -> sqlite3.Connection:
    """Open a database that is there; ``busy`` are the seconds to wait for who has it locked.

    SQLite opens it by its name. It is judged before and after without being opened: to close
    another descriptor of it would take SQLite's locks away.

    Raises:
        OutOfCustody: it is no file, or was exchanged meanwhile.
        sqlite3.Error, OSError: it can't be opened.

    """
    before = path.lstat()
    _must_be(path, before, FILE, written=True)
    with contextlib.ExitStack() as undo:
        db = sqlite3.connect(
            f"file:{quote_uri(os.fsencode(path))}?mode=rw",
            uri=True,
            timeout=busy,
            isolation_level=None,
            check_same_thread=check_same_thread,
        )
        undo.callback(db.close)
        after = path.lstat()
        if (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino):
            what = "it was exchanged for another one while it was opened"
            raise OutOfCustody(Fault(path, "name", what, f"ls -li {quote(str(path.parent))}"))
        undo.pop_all()
    return db


def _must_be(path: Path, there: os.stat_result, demand: Demand, *, written: bool) -> None:
    custodian = Custodian()
    if demand.secret and there.st_uid == custodian.uid:
        fault = custodian.judge(path, there, demand)
    else:
        fault = custodian.judge_kind(path, there, demand, written=written)
    if fault is not None:
        raise OutOfCustody(fault)
