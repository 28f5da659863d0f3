"""Programs that take serial ports for themselves: ModemManager, brltty."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from controller.doctor import udev
from controller.doctor.finding import Finding, ok, trouble, warning
from controller.doctor.machine import Machine, text_of

ABOUT: Final = "programs"

_UNITS: Final = ("/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system")
_NOT_BESIDE_A_TABLE: Final = "ConditionPathExists=!/opt/tablekeeper"


class Thief(NamedTuple):
    """A program that is known to take ports."""

    process: str
    does: str
    mend: str
    signs: tuple[str, ...]
    """Files that show it to be installed."""
    units: tuple[str, ...]
    """What systemd starts it by."""


MODEM_MANAGER: Final = Thief(
    "ModemManager",
    "writes AT commands to every new serial port for its first ten seconds",
    "sudo systemctl disable --now ModemManager",
    ("/usr/sbin/ModemManager", "/usr/bin/ModemManager"),
    ("ModemManager",),
)
BRLTTY: Final = Thief(
    "brltty",
    "takes serial adapters (CH340, CP210x) for braille displays, and their ports vanish",
    "sudo apt remove brltty",
    ("/usr/bin/brltty", "/sbin/brltty", "/usr/lib/udev/rules.d/85-brltty.rules"),
    ("brltty", "brltty-udev"),
)


def check(machine: Machine) -> Iterator[Finding]:
    """Yield which of them run or would be started."""
    running = machine.processes()
    kept_off = udev.tells_modem_manager_off(machine)
    found = [
        *(() if kept_off else _look(MODEM_MANAGER, running, machine)),
        *_look(BRLTTY, running, machine),
    ]
    yield from found
    if not found:
        here = [pid for pid, name in running.items() if name == MODEM_MANAGER.process]
        kept = "; the table's rules keep ModemManager off" if here else ""
        yield ok(ABOUT, f"neither ModemManager nor brltty takes ports{kept}")


def _look(thief: Thief, running: dict[int, str], machine: Machine) -> Iterator[Finding]:
    pids = [pid for pid, name in running.items() if name == thief.process]
    installed = [sign for sign in thief.signs if machine.path(sign).exists()]
    if pids:
        what = f"{thief.process} ({pids[0]}) runs: it {thief.does}"
        yield trouble(ABOUT, what, f"/proc/{pids[0]}", thief.mend)
    elif installed and not all(_is_kept_off(unit, machine) for unit in thief.units):
        what = f"{thief.process} is installed: once started it {thief.does}"
        yield warning(ABOUT, what, installed[0], thief.mend)


def _is_kept_off(unit: str, machine: Machine) -> bool:
    """Tell whether a unit is masked, or has a condition that it does not start beside a table."""
    for folder in _UNITS:
        file = machine.path(f"{folder}/{unit}.service")
        if file.is_symlink() and file.readlink() == Path(os.devnull):
            return True
        added = machine.listing(f"{folder}/{unit}.service.d")
        if any(_NOT_BESIDE_A_TABLE in (text_of(each) or "") for each in added):
            return True
    return False
