"""How long to wait before a port is opened again.

Normally so short that the device is back within a second of its node; longer and longer when the
link keeps breaking, so that a loose plug does not keep the whole table busy.
"""

import random
from collections import deque

POLL = 0.3
LONGEST_POLL = 0.5
FLAPS = 6
FLAP_WINDOW = 30.0
LONGEST_FLAP_PAUSE = 8.0


class Backoff:
    """The pauses of one device, in seconds."""

    def __init__(self, luck: random.Random | None = None) -> None:
        """Take the luck that keeps several devices from waking at the same moment."""
        self._luck = luck or random.Random()  # noqa: S311 - nothing secret
        self._losses: deque[float] = deque(maxlen=2 * FLAPS)

    def lost(self, now: float) -> None:
        """Note that a link that was up has broken."""
        self._losses.append(now)

    def flapping(self, now: float) -> int:
        """Return the number of recent losses if they are too many, 0 otherwise."""
        recent = sum(1 for loss in self._losses if now - loss <= FLAP_WINDOW)
        return recent if recent > FLAPS else 0

    def pause(self, now: float) -> float:
        """Return how long to wait before the next attempt."""
        if recent := self.flapping(now):
            return min(2.0 ** (recent - FLAPS - 1), LONGEST_FLAP_PAUSE)
        return min(POLL * self._luck.uniform(0.8, 1.2), LONGEST_POLL)
