"""Lines of the journal that somebody could make come without end, told now and then.

The journal is on the disk that the log is on.
"""

import time
from collections.abc import Callable
from typing import Final

import structlog

TOLD_EVERY: Final = 60.0
"""Seconds between two lines that say the same."""

log = structlog.get_logger()


class Sparing:
    """Tells the journal the first time, and then once a minute with how often it was meanwhile."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Take the clock, in seconds."""
        self._now = now
        self._told: dict[str, float] = {}
        self._since: dict[str, int] = {}

    def warn(self, what: str, **about: object) -> None:
        """Warn of it, or count it for the next time; ``what`` is one of a few words of ours."""
        now = self._now()
        if now - self._told.get(what, -TOLD_EVERY) < TOLD_EVERY:
            self._since[what] = self._since.get(what, 0) + 1
            return
        self._told[what] = now
        log.warning(what, **about, untold=self._since.pop(what, 0))
