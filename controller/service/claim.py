"""The place at which a table listens: its own from before its first event to its last.

Two configurations may name one socket.  So whoever starts asks first who answers there, and leaves
alone what is not its own: a socket at which somebody answers, and anything that is no socket.  One
at which nobody answers was left by a controller that was cut off, and is replaced.  Two that start
at once are kept apart by a lock beside the socket.
"""

import contextlib
import errno
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.errors import SettingsError, TableHeld
from controller.eventlog.errors import LogHeld, LogWriteFailed
from controller.eventlog.lock import FileId, LockFile
from controller.service.people import Peer

ANSWERS_WITHIN: Final = 5.0
"""Seconds that a connection may take; a controller that stands still is connected to at once."""

WHAT_TO_DO: Final = "stop that controller first, or give this table a table.socket of its own"


class Claim:
    """The own place of a table; `listen_at` of `controller.service.places` opens it."""

    def __init__(self, path: Path) -> None:
        """Take a place that is locked; see `claimed`."""
        self.path = path
        self._own: FileId | None = None

    def make_way(self) -> None:
        """Take away the socket of a controller that was cut off.

        Raises:
            TableHeld: a controller answers there.
            SettingsError: what stands there is no socket, or can't be taken away.
        """
        stale = _left_over(self.path)
        if stale is None:
            return
        try:
            if FileId.at(self.path) == stale:
                self.path.unlink()
        except OSError as fault:
            raise _cannot(self.path, fault.strerror or str(fault)) from None

    def taken(self) -> None:
        """Note that what stands there now is this table's."""
        self._own = FileId.at(self.path)

    def leave(self) -> None:
        """Take the own socket away, and nobody else's."""
        if self._own is not None and FileId.at(self.path) == self._own:
            with contextlib.suppress(OSError):
                self.path.unlink()
        self._own = None


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[Claim]:
    """Claim the place for a table until the end, so that no other controller gets it meanwhile.

    Raises:
        TableHeld: another controller has it.
        SettingsError: nothing can listen there.
    """
    beside = path.with_name(f"{path.name}.lock")
    try:
        lock = LockFile.take(beside)
    except LogHeld as held:
        raise _held(path, held.pid) from None
    except LogWriteFailed as fault:
        raise _cannot(path, f"{beside}: {fault.why}") from None
    except OSError as fault:
        raise _cannot(path, fault.strerror or str(fault)) from None
    claim = Claim(path)
    try:
        _left_over(path)
        yield claim
    finally:
        claim.leave()
        lock.delete()
        lock.release()


def who_answers(path: Path) -> int | None:
    """Return the process that listens at a socket; None if nobody does.

    Raises:
        OSError: it can't be asked.
    """
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(ANSWERS_WITHIN)
        try:
            asking.connect(str(path))
        except ConnectionRefusedError:
            return None
        except (BlockingIOError, TimeoutError):
            return 0  # so many wait already that it can only be one that lives
        return Peer.of(asking).pid


def _left_over(path: Path) -> FileId | None:
    """Return the socket that was left at the path; None if nothing is there.

    Raises:
        TableHeld: somebody answers.
        SettingsError: it is no socket, or nobody can tell.
    """
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise _cannot(path, fault.strerror or str(fault)) from None
    if not stat.S_ISSOCK(found.st_mode):
        what = "a link" if stat.S_ISLNK(found.st_mode) else "no socket"
        raise _cannot(path, f"{what} stands there, which is not taken away: name another place")
    try:
        pid = who_answers(path)
    except FileNotFoundError:
        return None
    except OSError as fault:
        if fault.errno in {errno.EPROTOTYPE, errno.ENOTSOCK}:
            raise _cannot(path, "a socket of another kind stands there") from None
        raise _cannot(path, f"who listens there? {fault.strerror or fault}") from None
    if pid is not None:
        raise _held(path, pid)
    return FileId.of(found)


def _held(path: Path, pid: int | None) -> TableHeld:
    who = f"process {pid}" if pid else "another controller"
    return TableHeld(f"table.socket = {path}: {who} has it; {WHAT_TO_DO}", pid or None)


def _cannot(path: Path, why: str) -> SettingsError:
    return SettingsError(f"table.socket = {path} cannot be opened: {why}")
