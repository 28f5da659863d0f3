"""The folders beside the log, by what the log says of them: it outranks them all.

The operators' file, the pepper, the second copy and the private keys can each be put back from
yesterday; the log cannot, unnoticed.  Nothing is changed here, not even a file of SQLite's made.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.doctor.finding import Finding, ok, trouble, unseen
from controller.doctor.patient import UNIT, Patient
from controller.errors import OperatorsError
from controller.eventlog import EventLogError, LogReader
from controller.eventlog.files import LOG_FOLDER, key_folder
from controller.eventlog.mirror import Mirror
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


def _copy(log: Path, carried: Carried, patient: Patient) -> Iterator[Finding]:
    mirror = patient.settings.mirror if patient.settings else None
    if mirror is None:
        return
    had = carried.copied_to(mirror)
    there = patient.machine.path(mirror)
    try:
        with contextlib.closing(Mirror(log, there)) as copy:
            lacks = copy.lacking(had)
        if not there.is_dir():
            yield trouble(COPY, "it is not there: plug in or mount its disk", mirror)
            return
    except EventLogError as fault:
        yield trouble(COPY, str(getattr(fault, "why", fault)), mirror)
        return
    if lacks is None:
        yield ok(COPY, f"it has what the log knows of it: {had} events", mirror)
        return
    gone = f", and not the files of day {', '.join(map(str, lacks.days))}" if lacks.days else ""
    what = f"it had events up to {lacks.had}, it has them up to {lacks.has}{gone}"
    mend = "find out who emptied or changed its disk; then start the table, which fills it again"
    yield trouble(COPY, what, mirror, mend)


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
