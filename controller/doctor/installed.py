"""Whether what a release needs outside of its folder is there as it was installed.

A power cut during an older version's installation left files empty; hands change or delete some.
Each release keeps what it has put elsewhere once more, in its folder ``system``.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.doctor.finding import Finding, trouble, warning
from controller.doctor.machine import Machine
from controller.doctor.patient import UNIT

ABOUT: Final = "service"
RELEASE: Final = Path("/opt/tablekeeper/current")
UNIT_FILE: Final = Path("/usr/lib/systemd/system", UNIT)
OUTRANKING: Final = Path("/etc/systemd/system", UNIT)
"""Where a unit would be read instead of the installed one."""

INSTALL: Final = "sudo make install, in the folder of its source"
BROKEN_OFF: Final = "an installation was broken off, as by a power cut"


def check(machine: Machine) -> Iterator[Finding]:
    """Yield what is not as the release has put it."""
    tree = _tree(machine)
    places = {UNIT_FILE, *(Path("/", file.relative_to(tree)) for file in _files(tree))}
    for place in sorted(places):
        yield from _compared(place, machine.path(place), tree / place.relative_to("/"))
    if machine.path(UNIT_FILE).exists() and not os.path.lexists(machine.path(RELEASE)):
        what = "its program is gone: it was taken off, or put on, and that was broken off"
        yield trouble(
            ABOUT, what, RELEASE, f"{INSTALL} (or make uninstall, which takes off the rest)"
        )
    override = machine.path(OUTRANKING)
    if not override.is_symlink() and override.is_file():
        said = "masks the unit, for it is empty" if is_empty(override) else f"outranks {UNIT_FILE}"
        mend = f"sudo rm {OUTRANKING} && sudo systemctl daemon-reload"
        yield warning(ABOUT, f"this file {said}", OUTRANKING, mend)


def is_masked_by_a_cut(machine: Machine) -> bool:
    """Tell whether the unit is masked because its file is empty: by nobody's will."""
    return any(is_empty(machine.path(unit)) for unit in (UNIT_FILE, OUTRANKING))


def is_empty(file: Path) -> bool:
    """Tell whether there is a file with nothing in it; a link to /dev/null is none."""
    try:
        return file.is_file() and file.stat().st_size == 0
    except OSError:
        return False


def _tree(machine: Machine) -> Path:
    try:
        release = machine.path(RELEASE).readlink()
    except OSError:
        release = RELEASE
    return machine.path(release) / "system"


def _files(tree: Path) -> Iterator[Path]:
    return (each for each in tree.rglob("*") if each.is_symlink() or each.is_file())


def _compared(place: Path, file: Path, shipped: Path) -> Iterator[Finding]:
    try:
        wanted, there = _content(shipped), _content(file)
    except OSError:  # not for this user to see
        return
    if there == b"" and wanted != b"":
        yield trouble(ABOUT, f"it is empty: {BROKEN_OFF}", place, INSTALL)
    elif wanted is None:  # a version that did not keep what it had put elsewhere
        return
    elif there is None:
        yield trouble(ABOUT, f"it is missing: {BROKEN_OFF}, or it was deleted", place, INSTALL)
    elif there != wanted:
        what = "it is not as this version has it: an upgrade was broken off, or hands were at it"
        yield warning(ABOUT, what, place, INSTALL)


def _content(file: Path) -> bytes | None:
    """Return what a file holds, or where a link leads; None if there is none.

    Raises:
        OSError: it cannot be read.
    """
    if file.is_symlink():
        return os.fsencode(file.readlink())
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
