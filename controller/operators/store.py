"""The operators of a table as they lie on the disk.

Every call opens the database, does one thing and lets go of it: a file that was put back from a
backup is the one that counts from then on, and a command may change it while a table runs.  Calls
block until the disk has answered; a PIN takes a tenth of a second.  Call them off the loop.
"""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from controller.clock import boot_id, mono_ms
from controller.custody import open_database
from controller.errors import OperatorsError, UsageError
from controller.operators import lockout, schema
from controller.operators.hashing import NOBODYS, Secret, mark_of, stand_in
from controller.operators.lockout import Lock, Moment
from controller.operators.pepper import NAME as PEPPER
from controller.operators.pepper import make_pepper, read_pepper
from controller.operators.pins import check_name, check_pin, check_role
from controller.operators.reasons import unusable
from controller.operators.standing import Operator, Standing, read_standing

NAME: Final = "operators.db"
BUSY_SECONDS: Final = 5.0
"""How long a call waits for another program that has the database locked."""
_THIS_RUN: Final = f"run {os.urandom(16).hex()}"
"""Stands for the machine's start where that cannot be read: a lock then begins anew with a run."""

ChangeKind = Literal["added", "new-pin", "disabled"]


class Listed(NamedTuple):
    """An operator as a list shows them."""

    operator: Operator
    locked_ms: int


class Change(msgspec.Struct, frozen=True):
    """A change that the event log has not got yet, with the process and user that made it."""

    number: int
    kind: ChangeKind
    name: str
    role: str
    pid: int
    uid: int
    mark: str
    """What tells the PIN that they have now; see `Secret.mark`."""


class Verdict(Enum):
    """What came of a name and a PIN."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    LOCKED = "locked"
    DISABLED = "disabled"


class Tried(NamedTuple):
    """What came of a name and a PIN; ``operator`` is None if nobody has the name."""

    verdict: Verdict
    operator: Operator | None
    locked_ms: int = 0
    """For so long from now the operator is locked out."""
    failures: int = 0
    """Tries since the last right PIN, this one included: what is to be forgiven."""
    standing: Standing = Standing()
    """The file at the moment of a right PIN: it may be exchanged at any time."""


Signature = tuple[tuple[int, int, int] | None, ...]
"""Differs when the files were written or replaced."""


def moment() -> Moment:
    """Return the time by the clock that counts from the machine's start."""
    return Moment(mono_ms(), boot_id() or _THIS_RUN)


