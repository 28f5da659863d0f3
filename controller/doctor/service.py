"""The service: installed, started with the machine, running, and how it ended last."""

import socket
from collections.abc import Iterator, Mapping
from typing import Final

from controller.doctor import installed
from controller.doctor.configuration import is_there
from controller.doctor.finding import Finding, ok, trouble, unseen, warning
from controller.doctor.machine import Machine
from controller.doctor.patient import UNIT, Patient
from controller.settings import USUAL_CONFIG

ABOUT: Final = "service"
ANSWERS_WITHIN: Final = 3.0
EXITS: Final = {
    "69": ("another controller holds this table", "end the other one: pgrep -af tablekeeper"),
    "70": (
        "the log is decided otherwise now than it was recorded",
        "tablekeeper log verify on the state folder, then ask the casino supervisor",
    ),
    "78": (
        "the configuration or the log is not as it must be",
        f"journalctl -u {UNIT} -n 20 says what",
    ),
}
"""What the exits of a table mean that are not tried again, and what to do."""

_ASKED: Final = (
    "LoadState,ActiveState,SubState,UnitFileState,NRestarts,Result,"
    "ExecMainStatus,ExecMainCode,MainPID,User,Group,SupplementaryGroups,"
    "ControlGroup,DeviceAllow,ReadWritePaths,NeedDaemonReload"
)
_KILLED: Final = {"2", "3", "killed", "dumped"}


def unit_of(machine: Machine) -> dict[str, str]:
    """Return what systemd knows of the table's unit; nothing if it cannot be asked.

    What it says several times, as of each device that is let in, has a line for each.
    """
    said = machine.ask("systemctl", "show", UNIT, "-p", _ASKED)
    found: dict[str, str] = {}
    for line in (said or "").splitlines():
        key, equals, value = line.partition("=")
        if equals:
            found[key] = f"{found[key]}\n{value}" if key in found else value
    return found


def check(patient: Patient) -> Iterator[Finding]:
    """Yield what there is to say of the service."""
    unit = patient.unit
    yield from installed.check(patient.machine)
    if not unit:
        yield unseen(ABOUT, "systemd cannot be asked on this machine", UNIT)
        yield from _foreground(patient)
        return
    if unit.get("LoadState") == "not-found":
        mend = "sudo make install, in a checkout of tablekeeper"
        yield warning(ABOUT, "the service is not installed", UNIT, mend)
        yield from _foreground(patient)
        return
    if unit.get("NeedDaemonReload") == "yes":
        what = "systemd has not read its unit since that was changed"
        mend = f"sudo systemctl daemon-reload; sudo systemctl restart {UNIT}"
        yield warning(ABOUT, what, UNIT, mend)
    if unit.get("UnitFileState") == "masked" and installed.is_masked_by_a_cut(patient.machine):
        pass  # nobody has masked it: said above
    elif unit.get("UnitFileState") in {"disabled", "masked"}:
        what = f"it is {unit['UnitFileState']}: the table does not start with the machine"
        unmask = f"sudo systemctl unmask {UNIT}; " if unit["UnitFileState"] == "masked" else ""
        yield warning(ABOUT, what, UNIT, f"{unmask}sudo systemctl enable {UNIT}")
    yield from _state(patient)
    restarts = unit.get("NRestarts", "0")
    if restarts not in {"", "0"}:
        what = f"systemd has started it again {restarts} times"
        yield warning(ABOUT, what, UNIT, f"journalctl -u {UNIT} -b | grep -i 'main process exited'")


def _state(patient: Patient) -> Iterator[Finding]:
    unit = patient.unit
    active = unit.get("ActiveState", "")
    if active == "active":
        answer = answers(patient)
        if answer is None:
            what = "it runs; whether the table answers this user may not ask"
            yield unseen(ABOUT, what, UNIT, "sudo tablekeeper doctor")
        elif answer:
            yield ok(ABOUT, f"running ({unit.get('MainPID', '?')}), and the table answers", UNIT)
        else:
            where = patient.settings.socket if patient.settings else UNIT
            what = "it runs, but the table does not answer"
            yield trouble(ABOUT, what, where, f"sudo systemctl restart {UNIT}")
    elif active in {"activating", "deactivating", "reloading"}:
        what = f"it is {active} ({unit.get('SubState', '')}): look again in a moment"
        yield warning(ABOUT, what, UNIT, f"journalctl -u {UNIT} -n 20")
    elif active == "failed":
        what, mend = last_words(unit)
        yield trouble(ABOUT, f"it has stopped: {what}", UNIT, mend)
    elif patient.settings is None and not is_there(patient.machine.path(USUAL_CONFIG)):
        what = "it is not running: it starts once there is a table to start"
        yield warning(ABOUT, what, UNIT, "sudo tablekeeper setup")
        yield from _foreground(patient)
    else:
        yield warning(ABOUT, "it is not running", UNIT, f"sudo systemctl start {UNIT}")
        yield from _foreground(patient)


def last_words(unit: Mapping[str, str]) -> tuple[str, str]:
    """Return how the table ended last, in words, and what to do."""
    status = unit.get("ExecMainStatus", "")
    look = f"journalctl -u {UNIT} -n 50"
    if unit.get("ExecMainCode") in _KILLED:
        return f"a signal ended it ({status}; {unit.get('Result', '')})", look
    what, mend = EXITS.get(status, (f"its last exit is {status}", look))
    if status in EXITS:
        what = f"{what} (exit {status})"
    return what, f"{mend}; then: sudo systemctl restart {UNIT}"


def _foreground(patient: Patient) -> Iterator[Finding]:
    if answers(patient):
        assert patient.settings is not None
        yield ok(ABOUT, "a table answers all the same", patient.settings.socket)


def answers(patient: Patient) -> bool | None:
    """Tell whether a table says hello at its control socket; None if that may not be asked."""
    if patient.settings is None:
        return None
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(ANSWERS_WITHIN)
        try:
            asking.connect(str(patient.settings.socket))
            return asking.recv(1) == b"{"
        except PermissionError:
            return None
        except OSError:
            return False
