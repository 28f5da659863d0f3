"""The judgement itself: what a file or folder is, whose it is, and who may do what with it."""

import grp
import os
import pwd
import stat
from collections.abc import Collection
from pathlib import Path
from shlex import quote
from typing import Final, Literal, NamedTuple

GROUP_WRITES: Final = stat.S_IWGRP
OTHERS_READ: Final = 0o077
OTHERS_WRITE: Final = 0o022

KINDS: Final = (
    (stat.S_ISREG, "a file"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
"""What may stand at a path, in words."""


class Fault(NamedTuple):
    """One thing that is not in order."""

    path: Path
    about: Literal["kind", "owner", "rights", "name", "size"]
    what: str
    mend: str
    """The command that mends it, for root."""

    def __str__(self) -> str:
        return f"{self.path}: {self.what}: {self.mend}"


class Demand(NamedTuple):
    """What is demanded of a path."""

    folder: bool = False
    secret: bool = False
    """Others may not even read it."""
    written: bool = True
    """It is written, or destroyed some day: what is done to a second name would be done to it."""
    mended: str = "go-w"
    """What ``chmod`` is told to take from others what they should not have."""


FILE: Final = Demand()
SECRET: Final = Demand(secret=True, mended="600")
PEPPER: Final = SECRET._replace(written=False)
"""It has a second name for a moment while it is made, or after a cut at that moment."""
FOLDER: Final = Demand(folder=True, written=False)


class Custodian:
    """The user whose files they should be; judges for one look at them all."""

    def __init__(self, uid: int | None = None) -> None:
        """Take the user's number; None is whoever runs this program."""
        self.uid = os.geteuid() if uid is None else uid
        self._alone: dict[tuple[int, frozenset[int]], bool] = {}

    @property
    def name(self) -> str:
        """The user's name."""
        return user_name(self.uid)

    def judge(
        self, path: Path, there: os.stat_result, demand: Demand, *, real: bool = True
    ) -> Fault | None:
        """Judge what is the table's own; return the first fault.

        At a table that is not ``real`` a group may write in which nobody else is.
        """
        if fault := self.judge_kind(path, there, demand):
            return fault
        if there.st_uid != self.uid:
            return self._not_ours(path, there, demand)
        if self._is_loose(there, demand, () if real else {self.uid}):
            where = "there" if demand.folder else "it"
            what = f"others than the table may write {where} ({rights(there)})"
            if demand.secret:
                what = f"others may read or write it ({stat.S_IMODE(there.st_mode):04o})"
            return Fault(path, "rights", what, f"chmod {demand.mended} {quote(str(path))}")
        return None

    def judge_kind(
        self, path: Path, there: os.stat_result, demand: Demand, *, written: bool = True
    ) -> Fault | None:
        """Judge only what it is: for a disk that knows no rights, or somebody else's copy.

        ``written`` is False for a file that is only read, whose second name does no harm.
        """
        if stat.S_ISDIR(there.st_mode) if demand.folder else stat.S_ISREG(there.st_mode):
            # Of a sealed file nothing is written any more.
            is_written = written and demand.written and there.st_mode & 0o222
            if is_written and there.st_nlink > 1:
                what = "it has another name (a hard link): what is done to one is done to both"
                own = quote(f"{path}.own")
                mend = f"cp -p {quote(str(path))} {own} && mv {own} {quote(str(path))}"
                return Fault(path, "name", what, mend)
            return None
        kind = next(words for is_kind, words in KINDS if is_kind(there.st_mode))
        what = f"{kind} stands where the {'folder' if demand.folder else 'file'} should be"
        aside = f"mv {quote(str(path))} {quote(f'{path}.aside')}"
        if stat.S_ISLNK(there.st_mode):
            return self._link(path, what, aside, demand)
        return Fault(path, "kind", what, aside)

    def judge_around(self, path: Path, there: os.stat_result) -> Fault | None:
        """Judge a folder around the table's: whoever may change it can put another in its place."""
        if not stat.S_ISDIR(there.st_mode):
            return None
        if there.st_uid not in {0, self.uid}:
            what = f"it is {user_name(there.st_uid)}'s, who can put something else in its place"
            return Fault(path, "owner", what, f"chown root: {quote(str(path))}")
        if not there.st_mode & stat.S_ISVTX and self._is_loose(there, FOLDER, {0, self.uid}):
            what = f"others can put something else in the table's place there ({rights(there)})"
            return Fault(path, "rights", what, f"chmod go-w {quote(str(path))}")
        return None

    def judge_settings(self, path: Path, there: os.stat_result) -> Fault | None:
        """Judge the configuration: root's or the table's, and nobody else's to write."""
        if fault := self.judge_kind(path, there, FILE, written=False):
            return fault
        if there.st_uid not in {0, self.uid}:
            what = (
                f"not permitted: it is {user_name(there.st_uid)}'s, neither root's nor the table's"
            )
            return Fault(path, "owner", what, f"chown root {quote(str(path))}")
        if self._is_loose(there, FILE, {0, self.uid}):
            what = f"others than root and the table may write it ({rights(there)})"
            return Fault(path, "rights", what, f"chmod go-w {quote(str(path))}")
        return None

    def _not_ours(self, path: Path, there: os.stat_result, demand: Demand) -> Fault:
        owner = user_name(there.st_uid)
        what = f"not permitted: it is {owner}'s, and this runs as {self.name}"
        if self.uid == 0 and demand.folder:  # a table is nobody's less than root's
            return Fault(path, "owner", what, f"sudo -u {owner} tablekeeper ...")
        every = "-R " if demand.folder else ""
        return Fault(path, "owner", what, f"chown {every}{self.name}: {quote(str(path))}")

    def _link(self, path: Path, what: str, aside: str, demand: Demand) -> Fault:
        """Say where a link leads; offer to put that in its place if it is the table's own."""
        leads_to = Path(os.path.realpath(path))
        what = f"{what}; it leads to {leads_to}"
        try:
            there = leads_to.stat()
        except OSError:
            return Fault(path, "kind", what, aside)
        is_meant = stat.S_ISDIR(there.st_mode) if demand.folder else stat.S_ISREG(there.st_mode)
        if is_meant and there.st_uid == self.uid:
            aside = f"{aside} && mv {quote(str(leads_to))} {quote(str(path))}"
        return Fault(path, "kind", what, aside)

    def _is_loose(self, there: os.stat_result, demand: Demand, ours: Collection[int]) -> bool:
        """Tell whether others may; of a group they are whoever is in it besides ``ours``."""
        loose = there.st_mode & (OTHERS_READ if demand.secret else OTHERS_WRITE)
        if demand.secret or not ours or loose != GROUP_WRITES:
            return bool(loose)
        return not self._is_alone(there.st_gid, frozenset({*ours, there.st_uid}))

    def _is_alone(self, gid: int, ours: frozenset[int]) -> bool:
        """Tell whether nobody else is in a group, as far as the machine's list of users goes."""
        if (gid, ours) not in self._alone:
            self._alone[gid, ours] = _is_alone(gid, ours)
        return self._alone[gid, ours]


def rights(there: os.stat_result) -> str:
    """Return mode, owner and group as ``ls -l`` does."""
    return f"{stat.filemode(there.st_mode)} {user_name(there.st_uid)} {_group_name(there.st_gid)}"


def user_name(uid: int) -> str:
    """Return a user's name, or the number of one that has none."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _group_name(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def _is_alone(gid: int, ours: frozenset[int]) -> bool:
    try:
        members = set(grp.getgrgid(gid).gr_mem)
    except KeyError:
        return False  # whose it is, nobody can tell
    users = pwd.getpwall()
    inside = {user.pw_uid for user in users if user.pw_gid == gid or user.pw_name in members}
    unknown = members - {user.pw_name for user in users}
    return not unknown and inside <= ours