class Store:
    """The operators in a state folder.  Every call may raise `OperatorsError`; see the module."""

    def __init__(self, folder: Path, now: Callable[[], Moment] = moment) -> None:
        self._folder = folder
        self._file = folder / NAME
        self._now = now

    def add(self, name: str, role: str, pin: str) -> None:
        """Add an operator.

        Raises:
            UsageError: name, role or PIN cannot be, or the name is taken, if by a disabled one.
        """
        check_name(name)
        check_role(role)
        check_pin(pin)
        self._make_file()
        # One that was lost is not made up for: the hashes that are there need the old one.
        pepper = read_pepper(self._folder) if self._is_marked() else make_pepper(self._folder)
        secret = Secret.of(pepper, name, role, pin)
        with self._change() as db:
            self._agree(db, pepper)
            if found := _find(db, name):
                was = "was disabled, and a name stays its owner's" if found.disabled else "is there"
                raise UsageError(f"{name} {was}: choose another name")
            db.execute(
                "INSERT INTO operator (name, role, salt, hash, cost, block, lanes)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (name, role, *msgspec.structs.astuple(secret)),
            )
            _note(db, "added", name, role)

    def change_pin(self, name: str, pin: str) -> None:
        """Give an operator another PIN; it ends a lock-out, and every sign-in by the old one.

        Raises:
            UsageError: the PIN cannot be, nobody has the name, or they are disabled.
        """
        check_pin(pin)
        found = self.enabled(name)
        pepper = read_pepper(self._folder)
        secret = Secret.of(pepper, name, found.role, pin)
        with self._change() as db:
            self._agree(db, pepper)
            db.execute(
                "UPDATE operator SET (salt, hash, cost, block, lanes, pins) ="
                " (?, ?, ?, ?, ?, pins + 1) WHERE name = ?",
                (*msgspec.structs.astuple(secret), name),
            )
            _keep_lock(db, name, Lock())
            _note(db, "new-pin", name, found.role)

    def disable(self, name: str) -> None:
        """Let an operator sign in no more; whoever is signed in by the name loses their rights.

        Raises:
            UsageError: nobody has the name, or they are disabled.
        """
        found = self.enabled(name)
        with self._change() as db:
            db.execute("UPDATE operator SET disabled = 1 WHERE name = ?", (name,))
            _note(db, "disabled", name, found.role)

    def enabled(self, name: str) -> Operator:
        """Return who has the name and may sign in.

        Raises:
            UsageError: nobody has it, or they are disabled.
        """
        found = self.find(name)
        if found is None:
            raise UsageError("nobody has this name: see tablekeeper operators list")
        if found.disabled:
            raise UsageError(f"{name} is disabled")
        return found

    def all(self) -> list[Listed]:
        """Return every operator by name, the disabled ones too."""
        if not self._file.exists():
            return []
        now = self._now()
        with self._open() as db:
            names = [name for (name,) in db.execute("SELECT name FROM operator ORDER BY name")]
            found = [(_find(db, name), lockout.remaining(_lock(db, name), now)) for name in names]
        return [Listed(operator, locked) for operator, locked in found if operator]

    def find(self, name: str) -> Operator | None:
        """Return who has the name, disabled or not; None if nobody has."""
        if not self._file.exists():
            return None
        with self._open() as db:
            return _find(db, name)

    def try_pin(self, name: str, pin: str, *, counted: int = 0, forgive: bool = True) -> Tried:
        """Try a name and a PIN.

        A try is counted, on disk, before the PIN is looked at: whatever happens in between, no
        guess is for nothing.  A name that nobody has takes as long and is locked out in the same
        way, and so does a PIN that is not looked at: nothing tells which names there are.
        ``counted`` are the wrong PINs that the event log has: a file that was put back to fewer
        goes on from there.  Without ``forgive`` the count stays after a right PIN: call `forgive`
        once the event log has it.
        """
        if not self._file.exists():
            raise OperatorsError("no operator was added yet: tablekeeper operators add NAME ROLE")
        pepper = read_pepper(self._folder)
        with self._change() as db:
            self._agree(db, pepper)
            operator = _find(db, name)
            counted_as = operator.name if operator else stand_in(pepper, name)
            lock, now = _lock(db, counted_as), self._now()
            if operator and lock.failures < counted:
                lock = lockout.again(counted, now)
            left = lockout.remaining(lock, now)
            tried = lockout.counted(lock, now) if left else lockout.failed(lock, now)
            _keep_lock(db, counted_as, tried)
            secret = _secret(db, name) or NOBODYS
            standing = read_standing(db)
        is_right = secret.is_of(pepper, name, operator.role if operator else "", pin)
        if left:
            return Tried(Verdict.LOCKED, operator, left)
        if operator is None:
            return Tried(Verdict.UNKNOWN, None, tried.remaining)
        if not is_right:
            return Tried(Verdict.WRONG, operator, tried.remaining)
        if forgive:
            self.forgive(name, tried.failures)
        verdict = Verdict.DISABLED if operator.disabled else Verdict.RIGHT
        return Tried(verdict, operator, failures=tried.failures, standing=standing)

    def forgive(self, name: str, failures: int) -> None:
        """Forget so many tries of somebody who gave the right PIN, and not what came since."""
        with self._change() as db:
            since = max(0, _lock(db, name).failures - failures)
            _keep_lock(db, name, lockout.again(since, self._now()))

    def standing(self) -> Standing:
        """Return who is in the file now; nobody if there is no file."""
        if not self._file.exists():
            return Standing()
        with self._open() as db:
            db.execute("BEGIN")
            return read_standing(db)

    def check(self) -> None:
        """Make sure that a PIN could be tried now, unless there are no operators at all."""
        if not self._file.exists():
            return
        pepper = read_pepper(self._folder)
        with self._change() as db:
            self._agree(db, pepper)

    def changes(self) -> list[Change]:
        """Return the changes that the event log has not got yet, the oldest first."""
        if not self._file.exists():
            return []
        with self._open() as db:
            db.execute("BEGIN")
            marks = {one.operator.name: one.mark for one in read_standing(db).kept}
            rows = db.execute(
                "SELECT number, kind, name, role, pid, uid FROM change ORDER BY number"
            )
            return [
                Change(number, kind, name, role, pid, uid, marks.get(name, ""))
                for number, kind, name, role, pid, uid in rows
            ]

    def recorded(self, number: int) -> None:
        """Forget a change that the event log has got."""
        with self._change() as db:
            db.execute("DELETE FROM change WHERE number = ?", (number,))

    def signature(self) -> Signature:
        """Return what differs when somebody has written the files since; reads none of them."""
        files = (self._file, self._file.with_name(f"{NAME}-wal"), self._folder / PEPPER)
        return tuple(map(_signature, files))

    # --- the file ---------------------------------------------------------------------------------

    def _agree(self, db: sqlite3.Connection, pepper: bytes) -> None:
        """Make sure that the pepper is the one that the hashes here were made with."""
        mark = mark_of(pepper)
        kept = db.execute("SELECT mark FROM pepper").fetchone()
        if kept is None:
            db.execute("INSERT INTO pepper (only, mark) VALUES (1, ?)", (mark,))
        elif kept[0] != mark:
            what = f"it is not the pepper that {self._file} was made with: put that one back"
            raise OperatorsError(f"{self._folder / PEPPER}: {what}")

    def _is_marked(self) -> bool:
        with self._open() as db:
            return db.execute("SELECT mark FROM pepper").fetchone() is not None

    def _make_file(self) -> None:
        """Create an empty file for its owner alone, unless there is one."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            os.close(os.open(self._file, flags, 0o600))
        except FileExistsError:
            pass
        except OSError as fault:
            raise unusable(self._file, fault) from None

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with contextlib.closing(self._connect()) as db:
                schema.prepare(db, self._file)
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("PRAGMA synchronous = FULL")
                yield db
        except (sqlite3.Error, OSError) as fault:
            raise unusable(self._file, fault) from None

    @contextlib.contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        """Open for a change that is on disk, whole, when the block ends, or not at all."""
        with self._open() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def _connect(self) -> sqlite3.Connection:
        return open_database(self._file, BUSY_SECONDS)


def _find(db: sqlite3.Connection, name: str) -> Operator | None:
    query = "SELECT name, role, disabled, pins FROM operator WHERE name = ?"
    found = db.execute(query, (name,)).fetchone()
    return Operator(found[0], found[1], disabled=bool(found[2]), pins=found[3]) if found else None


def _secret(db: sqlite3.Connection, name: str) -> Secret | None:
    query = "SELECT salt, hash, cost, block, lanes FROM operator WHERE name = ?"
    found = db.execute(query, (name,)).fetchone()
    return Secret(*found) if found else None


def _lock(db: sqlite3.Connection, name: str) -> Lock:
    query = "SELECT failures, remaining, mono, boot FROM lock WHERE name = ?"
    found = db.execute(query, (name,)).fetchone()
    return Lock(*found) if found else Lock()


def _keep_lock(db: sqlite3.Connection, name: str, lock: Lock) -> None:
    db.execute(
        "INSERT OR REPLACE INTO lock (name, failures, remaining, mono, boot)"
        " VALUES (?, ?, ?, ?, ?)",
        (name, *msgspec.structs.astuple(lock)),
    )


def _note(db: sqlite3.Connection, kind: ChangeKind, name: str, role: str) -> None:
    db.execute(
        "INSERT INTO change (kind, name, role, pid, uid) VALUES (?, ?, ?, ?, ?)",
        (kind, name, role, os.getpid(), os.getuid()),
    )


def _signature(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
