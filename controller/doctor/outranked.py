"""The folders beside the log, by what the log says of them: it outranks them all.

The operators' file, the pepper, the second copy and the private keys can each be put back from
yesterday; the log cannot, unnoticed.  Nothing is changed here, not even a file of SQLite's made.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from controller.bounded import HANGS_AFTER, within
from controller.doctor.finding import Finding, ok, trouble, unseen
from controller.doctor.patient import UNIT, Patient
from controller.doctor.user import READ, SEARCH, WRITE, rights_in_words
from controller.errors import OperatorsError
from controller.eventlog import EventLogError, LogReader
from controller.eventlog.errors import SetBack
from controller.eventlog.files import LOG_FOLDER, PUBLIC_KEYS, WITNESS, key_folder
from controller.eventlog.mirror import Mirror
from controller.eventlog.reasons import why
from controller.eventlog.signing import days_of_keys
from controller.eventlog.source import Source
from controller.operators import pepper
from controller.operators.hashing import mark_of
from controller.operators.roll import Roll
from controller.operators.standing import Standing, read_standing
from controller.operators.store import NAME
from controller.service.carried import Carried

OPERATORS: Final = "operators"
COPY: Final = "second copy"
KEYS: Final = "log keys"


def check(patient: Patient) -> Iterator[Finding]:
    """Yield what there is to say of the folders beside the log, if there is a log."""
    state = patient.machine.path(patient.state)
    log = state / LOG_FOLDER
    try:
        if not log.is_dir():
            yield from _copy(log, None, patient)
            return
        with contextlib.closing(LogReader.open(log)) as reader:
            carried = Carried(reader)
            last = reader.files.days[-1].number
    except (EventLogError, OSError, ValueError) as fault:
        yield unseen(OPERATORS, f"the log cannot be asked who they are: {fault}", log)
        return
    yield from _operators(state, carried.roll, patient)
    yield from _copy(log, carried, patient)
    yield from _keys(log, last)


def _operators(state: Path, roll: Roll, patient: Patient) -> Iterator[Finding]:
    file = state / NAME
    try:
        standing = _standing(state)
    except OperatorsError as fault:
        mend = "put both files back as they were, or remove both and add everybody anew"
        yield trouble(OPERATORS, f"nobody can sign in: {fault}", file, mend)
        return
    except (sqlite3.Error, OSError) as fault:
        yield unseen(OPERATORS, f"their file cannot be compared with the log: {fault}", file)
        return
    roll.adopt(standing)
    differs = roll.differences(standing)
    for one in differs:
        what = f"{one.what}: the log counts, and they are not let in"
        yield trouble(OPERATORS, what, file, one.mend and _command(one.mend, patient))
    if not differs and standing.kept:
        yield ok(OPERATORS, f"{len(standing.kept)}, as the log has them", file)


def _standing(state: Path) -> Standing:
    """Read the operators' file as it lies.

    Raises:
        OperatorsError: the pepper is not the one that the file was made with.
        sqlite3.Error, OSError: it can't be read.
    """
    file = state / NAME
    if not file.exists():
        return Standing()
    source = Source(file)
    try:
        standing = source.read(read_standing)
        kept = source.fetch("SELECT mark FROM pepper", ())
    finally:
        source.close()
    if kept and mark_of(pepper.read_pepper(state)) != kept[0][0]:
        raise OperatorsError("the pepper beside the file is not the one that it was made with")
    return standing


def _command(mend: str, patient: Patient) -> str:
    if not mend.startswith(("operators ", "put the latest file back, or ")):
        return mend
    settings = patient.settings
    where = f"--config {settings.path}" if settings else f"--state {patient.state}"
    name = patient.user.name if patient.user else "tablekeeper"
    return f"sudo -u {name} tablekeeper {mend} {where}" if mend.startswith("operators") else mend


def _copy(log: Path, carried: Carried | None, patient: Patient) -> Iterator[Finding]:
    mirror = patient.settings.mirror if patient.settings else None
    if mirror is None:
        return
    had = carried.copied_to(mirror) if carried else 0
    there = patient.machine.path(mirror)
    # The table waits no longer for a disk either.
    silent: _Found = _SILENT
    found = within(HANGS_AFTER, lambda: _looked_at(log, there, had, patient), silent)
    if isinstance(found, SetBack):
        gone = f", and not the files of day {', '.join(map(str, found.days))}" if found.days else ""
        what = f"it had events up to {found.had}, it has them up to {found.has}{gone}"
        mend = (
            "find out who emptied or changed its disk; then start the table, which fills it again"
        )
        yield trouble(COPY, what, mirror, mend)
    elif found is not None:
        yield trouble(COPY, found.what, mirror, found.mend)
    elif carried:
        yield ok(COPY, f"it has what the log knows of it: {had} events", mirror)


class _Shut(NamedTuple):
    """Why no copy can be kept, and what mends it."""

    what: str
    mend: str = ""


_Found = SetBack | _Shut | None
"""What the copy lacks, or why none can be kept; None if all is well."""

_SILENT: Final = _Shut("its disk does not answer", "unplug it, plug it in and mount it again")


def _looked_at(log: Path, there: Path, had: int, patient: Patient) -> _Found:
    try:
        if log.is_dir():
            with contextlib.closing(Mirror(log, there)) as copy:
                if lacks := copy.lacking(had):
                    return lacks
        elif not there.is_dir():
            return _Shut("it is not there, or is no folder", "plug in or mount its disk")
        return _not_to_be_written(there, patient)
    except EventLogError as fault:
        return _Shut(str(getattr(fault, "why", fault)))
    except OSError as fault:
        return _Shut(why(fault))


def _not_to_be_written(there: Path, patient: Patient) -> _Shut | None:
    """Find what the table may not write of the folder and what it still writes in it."""
    user, machine = patient.user, patient.machine
    if user is None:
        return None
    mend = f"sudo chown -R {'$USER' if user.name == 'you' else user.name}: {there}"
    if not (user.reaches(there, machine) and user.may(there, READ | WRITE | SEARCH)):
        what = f"{user.name} may not write there ({rights_in_words(machine, there)})"
        return _Shut(what, mend)
    for path in sorted(there.iterdir()):
        is_ours = path.is_file() and (path.name in (WITNESS, PUBLIC_KEYS) or "day-" in path.name)
        if is_ours and path.stat().st_mode & 0o222 and not user.may(path, READ | WRITE):
            what = f"{user.name} may not write {path.name} ({rights_in_words(machine, path)})"
            return _Shut(what, mend)
    return None


def _keys(log: Path, last: int) -> Iterator[Finding]:
    folder = key_folder(log)
    try:
        days = [day for day in days_of_keys(folder) if day < last]
    except OSError as fault:
        yield unseen(KEYS, f"they cannot be looked at: {fault.strerror}", folder)
        return
    for day in days:
        what = f"the private key of day {day} lies here, and was destroyed when that day ended"
        mend = f"find out who kept it; sudo systemctl restart {UNIT} destroys it again"
        yield trouble(KEYS, what, folder, mend)
