"""One writer a log, for as long as the writer lives.

The kernel lets go of the lock when the process ends, however it ends, so the file can stay. Its
content, the holder's process id, is only for the message.
"""

import fcntl
import os
from pathlib import Path

from controller.eventlog.errors import LogHeld


class WriterLock:
    """The lock on a log folder, held until `release`."""

    def __init__(self, fd: int) -> None:
        """Take over a locked file; see `take`."""
        self._fd = fd

    @classmethod
    def take(cls, path: Path) -> "WriterLock":
        """Lock the file, creating it if need be, and write this process's id into it.

        Raises:
            LogHeld: another process has the lock, or this one has it already.
            OSError: the file can't be created or written.

        """
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Always the same length, so that a full disk can't stop a controller from starting.
            os.pwrite(fd, b"%-19d\n" % os.getpid(), 0)
        except BlockingIOError:
            pid = _read_pid(fd)
            os.close(fd)
            raise LogHeld(path, pid) from None
        except OSError:
            os.close(fd)
            raise
        return cls(fd)

    def release(self) -> None:
        """Let the next writer in, once."""
        os.close(self._fd)


def _read_pid(fd: int) -> int | None:
    text = os.pread(fd, 32, 0).strip()
    return int(text) if text.isdigit() else None
