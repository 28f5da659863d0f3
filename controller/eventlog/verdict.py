"""What checking a log finds."""

from collections.abc import Callable

import msgspec

Progress = Callable[[int, int], None]
"""Told (number of the last row checked, of the last row there is) now and then."""

OPENING_KIND = "started"
"""Kind of the row with which a controller's run begins."""

CLOSING_KIND = "stopped"
"""Kind of the row with which a run ends in good order."""


class FirstBad(msgspec.Struct, frozen=True):
    """The first event that is not as recorded (0: a file as a whole), and what was done."""

    seq: int
    what: str


class Verdict(msgspec.Struct, frozen=True):
    """What `verify` found.

    Attributes:
        ok: nothing was changed, added, moved or cut off.
        events: how many rows hold, counted from the first; all of them if ok.
        head: the hash of the last row that holds.
        first_bad: where it stops holding, None if ok.
        open_round: the last run among these rows began and did not end: it is still going on, or
            it was cut short.
        days: how many days' files these rows are in.
        signed: the last of them that is covered by a signature that holds; 0 if none is.
        half: rows may be missing that stand in a file which is not here; the notes name it.
        notes: what whoever judges the log should know, though nothing is wrong with it.
        last: the number of the last row that holds.

    """

    ok: bool
    events: int
    head: str
    first_bad: FirstBad | None
    open_round: bool
    days: int = 1
    signed: int = 0
    notes: tuple[str, ...] = ()
    half: bool = False
    last: int = 0
