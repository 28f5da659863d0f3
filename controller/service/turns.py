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
    """What one connection may ask yet; it fills up again while nothing is asked."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Take the clock, in seconds."""
        self._now = now
        self._since = now()
        self._left = float(AT_ONCE)

    def spend(self) -> float:
        """Spend one request; return the seconds until it may be looked at."""
        now = self._now()
        self._left = min(AT_ONCE, self._left + (now - self._since) * EACH_SECOND) - 1
        self._since = now
        return max(0.0, -self._left / EACH_SECOND)


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
