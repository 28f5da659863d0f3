"""One writer a log, for as long as the writer lives.

The kernel lets go of a lock when the process ends, however it ends, so the file can stay. Its
content, the holder's process id, is only for the message.

A lock is on a file and not on its name. Somebody may delete the file under a writer and another
writer makes it anew: each then has a lock of its own. So a log has a second one, on the folder of
its key, which nobody but its owner can open, and a writer looks now and then whether the file is
still its own.
"""

import errno
import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from controller.eventlog.errors import LogHeld, LogWriteFailed
from controller.eventlog.files import key_folder

TRIES: Final = 100
"""Times that a file which is taken away meanwhile is opened anew."""

_LOCKS: Final = Path("/proc/locks")


class FileId(NamedTuple):
    """What tells a file from every other that is there at the time, whatever their names."""

    device: int
    inode: int

    @classmethod
    def of(cls, found: os.stat_result) -> "FileId":
        """Return what the kernel says about a file."""
        return cls(found.st_dev, found.st_ino)

    @classmethod
    def at(cls, path: Path) -> "FileId | None":
        """Return the id of what stands at the path itself, not of what a link there leads to."""
        try:
            return cls.of(path.lstat())
        except OSError:
            return None


class LockFile:
    """A file that is locked, held until `release`."""

    def __init__(self, path: Path, fd: int) -> None:
        """Take over a locked file; see `take`."""
        self.path = path
        self._fd = fd

    @classmethod
    def take(cls, path: Path) -> "LockFile":
        """Lock the file, creating it if need be, and write this process's id into it.

        Raises:
            LogHeld: another process has the lock, or this one has it already.
            LogWriteFailed: it is no file of its own.
            OSError: the file can't be created or written.

        """
        for _ in range(TRIES):
            fd = _open(path)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if FileId.of(os.fstat(fd)) == FileId.at(path):
                    _write_pid(fd)
                    return cls(path, fd)
            except BlockingIOError:
                pid = _read_pid(fd) or holder(fd)
                os.close(fd)
                raise LogHeld(path, pid) from None
            except OSError:
                os.close(fd)
                raise
            os.close(fd)  # deleted or replaced since it was opened
        raise OSError(errno.EAGAIN, "it is taken away again and again", str(path))

    @property
    def is_own(self) -> bool:
        """Tell whether the file is still where it was locked."""
        return FileId.of(os.fstat(self._fd)) == FileId.at(self.path)

    def release(self) -> None:
        """Let the next one in, once."""
        os.close(self._fd)

    def delete(self) -> None:
        """Take the file away with the lock on it, if it is still the own one."""
        if self.is_own:
            with suppress(OSError):
                self.path.unlink()


class WriterLock:
    """The locks on a log folder, held until `release`."""

    def __init__(self, file: LockFile, folder: int) -> None:
        """Take over a locked file and a locked folder; see `take`."""
        self._file = file
        self._folder = folder

    @classmethod
    def take(cls, path: Path) -> "WriterLock":
        """Lock the file, and the folder of the key of the log beside it, creating both if need be.

        Raises:
            LogHeld: another process has one of them, or this one has it already.
            LogWriteFailed: the file is no file of its own.
            OSError: they can't be created or written.

        """
        file = LockFile.take(path)
        try:
            return cls(file, _lock_folder(key_folder(path.parent), path))
        except (LogHeld, OSError):
            file.release()
            raise

    @property
    def is_own(self) -> bool:
        """Tell whether another writer would find this lock."""
        return self._file.is_own

    def take_again(self) -> None:
        """Lock the file anew that somebody has deleted or replaced.

        Raises:
            LogHeld: another process has locked the one that is there now.
            LogWriteFailed: what is there now is no file of its own.
            OSError: it can't be created or written.

        """
        lost, self._file = self._file, LockFile.take(self._file.path)
        lost.release()

    def release(self) -> None:
        """Let the next writer in, once."""
        self._file.release()
        os.close(self._folder)


def holder(fd: int) -> int | None:
    """Return the process that has locked an open file, as the kernel says; None if nobody has."""
    found = os.fstat(fd)
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    with suppress(OSError):
        for line in _LOCKS.read_text(encoding="ascii").splitlines():
            match line.split():
                case [_, "FLOCK", _, _, pid, at, *_] if at == device and pid.isdigit():
                    return int(pid)
    return None


def _open(path: Path) -> int:
    """Open the file, which must be one, and have no other name by which it is something else.

    Raises:
        LogWriteFailed: it is no file of its own.
        OSError: it can't be opened.

    """
    try:
        # A pipe that nobody reads would be waited for.
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        fd = os.open(path, flags, 0o600)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _not_own(path, "a link") from None
        raise
    found = os.fstat(fd)
    if stat.S_ISREG(found.st_mode) and found.st_nlink <= 1:
        return fd
    os.close(fd)
    raise _not_own(path, "a file with two names" if stat.S_ISREG(found.st_mode) else "no file")


def _not_own(path: Path, what: str) -> LogWriteFailed:
    words = f"it is {what}, and a lock must be a file of its own: remove it, then start again"
    return LogWriteFailed(path, words)


def _lock_folder(folder: Path, log: Path) -> int:
    """Lock a folder and return its descriptor."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = holder(fd)
        os.close(fd)
        raise LogHeld(log, pid) from None
    except OSError:
        os.close(fd)
        raise
    return fd


def _write_pid(fd: int) -> None:
    # Always the same length, so that a full disk can't stop a controller from starting.
    os.pwrite(fd, b"%-19d\n" % os.getpid(), 0)


def _read_pid(fd: int) -> int | None:
    text = os.pread(fd, 32, 0).strip()
    return int(text) if text.isdigit() else None
