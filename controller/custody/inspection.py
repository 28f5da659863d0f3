"""Everything of a table on the disk, looked at in one go."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Final

from controller.custody.judging import FILE, FOLDER, PEPPER, SECRET, Custodian, Demand, Fault
from controller.errors import SettingsError

MOST_FILES: Final = 100_000
"""Entries of a folder that are looked at; a log has four a day at most."""

_STATE: Final = FOLDER._replace(mended="700")
_LOG: Final = re.compile(
    r"(day-[0-9]{4,9}-[0-9-]{10}|events)\.(db(-wal|-shm|-journal)?|checkpoints)"
    r"|witness|lock|public-keys(\.new)?"
)
_FOLDERS: Final = (
    ("log", FOLDER, {_LOG: FILE}),
    ("log-key", _STATE, {re.compile(r"day-[0-9]{4,9}\.key(\.new)?"): SECRET}),
)
"""Each folder, what is demanded of it, and of the names in it that are the table's."""
_BESIDE: Final = {
    re.compile(r"operators\.db(-wal|-shm|-journal)?"): SECRET,
    re.compile(r"pepper"): PEPPER,
}


def check(state: Path, custodian: Custodian, *, config: Path | None) -> None:
    """Let nobody go on with a table's state that is not in its own hands.

    ``config`` is the configuration of a real table, None at a rehearsal.

    Raises:
        SettingsError: it is not; says what is wrong and the command that mends it.

    """
    try:
        around = faults_around(config, custodian) if config else ()
        every = chain(faults(state, custodian, real=bool(config)), around)
        found = list(dict.fromkeys(every))  # both may lie in one folder
    except OSError as fault:
        raise SettingsError(f"{state} cannot be looked at: {fault.strerror}") from None
    if found:
        more = "; more is wrong: sudo tablekeeper doctor" if len(found) > 1 else ""
        raise SettingsError(f"{found[0]}{more}")


def faults(
    state: Path, custodian: Custodian, *, real: bool, root: Path = Path("/")
) -> Iterator[Fault]:
    """Yield what is not in order with a table's state folder and what is in it.

    Of a ``real`` table the folders around it are judged, too, up to ``root``.  At a rehearsal a
    group may write in which nobody else is, and others may put files of their own into a sticky
    folder.  A folder that is not there yet is in order.

    Raises:
        PermissionError: this user may not look.
    """
    yield from _own(state, custodian, real=real)
    if real:
        yield from faults_around(state, custodian, root=root)


def _own(state: Path, custodian: Custodian, *, real: bool) -> Iterator[Fault]:
    if (there := _lstat(state)) is None:
        return
    fault = custodian.judge(state, there, _STATE, real=real)
    if fault and (real or fault.about != "rights" or not there.st_mode & stat.S_ISVTX):
        yield fault
    if not stat.S_ISDIR(there.st_mode):
        return
    yield from _inside(state, custodian, _BESIDE, real=real)
    for name, demand, ours in _FOLDERS:
        folder = state / name
        if (there := _lstat(folder)) is None:
            continue
        if fault := custodian.judge(folder, there, demand, real=real):
            yield fault
        if stat.S_ISDIR(there.st_mode):
            yield from _inside(folder, custodian, ours, real=real)


def faults_around(path: Path, custodian: Custodian, *, root: Path = Path("/")) -> Iterator[Fault]:
    """Yield the folders around a path by which somebody could put another thing in its place."""
    for folder in _around(path, root):
        try:
            there = folder.stat()
        except (FileNotFoundError, NotADirectoryError):
            continue  # what is to be made, or cannot: whoever makes it says so
        if fault := custodian.judge_around(folder, there):
            yield fault


def _inside(
    folder: Path, custodian: Custodian, ours: Mapping["re.Pattern[str]", Demand], *, real: bool
) -> Iterator[Fault]:
    with os.scandir(folder) as entries:
        seen = list(islice(entries, MOST_FILES + 1))
    if len(seen) > MOST_FILES:
        what = f"more than {MOST_FILES:,} files lie there, which cannot be the table's"
        yield Fault(folder, "size", what, f"ls -U {folder} | head; move away what is not a log's")
    for entry in sorted(seen, key=lambda one: one.name):
        demand = next((ours[names] for names in ours if names.fullmatch(entry.name)), None)
        if demand is None:
            continue
        path = folder / entry.name
        there = _lstat(path)
        if there is not None and (fault := custodian.judge(path, there, demand, real=real)):
            yield fault


def _around(path: Path, root: Path) -> Iterator[Path]:
    """Yield each folder on the way to a path, and on the way to where links among them lead."""
    waiting, seen = [Path(os.path.normpath(path.absolute()))], set()
    while waiting:
        for folder in waiting.pop().parents:
            if folder in seen or not folder.is_relative_to(root):
                continue
            seen.add(folder)
            if folder.is_symlink():
                leads_to = Path(os.path.normpath(folder.parent / folder.readlink()))
                waiting.append(leads_to / "below")  # so that it is among the parents itself
            else:
                yield folder


def _lstat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
