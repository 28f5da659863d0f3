"""Who may talk to the table is not who may open its devices: the groups, their members, the socket.

Whoever opens a device beside the table reads what it says, or says something in its place.
"""

import stat
from collections.abc import Iterator
from typing import Final

from controller.doctor.finding import Finding, trouble, warning
from controller.doctor.patient import UNIT, Patient
from controller.doctor.user import USUAL, groups_of_machine, rights_in_words
from drivers.errors import OptionError
from drivers.ports.spec import SerialSpec, parse_spec

ABOUT: Final = "access"
WATCHERS: Final = "tablekeeper-watch"
"""The group of the control socket; that of the devices is named like the service's user."""

_INSTALL: Final = "sudo make install, in a checkout of tablekeeper"


def check(patient: Patient) -> Iterator[Finding]:
    """Yield where the one is the other."""
    yield from _members(patient)
    yield from _socket(patient)


def _members(patient: Patient) -> Iterator[Finding]:
    groups = {group.name: group for group in groups_of_machine(patient.machine)}
    if USUAL not in groups:
        return
    if WATCHERS not in groups or patient.unit.get("Group") == USUAL:
        what = f"who may talk to the table may open its devices, too: the group {WATCHERS} is"
        what += " not used" if WATCHERS in groups else " not there"
        yield trouble(ABOUT, what, "/etc/group", _INSTALL)
        return
    for who in groups[USUAL].members:
        if who not in {"", USUAL}:
            what = f"{who} is in the group {USUAL} and may open the devices beside the table"
            move = f"sudo gpasswd --add {who} {WATCHERS}; sudo gpasswd --delete {who} {USUAL}"
            yield warning(ABOUT, what, "/etc/group", move)


def _socket(patient: Patient) -> Iterator[Finding]:
    if patient.settings is None:
        return
    named = patient.settings.socket
    place = patient.machine.path(named)
    try:
        there = place.lstat()
    except OSError:
        return  # no table runs, or this user may not look: said of the service
    if not stat.S_ISSOCK(there.st_mode):
        return
    if there.st_mode & stat.S_IWOTH:
        what = f"anybody may talk to the table ({rights_in_words(patient.machine, place)})"
        yield trouble(ABOUT, what, named, f"sudo chmod 660 {named}")
    elif there.st_mode & stat.S_IWGRP and there.st_gid in _device_groups(patient):
        rights = rights_in_words(patient.machine, place)
        what = f"who may talk to the table may open its devices, too ({rights})"
        yield trouble(ABOUT, what, named, f"{_INSTALL}; then: sudo systemctl restart {UNIT}")


def _device_groups(patient: Patient) -> set[int]:
    """Return the groups whose members may open a configured serial line; root's do not count."""
    found = set()
    devices = patient.settings.devices if patient.settings else {}
    for device in devices.values():
        try:
            spec = parse_spec(device.port)
            if not isinstance(spec, SerialSpec):
                continue
            node = patient.machine.node(spec.path).reached.stat()
        except (OptionError, OSError):
            continue  # said of the port
        if stat.S_ISCHR(node.st_mode) and node.st_mode & stat.S_IWGRP:
            found.add(node.st_gid)
    return found - {0}
