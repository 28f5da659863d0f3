"""Every error this package raises on purpose.

The tree says who is at fault, because that decides what happens next::

    TableError
     +-- NotAllowed       somebody asked for what the rules forbid: refuse, record, go on
     +-- ScriptError      a round script is wrong: say where, run the others (exit 2)
     +-- UsageError       a command line is wrong (exit 2)
     +-- SettingsError    a configuration file is wrong: do not start (exit 78)
     +-- OutcomesDiffer   the log decides differently now than it did then: do not start (exit 70)
     +-- TableGone        the other process went away: say so, try again
     +-- TableHeld        another controller answers at the socket: leave it alone (exit 69)
     +-- OutputLost       what was printed is not whole (exit 74)
     +-- OperatorsError   the operators' PINs cannot be read or kept: nobody signs in, play goes on

The event log's own errors (held by another, altered, disk full) are drawn in
``controller.eventlog.errors``.  Anything else is a bug: the event that met it is recorded as
undecided and the round waits for the supervisor.
"""


class TableError(Exception):
    """The root: something went wrong and we know what."""


class NotAllowed(TableError):
    """A request that the rules do not allow now; nothing has changed.

    ``rule`` is the clause that forbids it, or that gives the choice which is not open now.
    """

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(f"{why} ({rule})")
        self.rule = rule
        self.why = why


class ScriptError(TableError):
    """A fault in a round script, at ``line`` (from 1; 0 when it is the whole file)."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what


class UsageError(TableError):
    """A command was called in a way it does not understand."""


class SettingsError(TableError):
    """A configuration file has a fault; the message names file, key and what is allowed."""


class OutcomesDiffer(TableError):
    """Deciding the log again gives something else than it holds."""


class TableGone(TableError):
    """The running table closed the connection or cannot be reached."""


class TableHeld(TableError):
    """Another controller has the control socket; the message names it and says what to do.

    ``pid`` is its process id, None if nobody can tell.
    """

    def __init__(self, what: str, pid: int | None) -> None:
        super().__init__(what)
        self.pid = pid


class OutputLost(TableError):
    """Standard output could not be written: what was printed until then is not all.

    ``reader_left`` is True where whoever read it has had enough of it, as ``head`` does.
    """

    def __init__(self, why: str, *, reader_left: bool = False) -> None:
        super().__init__(f"standard output cannot be written: {why}; what was printed is not all")
        self.reader_left = reader_left


class OperatorsError(TableError):
    """The operators' database or pepper cannot be used; the message says why and what to do.

    Nobody can sign in then.  The table goes on: what a dealer may ask needs nobody signed in.
    """
