"""What wrong PINs cost: a lock that doubles, and that neither a restart nor a clock undoes.

Pure: times come in as moments of the machine's own clock, which counts from its start.
"""

from typing import Final, NamedTuple

import msgspec

FREE: Final = 4
"""Wrong PINs in a row that cost nothing; the next one locks."""
FIRST_MS: Final = 30_000
LONGEST_MS: Final = 15 * 60_000


class Moment(NamedTuple):
    """A time of the clock that counts from the machine's start, and which start that was."""

    mono: int
    """Milliseconds."""
    boot: str


class Lock(msgspec.Struct, frozen=True):
    """Wrong PINs in a row, and the lock that they have brought."""

    failures: int = 0
    remaining: int = 0
    """Milliseconds that the lock had to go at the moment below."""
    mono: int = 0
    boot: str = ""


def remaining(lock: Lock, now: Moment) -> int:
    """Return the milliseconds that the lock has to go.

    After another start of the machine nobody knows how long it was off: what remained when it was
    counted last remains.
    """
    if now.boot != lock.boot or now.mono < lock.mono:
        return lock.remaining
    return max(0, lock.remaining - (now.mono - lock.mono))


def counted(lock: Lock, now: Moment) -> Lock:
    """Return the lock as it stands now, counted on from here."""
    return Lock(lock.failures, remaining(lock, now), now.mono, now.boot)


def failed(lock: Lock, now: Moment) -> Lock:
    """Return the lock after one more wrong PIN; never shorter than what remained."""
    failures = lock.failures + 1
    length = max(locks_for(failures), remaining(lock, now))
    return Lock(failures, length, now.mono, now.boot)


def again(failures: int, now: Moment) -> Lock:
    """Return the lock that so many wrong PINs in a row bring, from now on."""
    return Lock(failures, locks_for(failures), now.mono, now.boot)


def locks_for(failures: int) -> int:
    """Return for how many milliseconds so many wrong PINs in a row lock."""
    if failures <= FREE:
        return 0
    doublings = min(failures - FREE - 1, LONGEST_MS.bit_length())
    return min(FIRST_MS << doublings, LONGEST_MS)
