"""Whose line is next: nobody who asks much keeps a card, or somebody else, waiting.

Each connection has a budget.  What it says beyond that stays where it was written, in its own
socket, until it is due.  And between two lines, whoever said them, the table has the loop for
itself: what a line costs delays a card once and not once for each line that waits.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

EACH_SECOND: Final = 250
"""Requests that one connection may make a second in the long run; a person makes a few."""

AT_ONCE: Final = 250
"""Requests that it may make at once after it was silent."""

PAUSE: Final = 0.001
"""Seconds between two lines in which the table works for itself."""


class Budget:
    """What somebody may do yet; it fills up again while nothing is done.

    As it is made without figures, it is for the requests of one connection.
    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        *,
        at_once: int = AT_ONCE,
        each_second: int = EACH_SECOND,
    ) -> None:
        """Take the clock, in seconds."""
        self._now = now
        self._at_once = at_once
        self._each_second = each_second
        self._since = now()
        self._left = float(at_once)

    def spend(self) -> float:
        """Spend one; return the seconds until it is due: it may be spent in advance."""
        self._fill()
        self._left -= 1
        return max(0.0, -self._left / self._each_second)

    @property
    def has_one(self) -> bool:
        """Whether one can be spent now."""
        self._fill()
        return self._left >= 1

    @property
    def is_full(self) -> bool:
        """Whether it is as if nothing had ever been spent."""
        self._fill()
        return self._left >= self._at_once

    def _fill(self) -> None:
        now = self._now()
        self._left = min(self._at_once, self._left + (now - self._since) * self._each_second)
        self._since = now


class Budgets:
    """A budget for each user.  One that is full again is forgotten: users come and go."""

    def __init__(self, budget: Callable[[], Budget]) -> None:
        self._budget = budget
        self._of: dict[int, Budget] = {}

    def has_one(self, uid: int) -> bool:
        """Tell whether the user can spend one now."""
        found = self._of.get(uid)
        return found is None or found.has_one

    def spend(self, uid: int) -> float:
        """Spend one of the user's; return the seconds until it is due."""
        for other in [one for one, budget in self._of.items() if budget.is_full]:
            del self._of[other]
        return self._of.setdefault(uid, self._budget()).spend()


class Turns:
    """The turns of all who are connected or want to be, first come, first served."""

    def __init__(self) -> None:
        self._one = asyncio.Lock()
        self._free_at = 0.0

    async def next(self) -> None:
        """Wait for a turn: what is done until the next ``await`` is one."""
        async with self._one:
            await asyncio.sleep(max(0.0, self._free_at - time.monotonic()))
            self._free_at = time.monotonic() + PAUSE
