"""Which log is meant: the one at a path, or that of the nearest table."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.characters import printable
from controller.demo.run import nearest_socket
from controller.errors import UsageError
from controller.eventlog import LogAltered, LogReader, NotALog
from controller.eventlog.around import faults, slots_of
from controller.settings import read_settings

PATH_HELP: Final = "a state folder, a log folder or a log file; else the nearest table's"

SERVICE_SOCKET: Final = Path("/run/tablekeeper/control.sock")
SERVICE_SETTINGS: Final = Path("/etc/tablekeeper/table.toml")
SERVICE_STATE: Final = Path("/var/lib/tablekeeper")
"""Where a table's state is as long as its settings say nothing else."""


@contextlib.contextmanager
def opened(path: Path | None) -> Iterator[LogReader]:
    """Open the log at the path, or the nearest table's; says on standard error which that is.

    Raises:
        EventLogError: there is none, or it can't be read.
        UsageError: no path is given and no table is near.
    """
    reader = LogReader.open(path) if path is not None else _nearest()
    with contextlib.closing(reader):
        yield reader


def tell_faults(reader: LogReader) -> bool:
    """Say on standard error what is altered or missing around the rows; tell whether anything is.

    The rows themselves are for ``log verify``.
    """
    slots = slots_of(reader.files)  # first: a log may run ahead of it meanwhile
    try:
        found = faults(reader.files, slots, reader.days())
    except LogAltered as fault:
        found = [fault.what]
    for what in found:
        sys.stderr.write(printable(f"!!! THE LOG WAS ALTERED OR DAMAGED: {what} !!!") + "\n")
    sys.stderr.flush()
    return bool(found)


def _nearest() -> LogReader:
    """Open the log of this machine's table, or of the demo if there is none, as ``watch`` does."""
    socket = nearest_socket()
    states = [_state_beside(socket), _state_beside(SERVICE_SOCKET)]
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
    if socket != SERVICE_SOCKET:
        return socket.parent  # the demo's socket stands beside its state
    return read_settings(SERVICE_SETTINGS).state if SERVICE_SETTINGS.exists() else SERVICE_STATE
