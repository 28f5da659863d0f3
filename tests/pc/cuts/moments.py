"""The moments at which the power may be cut, with one order of writes between several disks."""

import contextlib
import random
import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from tests.pc.cuts.crash import Left
from tests.pc.cuts.write_log import WriteLog

Moment = tuple[int, ...]
"""How long each disk's log was, in bytes."""

LOOKED_EVERY: Final = 0.0005
"""Seconds; between two writes of which one waits for the other lies a flush, which takes longer."""


class Cut(NamedTuple):
    """The power is cut."""

    moment: Moment
    left: Left
    seed: int
    """Of the chance by which the disks keep what they have not promised."""


@contextlib.contextmanager
def looked_at(logs: Sequence[Path]) -> Iterator[list[Moment]]:
    """Note all the time how long the logs are; yield the list that grows."""
    seen: list[Moment] = [_lengths(logs)]
    over = threading.Event()

    def look() -> None:
        while not over.wait(LOOKED_EVERY):
            now = _lengths(logs)
            if now != seen[-1] and now == _lengths(logs):  # else the first moved meanwhile
                seen.append(now)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield seen
    finally:
        over.set()
        looking.join()
        seen.append(_lengths(logs))


def _lengths(logs: Sequence[Path]) -> Moment:
    return tuple(log.stat().st_size for log in logs)


def between(logs: Sequence[WriteLog], seen: Sequence[Moment]) -> list[Moment]:
    """Return the moments between any two writes.

    Where several disks were written to between two looks nobody knows in which order: there is no
    moment between.
    """
    moments = list(seen[:1])
    for before, after in pairwise(seen):
        moved = [disk for disk, _log in enumerate(logs) if before[disk] != after[disk]]
        if len(moved) == 1:
            (disk,) = moved
            moments += [
                (*before[:disk], entry.end, *before[disk + 1 :])
                for entry in logs[disk].entries
                if before[disk] < entry.end < after[disk]
            ]
        moments.append(after)
    return moments


def cuts(moments: Sequence[Moment], count: int, luck: random.Random) -> list[Cut]:
    """Return so many cuts in order, of each kind as many, each in its own part of the moments."""
    kinds = [list(Left)[number % len(Left)] for number in range(count)]
    luck.shuffle(kinds)
    part = len(moments) / count
    return [
        Cut(moments[int((number + luck.random()) * part)], kind, luck.getrandbits(32))
        for number, kind in enumerate(kinds)
    ]
