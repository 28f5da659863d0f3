"""The disk under the table's state: rights, kind, room, and how long the room lasts."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from controller.custody import OTHERS_WRITE, Custodian, Fault, faults
from controller.doctor.finding import Finding, ok, trouble, unseen, warning
from controller.doctor.growth import bytes_a_day, size_of, times_of
from controller.doctor.machine import Machine
from controller.doctor.mounts import Mount, mount_of
from controller.doctor.patient import UNIT, Patient
from controller.doctor.user import SEARCH, WRITE, User, rights_in_words
from controller.eventlog import EventLogError
from controller.settings import ROOM_FILES

ABOUT: Final = "disk"
MB: Final = 1_000_000
LITTLE, TOO_LITTLE = 1000 * MB, 100 * MB
"""Free bytes below which it is a warning, and trouble."""
MANY: Final = 10
"""So many times the files that a table needs to open are not few."""
FEW_DAYS, TOO_FEW_DAYS = 30, 3

_GONE_WITH_POWER: Final = frozenset({"tmpfs", "ramfs", "devtmpfs"})
_NOT_FOR_A_LOG: Final = {
    **dict.fromkeys(("vfat", "exfat", "msdos", "ntfs", "ntfs3"), "loses files at a power cut"),
    **dict.fromkeys(
        ("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs"), "is another machine's: locks fail"
    ),
}


def check(patient: Patient) -> Iterator[Finding]:
    """Yield what there is to say of the state folder and its disk."""
    state, machine = patient.state, patient.machine
    there = machine.path(state)
    try:
        exists = there.is_dir()
        if exists:
            yield from _rights(there, state, patient)
        elif os.path.lexists(there):
            what = "the state is no folder, but something else of that name"
            yield trouble(ABOUT, what, state, f"sudo mv {state} {state}.old")
        elif patient.settings is None:
            what = "without a configuration it is not known where the record lies"
            yield unseen(ABOUT, what, state)
        else:
            yield from _to_be_made(there, state, patient.user)
    except PermissionError:
        what = "it cannot be looked into by this user"
        yield unseen(ABOUT, what, state, "sudo tablekeeper doctor")
        exists = False
    nearest = next(each for each in (there, *there.parents) if _may_be_there(each))
    yield from _kind(mount_of(Path("/") / nearest.relative_to(machine.root), machine), state)
    room_files = patient.settings.room_files if patient.settings else ROOM_FILES
    yield from _room(nearest, state, room_files)
    if exists:
        yield from _days(there, state)


def _may_be_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _to_be_made(there: Path, state: Path, user: User | None) -> Iterator[Finding]:
    parent = next(each for each in there.parents if each.exists())
    if user is not None and not user.may(parent, WRITE | SEARCH):
        what = f"the state folder is not there, and {user.name} may not make it"
        name = "$USER" if user.name == "you" else user.name
        mend = f"sudo install -d -m 700 -o {name} {state}"
        yield trouble(ABOUT, what, state, mend)
    else:
        yield ok(ABOUT, "the state folder is made when the table starts", state)


def _rights(there: Path, state: Path, patient: Patient) -> Iterator[Finding]:
    user, machine = patient.user, patient.machine
    mode = there.stat().st_mode
    found = list(_faults(there, patient))
    if user is not None and not (user.reaches(there, machine) and user.may(there, WRITE | SEARCH)):
        what = f"{user.name} may not write there ({rights_in_words(machine, there)})"
        yield trouble(ABOUT, what, state, _give_back(state, user))
    else:
        yield from _strangers(found, there, state, user)
    yield from (_as_finding(fault, machine) for fault in found if not _is_inside(fault, there))
    if not mode & OTHERS_WRITE and mode & (stat.S_IRGRP | stat.S_IROTH):
        what = f"others than the table may read the record ({rights_in_words(machine, there)})"
        yield warning(ABOUT, what, state, f"sudo chmod 700 {state}")


def _faults(there: Path, patient: Patient) -> Iterator[Fault]:
    """Yield what keeps the table from starting: what it would say itself."""
    if patient.user is not None:
        custodian = Custodian(patient.user.uid)
        yield from faults(there, custodian, real=True, root=patient.machine.root)


def _is_inside(fault: Fault, state: Path) -> bool:
    """Tell whether it is one of the strangers' files, of which one command gives all back."""
    return fault.about == "owner" and fault.path.is_relative_to(state)


def _as_finding(fault: Fault, machine: Machine) -> Finding:
    """Return a fault as the machine names its files, to be mended by whoever may."""
    inside = "" if machine.root == Path("/") else str(machine.root)
    what, mend = (text.replace(inside, "") if inside else text for text in (fault.what, fault.mend))
    where = Path("/") / fault.path.relative_to(machine.root)
    return trouble(ABOUT, what, where, "sudo " + mend.replace("&& ", "&& sudo "))


