"""The operators' file as it stands: everybody in it, their PINs' marks and wrong PINs counted."""

import sqlite3
from typing import NamedTuple

import msgspec

from controller.operators.hashing import Secret


class Operator(msgspec.Struct, frozen=True):
    """Somebody who may sign in, or might once."""

    name: str
    role: str
    disabled: bool = False
    pins: int = 1
    """How many PINs they have had: who signed in by an earlier one is not who they are now."""


class Kept(NamedTuple):
    """An operator as the file keeps them."""

    operator: Operator
    mark: str
    """What tells the PIN's hash from any other; see `Secret.mark`."""
    failures: int
    """Wrong PINs counted since the last right one."""


class Standing(NamedTuple):
    """Everybody in the file at one moment."""

    kept: tuple[Kept, ...] = ()
    pending: frozenset[str] = frozenset()
    """Those of whom the log has not got a change yet."""


def read_standing(db: sqlite3.Connection) -> Standing:
    """Return who is in an operators' database.

    Raises:
        sqlite3.Error: it can't be read.
    """
    query = (
        "SELECT o.name, o.role, o.disabled, o.pins, o.salt, o.hash, coalesce(l.failures, 0)"
        " FROM operator o LEFT JOIN lock l ON l.name = o.name ORDER BY o.name"
    )
    kept = [
        Kept(Operator(name, role, bool(disabled), pins), Secret(salt, hash_).mark, failures)
        for name, role, disabled, pins, salt, hash_, failures in db.execute(query)
    ]
    pending = frozenset(name for (name,) in db.execute("SELECT DISTINCT name FROM change"))
    return Standing(tuple(kept), pending)
