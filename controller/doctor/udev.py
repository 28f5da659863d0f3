"""The udev rules of the table: rights, names, no modem probing, no autosuspend."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.doctor.finding import Finding, ok, unseen, warning
from controller.doctor.machine import Machine, text_of

RULES: Final = "60-tablekeeper.rules"
FOLDERS: Final = ("/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d")
"""Where rules are looked for; the first of a name counts."""
_MEND = "sudo make install, in a checkout of tablekeeper"


def check(machine: Machine) -> Iterator[Finding]:
    """Yield whether the rules are there and in force."""
    file = rules_file(machine)
    if not any(machine.path(folder).is_dir() for folder in FOLDERS):
        yield unseen("udev", "there is no udev on this machine")
    elif file is None:
        what = "the table's rules are not installed"
        yield warning("udev", what, f"{FOLDERS[0]}/{RULES}", _MEND)
    elif is_switched_off(file):
        what = "the table's rules are switched off by an empty file"
        where = _named(file, machine)
        yield warning("udev", what, where, f"sudo rm {where}, then: {_MEND}")
    elif not machine.path("/run/udev/control").exists():
        what = "the table's rules are installed, but udev does not run here"
        yield unseen("udev", what, _named(file, machine))
    else:
        yield ok("udev", "the table's rules are installed", _named(file, machine))


def rules_file(machine: Machine) -> Path | None:
    """Return where the table's rules are reached, None if they are not installed."""
    files = (machine.path(folder) / RULES for folder in FOLDERS)
    return next((file for file in files if os.path.lexists(file)), None)


def is_switched_off(file: Path) -> bool:
    """Tell whether a rules file says nothing, as one that leads to /dev/null."""
    return not text_of(file)


def tells_modem_manager_off(machine: Machine) -> bool:
    """Tell whether the table's rules keep ModemManager from its ports."""
    file = rules_file(machine)
    return file is not None and "ID_MM_DEVICE_IGNORE" in (text_of(file) or "")


def _named(file: Path, machine: Machine) -> Path:
    return Path("/") / file.relative_to(machine.root)