def _strangers(
    found: Sequence[Fault], there: Path, state: Path, user: User | None
) -> Iterator[Finding]:
    """Yield that files belong to somebody else, as after a start by root."""
    strange = [fault.path.name for fault in found if _is_inside(fault, there)]
    if strange and user is not None:
        more = f" and {len(strange) - 1} more" if len(strange) > 1 else ""
        what = f"{strange[0]}{more} belong{'s' * (not more)} to somebody else than {user.name}"
        yield trouble(ABOUT, what, state, _give_back(state, user))


def _give_back(state: Path, user: User) -> str:
    name = "$USER" if user.name == "you" else user.name
    return f"sudo systemctl stop {UNIT}; sudo chown -R {name}: {state}"


def _kind(mount: Mount | None, state: Path) -> Iterator[Finding]:
    if mount is None:
        yield unseen(ABOUT, "the kernel does not tell what the state lies on", state)
    elif mount.kind in _GONE_WITH_POWER:
        what = f"the state lies in memory ({mount.kind}): a power cut takes the whole record"
        yield trouble(ABOUT, what, mount.point, "put table.state on a real disk")
    elif mount.kind in _NOT_FOR_A_LOG:
        what = f"the state lies on {mount.kind}, which {_NOT_FOR_A_LOG[mount.kind]}"
        yield trouble(ABOUT, what, mount.point, "put table.state on a local disk, as ext4")
    elif mount.kind == "overlay":
        what = "the state lies inside a container (overlay): it is gone with the container"
        yield warning(ABOUT, what, mount.point, "put table.state on a volume of the machine")
    elif mount.options & {"nobarrier", "barrier=0"}:
        what = f"{mount.kind} without barriers: what was said to be on disk may not be"
        mend = "take nobarrier out of /etc/fstab, then restart the machine"
        yield trouble(ABOUT, what, mount.point, mend)
    else:
        yield ok(ABOUT, f"{mount.kind} on {mount.source}", mount.point)


def _room(nearest: Path, state: Path, room_files: int) -> Iterator[Finding]:
    disk = os.statvfs(nearest)
    free = disk.f_bavail * disk.f_frsize
    room = f"{in_bytes(free)} free of {in_bytes(disk.f_blocks * disk.f_frsize)}"
    empty = "sudo journalctl --vacuum-size=200M; du -xh / | sort -h | tail"
    few = "find where they are, and remove what nobody needs: du --inodes -xS / | sort -n | tail"
    if disk.f_flag & os.ST_RDONLY:
        what = "the disk is read-only: nothing can be recorded"
        mend = "sudo dmesg | grep -i error; then: sudo mount -o remount,rw on what it lies on"
        yield trouble(ABOUT, what, state, mend)
    elif disk.f_files and not disk.f_favail:
        yield trouble(ABOUT, "no more files can be made (inodes are used up)", state, few)
    elif disk.f_files and disk.f_favail < room_files:
        what = f"only {disk.f_favail} more files can be made (inodes), and a table opens only with"
        yield trouble(ABOUT, f"{what} {room_files}", state, few)
    elif free < TOO_LITTLE:
        yield trouble(ABOUT, f"the disk is full: {room}", state, empty)
    elif disk.f_files and disk.f_favail < MANY * room_files:
        what = f"the disk fills up with files: {disk.f_favail} more can be made (inodes)"
        yield warning(ABOUT, what, state, few)
    elif free < LITTLE:
        yield warning(ABOUT, f"the disk fills up: {room}", state, empty)
    else:
        yield ok(ABOUT, room, state)


def _days(there: Path, state: Path) -> Iterator[Finding]:
    if not (there / "log").is_dir():
        yield unseen(ABOUT, "how long the room lasts is not known: there is no log yet")
        return
    try:
        times = times_of(there)
        daily = bytes_a_day(size_of(there / "log"), *times) if times else None
    except (EventLogError, OSError, ValueError) as fault:  # a time that is none: altered
        yield unseen(ABOUT, f"how long the room lasts is not known: {fault}")
        return
    if daily is None:
        yield unseen(ABOUT, "how long the room lasts is not known: the log is less than a day old")
        return
    disk = os.statvfs(there)
    days = disk.f_bavail * disk.f_frsize / daily
    what = f"the log grows by {in_bytes(daily)} a day: room for {_days_in_words(days)}"
    if days < FEW_DAYS:
        tell = trouble if days < TOO_FEW_DAYS else warning
        yield tell(ABOUT, what, state, "carry old days of the log away, or take a larger disk")
    else:
        yield ok(ABOUT, what, state)


def _days_in_words(days: float) -> str:
    if days > 3650:
        return "more than ten years"
    return f"{days / 365:.1f} years" if days > 730 else f"{days:.0f} days"


def in_bytes(number: float) -> str:
    """Say a number of bytes as people do: ``1.2 GB``."""
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while number >= 1000 and len(units) > 1:
        number /= 1000
        units.pop(0)
    whole = units[0] == "bytes" or number >= 100
    return f"{number:.{0 if whole else 1}f} {units[0]}"
