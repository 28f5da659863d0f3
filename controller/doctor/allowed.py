"""What the service's unit lets it do, against what the settings need: devices, the second copy.

systemd looks classes and nodes of devices up when the service starts and when it reads its units
anew, and shows it the disks in a way of its own.  So it is looked at from where the service is: its
group of processes, in which the kernel refuses devices, and its view of the files.
"""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.bounded import HANGS_AFTER, within
from controller.doctor.finding import Finding, ok, trouble, unseen, warning
from controller.doctor.needs import Needs, needs_of, why_hidden
from controller.doctor.patient import UNIT, Patient
from controller.settings import USUAL_CONFIG

ABOUT: Final = "service may"
COPY: Final = "second copy"
REFIT: Final = "sudo tablekeeper setup --service"
"""Writes the drop-in and has systemd look all devices up anew, for the running service as well."""
RESTART: Final = f"sudo systemctl restart {UNIT}"

_GROUPS: Final = "/sys/fs/cgroup"


def check(patient: Patient) -> Iterator[Finding]:
    """Yield what the unit does not let the service do, of what its settings need."""
    if not is_of_the_service(patient):
        return
    silent = [unseen(ABOUT, "the disk of the second copy does not answer", UNIT)]
    found = within(HANGS_AFTER, lambda: _of_settings(patient), silent)
    yield from found or [ok(ABOUT, "use all that the settings name", UNIT)]
    yield from _classes(patient)


def _of_settings(patient: Patient) -> list[Finding]:
    assert patient.settings is not None
    needs = needs_of(patient.settings, patient.machine)
    return [*_devices(needs, patient), *_copy(needs, patient)]


def is_of_the_service(patient: Patient) -> bool:
    """Tell whether the settings are those that the installed unit starts the table with."""
    file = None if patient.settings is None else patient.settings.path
    usual = patient.machine.path(USUAL_CONFIG)
    return patient.unit.get("LoadState") == "loaded" and file is not None and file == usual


def refuses(patient: Patient, node: Path) -> bool | None:
    """Tell whether the running service would be refused a device that its user may open.

    None if that cannot be looked at: no service runs, or only root could.  The device is not
    opened, which on a serial line can reset what is at its other end: the kernel is asked for the
    rights, and asks the device policy of the group of processes that a child of ours has joined.
    """
    group = patient.unit.get("ControlGroup", "")
    if not group or patient.unit.get("ActiveState") != "active" or os.geteuid() != 0:
        return None
    child = os.fork()
    if child == 0:
        _answer(patient.machine.path(f"{_GROUPS}{group}/cgroup.procs"), node)
    answer = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {0: False, 1: True}.get(answer)


def _answer(processes: Path, node: Path) -> None:
    """Join the group and end with the answer; root's rights leave only the policy to refuse."""
    answer = 2
    try:
        processes.write_text("0")
        answer = 0 if os.access(node, os.R_OK | os.W_OK) else 1
    finally:
        os._exit(answer)


def _devices(needs: Needs, patient: Patient) -> Iterator[Finding]:
    allowed = {line.rpartition(" ")[0] for line in _lines(patient, "DeviceAllow")}
    for device in needs.devices:
        if device not in allowed:
            what = f"not use {device}, and the settings name it"
            yield trouble(ABOUT, what, UNIT, REFIT)


def _classes(patient: Patient) -> Iterator[Finding]:
    """Yield the classes that the kernel has not yet: what is of one is refused."""
    known = (patient.machine.text("/proc/devices") or "").split()
    for line in _lines(patient, "DeviceAllow"):
        device, _, how = line.rpartition(" ")
        name = device.removeprefix("char-")
        if known and how == "rw" and name != device and name not in known:
            what = f"not use what is plugged in later as {name}: the kernel has no such class yet"
            mend = f"sudo modprobe -a usbcore usbserial cdc_acm; {REFIT}"
            yield warning(ABOUT, what, "/etc/modules-load.d/tablekeeper.conf", mend)


def _copy(needs: Needs, patient: Patient) -> Iterator[Finding]:
    assert patient.settings is not None
    copy = patient.settings.mirror
    if copy is None:
        return
    if why := why_hidden(copy, patient.machine):
        mend = "give table.mirror a folder of another disk, mounted as /media/second"
        yield trouble(COPY, f"the service cannot write it there: {why}", copy, mend)
        return
    may = [Path(word.lstrip("-+")) for word in shlex.split(patient.unit.get("ReadWritePaths", ""))]
    if not any(needs.folder and needs.folder.is_relative_to(each) for each in may):
        what = f"the service may not write in {needs.folder}"
        yield trouble(COPY, what, copy, f"{REFIT}; {RESTART}")
    elif why := _seen_otherwise(copy, patient):
        yield trouble(COPY, why, copy, RESTART)


def _seen_otherwise(copy: Path, patient: Patient) -> str:
    """Say what the running service sees in place of the folder; "" if that, or nothing is known."""
    named = patient.machine.node(Path("/") / copy).named
    root = patient.machine.path(f"/proc/{patient.unit.get('MainPID', '0')}/root")
    inside = Path(f"{root}{named}")
    try:
        ours = patient.machine.path(named).stat()
        if root.is_dir() and not inside.is_dir():
            return "the service does not see it"
        theirs, disk = inside.stat(), os.statvfs(inside)
    except OSError:
        return ""  # no folder, no service, or no right to look
    if (ours.st_dev, ours.st_ino) != (theirs.st_dev, theirs.st_ino):
        return "the service sees another folder there: the disk was changed while it runs"
    return "the service sees it as read-only" if disk.f_flag & os.ST_RDONLY else ""


def _lines(patient: Patient, name: str) -> list[str]:
    return [line for line in patient.unit.get(name, "").splitlines() if line]
