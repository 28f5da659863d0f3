"""The user that the table runs as, and what that user may do.

The doctor is mostly called by root, who may do everything: so the rights are worked out from
owner, group and mode.  Only for the user who calls, the kernel itself is asked.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from controller.doctor.machine import Machine, number_of

USUAL: Final = "tablekeeper"
READ, WRITE, SEARCH = 4, 2, 1


class User(NamedTuple):
    """A user with all groups that its table's process has."""

    name: str
    uid: int
    groups: frozenset[int]

    def may(self, path: Path, rights: int) -> bool:
        """Tell whether the user has the rights; the path must be there."""
        if self.uid == os.geteuid():
            return os.access(path, rights, effective_ids=True)
        if self.uid == 0:
            return True
        there = path.stat()
        if there.st_uid == self.uid:
            given = there.st_mode >> 6
        elif there.st_gid in self.groups:
            given = there.st_mode >> 3
        else:
            given = there.st_mode
        return given & rights == rights

    def reaches(self, path: Path, machine: Machine) -> bool:
        """Tell whether the user can get to the path through the machine's folders."""
        folders = path.resolve().parents
        # What lies around the folder that stands for a machine is not the machine's.
        inside = [each for each in folders if each.is_relative_to(machine.root)] or folders
        return all(self.may(folder, SEARCH) for folder in inside)


def table_user(machine: Machine, unit: Mapping[str, str]) -> User | None:
    """Return whom the table runs as: by its unit, else by the usual name, else who calls.

    None if that is root, as whom no table runs.
    """
    name = unit.get("User") or USUAL
    for line in (machine.text("/etc/passwd") or "").splitlines():
        known, _, uid, gid = [*line.split(":"), "", "", "", ""][:4]
        number, group = number_of(uid), number_of(gid)
        if known == name and number is not None and group is not None:
            more = unit.get("SupplementaryGroups", "").split()
            by_unit = {
                one.number for one in groups_of_machine(machine) if one.name == unit.get("Group")
            }
            own = by_unit or {group}
            return User(name, number, frozenset({*own, *_groups_of(machine, name, more)}))
    if os.geteuid() == 0:
        return None
    return User("you", os.geteuid(), frozenset({os.getegid(), *os.getgroups()}))


def group_name(machine: Machine, gid: int) -> str:
    """Return a group's name, or its number if it has none."""
    names = {group.number: group.name for group in groups_of_machine(machine)}
    return names.get(gid, str(gid))


def rights_in_words(machine: Machine, path: Path) -> str:
    """Return owner, group and mode as ``ls -l`` does: ``crw-rw---- root dialout``."""
    there = path.stat()
    owner = str(there.st_uid)
    for line in (machine.text("/etc/passwd") or "").splitlines():
        words = line.split(":")
        if len(words) > 2 and words[2] == owner:
            owner = words[0]
            break
    return f"{stat.filemode(there.st_mode)} {owner} {group_name(machine, there.st_gid)}"


class Group(NamedTuple):
    """A line of the machine's list of groups."""

    name: str
    number: int
    members: list[str]


def groups_of_machine(machine: Machine) -> list[Group]:
    """Return the machine's groups, as far as its own list goes."""
    found = []
    for line in (machine.text("/etc/group") or "").splitlines():
        words = line.split(":")
        number = number_of(words[2]) if len(words) == 4 else None
        if number is not None:
            found.append(Group(words[0], number, words[3].split(",")))
    return found


def _groups_of(machine: Machine, user: str, more: list[str]) -> set[int]:
    return {
        group.number
        for group in groups_of_machine(machine)
        if user in group.members or group.name in more or str(group.number) in more
    }
