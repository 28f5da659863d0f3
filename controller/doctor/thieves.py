"""Programs that take serial ports for themselves: ModemManager, brltty."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from controller.doctor import udev
from controller.doctor.finding import Finding, ok, trouble, warning
from controller.doctor.machine import Machine

ABOUT: Final = "programs"


class Thief(NamedTuple):
    """A program that is known to take ports."""

    process: str
    does: str
    mend: str
    signs: tuple[str, ...]
    """Files that show it to be installed."""


MODEM_MANAGER: Final = Thief(
    "ModemManager",
    "writes AT commands to every new serial port for its first ten seconds",
    "sudo systemctl disable --now ModemManager",
    ("/usr/sbin/ModemManager", "/usr/bin/ModemManager"),
)
BRLTTY: Final = Thief(
    "brltty",
    "takes serial adapters (CH340, CP210x) for braille displays, and their ports vanish",
    "sudo apt remove brltty",
    ("/usr/bin/brltty", "/sbin/brltty", "/usr/lib/udev/rules.d/85-brltty.rules"),
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
    elif installed:
        what = f"{thief.process} is installed: once started it {thief.does}"
        yield warning(ABOUT, what, installed[0], thief.mend)
