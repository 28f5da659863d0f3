"""Which log is meant: the one at a path, or that of the nearest table."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.characters import printable
from controller.errors import UsageError
from controller.eventlog import LogAltered, LogReader, NotALog
from controller.eventlog.around import faults, notes, slots_of
from controller.eventlog.checked import CheckedRows
from controller.service.nearest import nearest_socket
from controller.settings import USUAL_CONFIG, USUAL_SOCKET, USUAL_STATE, read_settings

PATH_HELP: Final = "a state folder, a log folder or a log file; else the nearest table's"

INTACT: Final = 0
ALTERED: Final = 1
"""What a command exits with that has read a log."""

CHECKS: Final = "Files, keys and the chain of the rows read are checked, the rest by log verify."

NOT_CHECKED: Final = (
    "checked: the files, the keys, and each row read against the one before it; not checked:"
    " signatures, other rows, what was decided (tablekeeper log verify --decide)"
)

MOST_SHOWN: Final = 20
"""Rows of which it is said that they do not follow; more are there as well then."""


@contextlib.contextmanager
def opened(path: Path | None) -> Iterator[CheckedRows]:
    """Open the log at the path, or the nearest table's; says on standard error which that is.

    Raises:
        EventLogError: there is none, or it can't be read.
        UsageError: no path is given and no table is near.
    """
    reader = LogReader.open(path) if path is not None else _nearest()
    with contextlib.closing(reader):
        yield CheckedRows(reader, _Teller())


class _Teller:
    """Says on standard error which rows do not follow, the first of them."""

    def __init__(self) -> None:
        self._said = 0

    def __call__(self, seq: int, what: str) -> None:
        self._said += 1
        if self._said <= MOST_SHOWN:
            _say(_altered(f"event {seq}: {what}"))
        elif self._said == MOST_SHOWN + 1:
            _say(_altered("more events do not follow"))


def tell_faults(checked: CheckedRows) -> bool:
    """Say on standard error what is altered or missing around the rows; tell whether anything is.

    Raises:
        NotALog: it is half a copy of which nothing can be said, or can't be read.
    """
    reader = checked.reader
    slots = slots_of(reader.files)  # first: a log may run ahead of it meanwhile
    try:
        found = faults(reader.files, slots, reader.days())
    except LogAltered as fault:
        found = [fault.what]
    for what in found:
        _say(_altered(what))
    with contextlib.suppress(LogAltered):  # which was said above
        for what in notes(reader.files, slots, reader.days()):
            _say(f"note: {what}")
    return bool(found)


def judged(reader: CheckedRows, *, altered: bool) -> int:
    """Return the exit status of a command that has read all it wants.

    It says on standard error what was not checked: to a person at a terminal, and to everybody
    where something is altered.
    """
    altered = altered or reader.altered
    sys.stdout.flush()  # what was read comes before what is said of it
    if altered or sys.stderr.isatty():
        _say(NOT_CHECKED)
    return ALTERED if altered else INTACT


def _altered(what: str) -> str:
    return f"!!! THE LOG WAS ALTERED OR DAMAGED: {what} !!!"


def _say(what: str) -> None:
    sys.stderr.write(printable(what) + "\n")
    sys.stderr.flush()


def _nearest() -> LogReader:
    """Open the log of this machine's table, or of the demo if there is none, as ``watch`` does."""
    socket = nearest_socket()
    states = [_state_beside(socket), _state_beside(USUAL_SOCKET)]
    for state in dict.fromkeys(states):
        with contextlib.suppress(NotALog):
            reader = LogReader.open(state)
            sys.stderr.write(f"the log of {state}:\n")
            sys.stderr.flush()
            return reader
    places = " or ".join(str(state) for state in dict.fromkeys(states))
    raise UsageError(
        f"there is no log of a table in {places}: name one, {PATH_HELP.partition(';')[0]}"
    )


def _state_beside(socket: Path) -> Path:
    """Return the state folder of the table that listens at the socket."""
    if socket != USUAL_SOCKET:
        return socket.parent  # the demo's socket stands beside its state
    return read_settings(USUAL_CONFIG).state if USUAL_CONFIG.exists() else USUAL_STATE
