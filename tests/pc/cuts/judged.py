"""What a table makes of a disk whose power was cut: looked at on this machine, without the PC.

Whoever looks does it in a mount namespace of their own, so that several can look at once at what
has the same name.
"""

import contextlib
import ctypes
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from controller.cli import main
from tests.appliance.programs import do, found
from tests.pc.cuts.cut_table import UID, Acknowledged, CutTable, Person
from tests.pc.cuts.dealing import asks, play
from tests.system.real import sign_in
from tests.system.table import rows_of

INTACT: Final = 0
ALTERED: Final = 1
NO_LOG: Final = 2
NOT_CLOSED: Final = 3

PR_SET_SECUREBITS: Final = 28
NO_SETUID_FIXUP: Final = 1 << 2


@dataclass
class Verdict:
    """What was found after one cut; empty words are good ones."""

    cut: str
    acknowledged: int = 0
    """Rows that had been told when the power was cut."""
    lost: list[int] = field(default_factory=list)
    """Of these, those that are not there any more."""
    dead: str = ""
    """Why no table runs on it."""
    human: str = ""
    """What it asks people for, besides "as shown?"."""

    @property
    def good(self) -> bool:
        """Whether nothing was lost and the table goes on by itself."""
        return not (self.lost or self.dead or self.human)


MENDED_BY_ITSELF: Final = (0, 1)
"""Of e2fsck: nothing was wrong, or what a boot mends without asking, as a journal that was torn."""


class Dead(Exception):
    """The table does not go on; says why."""


@contextlib.contextmanager
def in_order(image: Path, place: Path) -> Iterator[None]:
    """Put a file system in order as a PC does when it is switched on, check it, and mount it.

    Raises:
        Dead: it is damaged.
    """
    place.mkdir(exist_ok=True)
    command = [found("e2fsck"), "-p", image]
    preened = subprocess.run(command, capture_output=True, text=True, check=False)
    if preened.returncode not in MENDED_BY_ITSELF:
        raise Dead(f"the file system: {preened.stdout}{preened.stderr}")
    try:
        do("e2fsck", "-f", "-n", image)
    except AssertionError as damaged:
        raise Dead(f"the file system: {damaged}") from None
    do("mount", "-o", "loop", image, place)
    try:
        yield
    finally:
        do("umount", place)


def as_owner(work: Callable[[], int]) -> int:
    """Do some work as the table's user, in a process of its own; return its exit status."""
    child = os.fork()
    if child == 0:
        status = 99
        try:
            # What it imports yet may lie in a folder of root's: only whose files it makes differs.
            assert ctypes.CDLL(None).prctl(PR_SET_SECUREBITS, NO_SETUID_FIXUP, 0, 0, 0) == 0
            os.setgroups([])
            os.setresgid(UID, UID, UID)
            os.setresuid(UID, UID, UID)
            status = work()
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 98
        except BaseException:  # noqa: BLE001 - whatever it is, the parent has to hear of it
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def verify(state: Path, *options: str) -> int:
    """Return how ``tablekeeper log verify`` ends; what it says is in the errors of this process."""

    def work() -> int:
        os.dup2(2, 1)
        return main(["log", "verify", *options, str(state)])

    return as_owner(work)


def get_ready(folder: Path) -> None:
    """Import all that verifying needs, so that not every process after it has to."""
    with contextlib.redirect_stdout(sys.stderr):
        main(["log", "verify", "--decide", str(folder / "nothing")])


def missing(state: Path, had: Sequence[Acknowledged]) -> list[int]:
    """Return which of the rows are not in the log."""
    reading, writing = os.pipe()

    def work() -> int:
        with os.fdopen(writing, "w") as file:
            json.dump([(row["seq"], row["kind"]) for row in rows_of(state)], file)
        return 0

    # The list may be longer than the pipe: it is read while it is written.
    child = os.fork()
    if child == 0:
        os.close(reading)
        os._exit(as_owner(work))
    os.close(writing)
    with os.fdopen(reading) as file:
        text = file.read()
    os.waitpid(child, 0)
    there = {tuple(one) for one in json.loads(text or "[]")}
    return [one.row["seq"] for one in had if (one.row["seq"], one.row["kind"]) not in there]


@dataclass
class Judging:
    """What is expected of the table in a folder."""

    folder: Path
    name: str
    """Of whoever looks, among those who look at once."""
    people: Sequence[Person] = ()
    """Who was known to be able to sign in, or not to be, when the power was cut."""
    second: Path | None = None
    """The second copy of the log."""

    def judge(self, verdict: Verdict, had: Sequence[Acknowledged]) -> None:
        """Look at the table's disk, and play on it."""
        state = self.folder / "disk" / "state"
        verdict.acknowledged = len(had)
        before = verify(state)
        if before not in {INTACT, NOT_CLOSED} and (had or before != NO_LOG):
            verdict.dead = f"log verify: exit {before}"
        if self.second and verify(self.second) == ALTERED:
            verdict.human = "the copy that the cut has left is called altered"
        table = CutTable(self.folder, self.name)
        table.make_folders()
        do("chown", "-R", f"{UID}:{UID}", state)  # of another PC, it has another number there
        try:
            self._run(table, verdict, had)
        except (AssertionError, ConnectionError, Dead) as fault:
            verdict.dead = verdict.dead or f"{type(fault).__name__}: {str(fault)[-700:]}"
        finally:
            table.close()

    def _run(self, table: CutTable, verdict: Verdict, had: Sequence[Acknowledged]) -> None:
        table.start()
        verdict.human = "; ".join(filter(None, [verdict.human, *asks(table.watch.view)]))
        verdict.lost = missing(table.state, had)
        for person in self.people:
            answer = sign_in(table.watch, person.name, person.pin)
            if answer["ok"] != person.may:
                verdict.human = verdict.human or f"{person} signs in: {answer}"
            table.watch.request(sign_out=True)
        play(table.watch)
        play(table.watch)
        verdict.human = verdict.human or "; ".join(asks(table.watch.look()))
        if status := table.stop():
            raise Dead(f"the table ended with {status}: {table.errors.read_text()[-500:]}")
        if status := verify(table.state, "--decide"):
            raise Dead(f"log verify --decide: exit {status}")
        if self.second and (status := verify(self.second)) not in {INTACT, NOT_CLOSED}:
            raise Dead(f"log verify of the second copy: exit {status}")
