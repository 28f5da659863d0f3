"""Every error this package raises on purpose.

The tree says who is at fault, because that decides what happens next::

    EventLogError
     +-- LogHeld         another controller holds this table: leave it alone
     +-- LogAltered      rows were changed, cut off or damaged: do not start, call a supervisor
     +-- LogWriteFailed  the disk did not take it, nothing may be shown or paid: mend, then repeat
     +-- NotALog         the path given is no event log: give another one
     +-- NewerFormat     a later version of this program wrote the log: update this one

A wrong argument (a body that is not canonical, a cause that does not exist, use after
``close()``) is the caller's bug and a plain ``ValueError``.
"""

from pathlib import Path


class EventLogError(Exception):
    """Anything that is wrong with an event log; ``path`` says which one."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path


class LogHeld(EventLogError):
    """Another process, or this one, already has the log open for writing.

    ``pid`` is the holder's process id, or None if it had not written it down yet.
    """

    def __init__(self, path: Path, pid: int | None) -> None:
        holder = "a process that has just started" if pid is None else f"process {pid}"
        super().__init__(
            path, f"{path}: held by {holder}; stop that controller first, one table has one"
        )
        self.pid = pid


class LogAltered(EventLogError):
    """The log is not as its writer left it.

    ``seq`` is the first event concerned, 0 for the file as a whole; ``what`` says what was found.
    """

    def __init__(self, path: Path, seq: int, what: str) -> None:
        where = f" at event {seq}" if seq else ""
        super().__init__(
            path,
            f"{path}: altered{where}: {what}. Keep the whole folder as it is, verify the log to"
            " see how far it holds, and call a supervisor; a new log needs a folder of its own",
        )
        self.seq = seq
        self.what = what


class LogWriteFailed(EventLogError):
    """The log could not be written.

    After a failed ``append`` the step is not in the log as far as this process can see. If the
    power fails next, it may turn out after all to be there, but then as a whole.
    """

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(path, f"{path}: not written: {why}")
        self.why = why


class NotALog(EventLogError):
    """The path holds no event log that can be read."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(path, f"{path}: not an event log: {why}")
        self.why = why


class NewerFormat(EventLogError):
    """The log has format ``found``; this program reads up to ``known``."""

    def __init__(self, path: Path, found: int, known: int) -> None:
        super().__init__(
            path,
            f"{path}: written in format {found}, this program knows format {known};"
            " use the version that wrote it, or a later one",
        )
        self.found = found
        self.known = known
