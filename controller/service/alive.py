"""Signs of life: the watchdog is fed only while the owner of the inbox gets on.

An event loop that hangs feeds nothing, since this runs on it; an event that is decided for ever
stops the feeding, and systemd ends the process and starts it again.  A disk that is slow or
refuses does neither: the table says so and waits, also while it is still starting.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from controller.service.notify import Systemd
from controller.service.progress import Progress

FED_OFTEN: Final = 4
"""Signs of life in the watchdog's time: a late one or two are no reason to end a table."""

TOLD_EVERY: Final = 5.0
"""Seconds between two looks where there is no watchdog."""

STARTING_MORE: Final = 60.0
"""Seconds that are asked for while the table's start waits for the disk."""


class Living(NamedTuple):
    """Who is told that the table lives, and what it is judged by."""

    systemd: Systemd
    progress: Progress


@contextlib.contextmanager
def opening_the_log(systemd: Systemd) -> Iterator[None]:
    """Ask systemd for more time, again and again, as long as the log is being opened.

    From a thread: there is no loop yet, and the disk may keep this one waiting.
    """
    opened = threading.Event()

    def ask() -> None:
        while not opened.is_set():
            systemd.still_starting(STARTING_MORE)
            opened.wait(TOLD_EVERY)

    systemd.status("opening the log; the disk is waited for")
    asking = threading.Thread(target=ask, name="opening", daemon=True)
    asking.start()
    try:
        yield
    finally:
        opened.set()
        asking.join()


async def keep_alive(living: Living, opened: asyncio.Event, status: Callable[[], str]) -> None:
    """Tell systemd how the table does, until cancelled; READY once it is ``opened``."""
    systemd, progress = living
    every = systemd.watchdog / FED_OFTEN if systemd.watchdog else TOLD_EVERY
    told = ""
    while not opened.is_set():
        if not progress.is_stuck:
            systemd.still_starting(STARTING_MORE)
        told = _tell_change(systemd, told, status())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(opened.wait(), every)
    systemd.ready()
    while True:
        if not progress.is_stuck:
            systemd.alive()
        told = _tell_change(systemd, told, status())
        await asyncio.sleep(every)


def _tell_change(systemd: Systemd, told: str, now: str) -> str:
    if now != told:
        systemd.status(now)
    return now
