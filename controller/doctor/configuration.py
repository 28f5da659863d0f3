"""Whether the configuration can be used: the file, its devices' drivers and options, its rights."""

import os
from collections.abc import Iterator
from pathlib import Path

from controller.custody import Custodian, faults_around
from controller.doctor.finding import Finding, ok, trouble, unseen, warning
from controller.doctor.machine import Machine
from controller.doctor.user import READ, User, rights_in_words
from controller.errors import SettingsError
from controller.settings import (
    STILL_THE_EXAMPLE,
    USUAL_CONFIG,
    TableSettings,
    is_the_example,
    read_settings,
)
from drivers.attend import Attended
from drivers.errors import OptionError
from drivers.registry import find_driver

ABOUT = "configuration"


def read(named: Path | None, machine: Machine) -> tuple[TableSettings | None, list[Finding]]:
    """Return the table's settings, and what there is to say of their file.

    ``named`` is the file that was asked for; None means the usual one, which may be missing.
    """
    file = machine.path(USUAL_CONFIG) if named is None else named
    if named is None and not is_there(file):
        what = "no table is configured on this machine yet"
        return None, [warning(ABOUT, what, USUAL_CONFIG, "sudo tablekeeper setup")]
    if is_there(file) and not os.access(file, os.R_OK, effective_ids=True):
        what = "this user may not read it, so the table's own ports are not looked at"
        return None, [unseen(ABOUT, what, file, "sudo tablekeeper doctor")]
    try:
        return read_settings(file), []
    except SettingsError as fault:
        what = str(fault).removeprefix(f"{file}: ")
        return None, [trouble(ABOUT, what, file, f"sudoedit {file}")]


def is_there(file: Path) -> bool:
    """Tell whether there is such a file, or may be: one that cannot be seen may be there."""
    try:
        return file.exists()
    except OSError:
        return True  # behind a folder that may not be searched: reading it says so


def check(settings: TableSettings, user: User | None, machine: Machine) -> Iterator[Finding]:
    """Yield what there is to say of a configuration that was read."""
    path = settings.path
    found = [
        *_example(settings),
        *_faults(settings),
        *_rights(path, user, machine),
        *_hands(path, user, machine),
    ]
    yield from found
    if all(fault.level != "trouble" for fault in found):
        devices = f"{len(settings.devices)} device{'s' * (len(settings.devices) != 1)}"
        what = f"{settings.name}: {settings.game.name}, {devices}"
        yield ok(ABOUT, what, settings.path)


def _example(settings: TableSettings) -> Iterator[Finding]:
    if is_the_example(settings):
        what = f"{STILL_THE_EXAMPLE}, and no table starts with them"
        yield trouble(ABOUT, what, settings.path, "sudo tablekeeper setup")


def _faults(settings: TableSettings) -> Iterator[Finding]:
    for name, device in settings.devices.items():
        try:
            # What the table itself makes of it; nothing is opened by that.
            Attended(name, find_driver(device.driver), device.port, device.options)
        except OptionError as fault:
            what = f"devices.{name}: {fault}"
            yield trouble(ABOUT, what, settings.path, f"sudoedit {settings.path}")


def _hands(file: Path, user: User | None, machine: Machine) -> Iterator[Finding]:
    """Yield by whom else it could be changed: for that the table does not start."""
    if user is None:
        return
    custodian = Custodian(user.uid)
    own = custodian.judge_settings(file, file.lstat())
    around = faults_around(file, custodian, root=machine.root)
    for fault in (*([own] if own else []), *around):
        mend = "sudo " + fault.mend.replace("&& ", "&& sudo ")
        yield trouble(ABOUT, fault.what, fault.path, mend)


def _rights(file: Path, user: User | None, machine: Machine) -> Iterator[Finding]:
    if user is None:
        mend = "sudo adduser --system --group tablekeeper"
        what = "there is no user tablekeeper, and no table runs as root: rights cannot be judged"
        yield unseen(ABOUT, what, "/etc/passwd", mend)
    elif not (user.reaches(file, machine) and user.may(file, READ)):
        what = f"{user.name} may not read it ({rights_in_words(machine, file)})"
        yield trouble(ABOUT, what, file, f"sudo chgrp {user.name} {file} && sudo chmod 640 {file}")
