"""How many refusals of a user the log has a row for each, and how many only as a count.

A refusal is evidence, and a row on the disk; somebody who asks without end for what is refused is
not to fill the disk that the payments are recorded on.  Each user has a store.  What is refused
beyond it is answered, and has no row; when the burst is over one row says how many they were.

A user, and not a connection: whoever connects again gets no new store, and ends no burst.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from controller.clock import mono_ms
from controller.events import AnyEvent, RefusalsCounted, SignInRefused
from controller.outcomes import Refused
from controller.service.sparing import Sparing
from controller.service.turns import Budget, Budgets

AT_ONCE: Final = 1000
"""Refusals of a user that are recorded each, after the user was silent."""

EACH_SECOND: Final = 10
"""Refusals that are recorded each in the long run."""

QUIET: Final = 2.0
"""Seconds without another one after which a burst is over."""

LONGEST: Final = 600.0
"""Seconds after which the count of a burst that goes on is recorded: a cut loses no more."""


class _Burst:
    """What of a user was only counted."""

    def __init__(self, uid: int, now: float) -> None:
        self.began = self.latest = now
        self.counted = RefusalsCounted(uid=uid, since=mono_ms(), until=mono_ms())

    def add(self, event: AnyEvent, refused: Refused | None, now: float) -> None:
        self.latest = now
        before = self.counted
        more: dict[str, Any] = {"until": mono_ms()}
        if refused is not None:
            more |= {"refused": before.refused + 1, "rule": refused.rule, "why": refused.why}
        elif isinstance(event, SignInRefused):
            more |= {"sign_ins": before.sign_ins + 1}
        else:
            more |= {"meaningless": before.meaningless + 1}
        self.counted = msgspec.structs.replace(before, **more)

    @property
    def ends_at(self) -> float:
        return min(self.latest + QUIET, self.began + LONGEST)


class Refusals:
    """The refusals of everybody at the control socket."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Take the clock, in seconds."""
        self._now = now
        self._stores = Budgets(lambda: Budget(now, at_once=AT_ONCE, each_second=EACH_SECOND))
        self._bursts: dict[int, _Burst] = {}
        self._journal = Sparing()

    def has_room(self, uid: int) -> bool:
        """Tell whether a refusal of the user would be recorded."""
        return self._stores.has_one(uid)

    def recorded(self, uid: int) -> None:
        """Take note that one was."""
        self._stores.spend(uid)

    def count(self, uid: int, event: AnyEvent, refused: Refused | None) -> None:
        """Count one that was not; ``refused`` is None for what no clause has refused."""
        if uid not in self._bursts:
            self._bursts[uid] = _Burst(uid, self._now())
            self._journal.warn("refusals of a user are only counted from here on", uid=uid)
        self._bursts[uid].add(event, refused, self._now())

    def ended(self) -> list[RefusalsCounted]:
        """Return the counts of bursts that are over; each of them once."""
        now = self._now()
        return self._end(uid for uid, burst in self._bursts.items() if burst.ends_at <= now)

    def all(self) -> list[RefusalsCounted]:
        """Return every count there is, as when the controller stops; each of them once."""
        return self._end(self._bursts)

    def until_end(self, at_most: float) -> float:
        """Return in how many seconds a burst may be over."""
        now = self._now()
        ends = (burst.ends_at - now for burst in self._bursts.values())
        return max(0.0, min(at_most, *ends)) if self._bursts else at_most

    def _end(self, uids: Iterable[int]) -> list[RefusalsCounted]:
        return [self._bursts.pop(uid).counted for uid in tuple(uids)]
