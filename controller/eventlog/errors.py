"""Every error this package raises on purpose.

The tree says who is at fault, because that decides what happens next::

    EventLogError
     +-- LogHeld         another controller holds this table: leave it alone
     +-- LogAltered      rows were changed, cut off or damaged: do not start, call a supervisor
     +-- SigningKeyLost  the key that signs this day is gone: a supervisor has it replaced
     +-- LogWriteFailed  the disk did not take it, nothing may be shown or paid: mend, then repeat
     +-- DayInUse        somebody reads a day that should end: it ends a little later
     +-- MirrorFailed    the second copy can't be kept: play goes on, somebody is told
     +-- CopySetBack     the second copy lacks what it has had: it is told, then filled again
     +-- NotALog         the path given is no event log: give another one
     +-- NewerFormat     a later version of this program wrote the log: update this one

A wrong argument (a body that is not canonical, a cause that does not exist, use after
``close()``) is the caller's bug and a plain ``ValueError``.
"""

from pathlib import Path
from typing import NamedTuple


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


class SigningKeyLost(EventLogError):
    """The private key by which this day of the log is signed is not where it was put.

    ``path`` is where it should be, ``day`` the number of the day.
    """

    def __init__(self, path: Path, day: int) -> None:
        super().__init__(
            path,
            f"{path}: the key that signs day {day} of the log is gone or spoiled. Put it back, or"
            " have a casino supervisor begin a new day with a new key: tablekeeper recover"
            " --new-key. What was signed stays as it is; the log will say that the key was lost",
        )
        self.day = day


class LogWriteFailed(EventLogError):
    """The log could not be written.

    After a failed ``append`` the step is not in the log as far as this process can see. If the
    power fails next, it may turn out after all to be there, but then as a whole.
    """

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(path, f"{path}: not written: {why}")
        self.why = why


class DayInUse(EventLogError):
    """The day can't be ended just now: somebody reads its file, who will soon be done."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, f"{path}: somebody is reading it; the day ends when they are done")


class MirrorFailed(EventLogError):
    """The second copy of the log is not there or can't be written."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(path, f"{path}: the second copy of the log is not kept: {why}")
        self.why = why


class SetBack(NamedTuple):
    """A copy that lacks what it is known to have had: somebody emptied it, or put it back.

    Attributes:
        had: it had all events up to this one.
        has: it goes so far now.
        days: the earlier days whose files it lacks.

    """

    had: int
    has: int
    days: tuple[int, ...]


class CopySetBack(EventLogError):
    """The second copy of the log lacks what it is known to have had; ``lacks`` says what."""

    def __init__(self, path: Path, lacks: SetBack) -> None:
        what = f"it had events up to {lacks.had} and has them up to {lacks.has}"
        super().__init__(path, f"{path}: the second copy of the log was put back: {what}")
        self.lacks = lacks


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
