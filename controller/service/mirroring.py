"""The second copy of the log while a table runs: kept in step, and told of when it is not.

It is written by a thread of its own. A second disk that hangs, is full or was pulled out holds
nothing up: play goes on, and a supervisor is told.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog

from controller.eventlog.errors import LogAltered, MirrorFailed
from controller.eventlog.mirror import Mirror
from controller.events import AnyEvent, CopyKept, CopyLost
from controller.service.bounded import HANGS_AFTER

LOOK_EVERY: Final = 1.0
"""Seconds between looks whether the copy is in step, and between tries when it is not."""

log = structlog.get_logger()


def check_copy(source: Path, target: Path | None) -> None:
    """Compare the copy with the log before a table opens, and bring it up to date.

    A copy that can't be kept is told of later: the table opens without it.

    Raises:
        LogAltered: the copy has rows that the log has not, or others.

    """
    if target is None:
        return
    if target.is_dir() and target.stat().st_dev == source.stat().st_dev:
        log.warning("the second copy of the log is on the same disk as the log", copy=str(target))
    with contextlib.suppress(MirrorFailed), contextlib.closing(Mirror(source, target)) as mirror:
        mirror.keep_in_step()


class Mirroring:
    """Keeps the copy in ``target``, if there is one, until the program ends."""

    def __init__(self, source: Path, target: Path | None) -> None:
        self._source = source
        self._target = target
        self._due = threading.Event()
        self._busy_since: float | None = None
        self._trouble = ""
        self._altered: LogAltered | None = None
        self._told = False

    def recorded(self) -> None:
        """Take note that the log has grown."""
        self._due.set()

    async def run(self, tell: Callable[[AnyEvent], None]) -> None:
        """Watch the copying until cancelled; what becomes of it is told as events.

        Raises:
            LogAltered: the copy has rows that the log has not: one of them was changed.

        """
        if self._target is None:
            return
        # A daemon: a disk that never answers does not keep the program from ending.
        threading.Thread(target=self._copy_for_ever, name="mirror", daemon=True).start()
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if self._altered is not None:
                raise self._altered
            trouble = self._trouble or self._hangs()
            if trouble and not self._told:
                log.error("the second copy of the log is not kept", why=trouble)
                tell(CopyLost(folder=str(self._target), why=trouble))
            elif self._told and not trouble:
                log.info("the second copy of the log is kept again")
                tell(CopyKept(folder=str(self._target)))
            self._told = bool(trouble)

    def _hangs(self) -> str:
        since = self._busy_since
        if since is None or time.monotonic() - since < HANGS_AFTER:
            return ""
        return "its disk does not answer"

    def _copy_for_ever(self) -> None:
        assert self._target is not None
        mirror = Mirror(self._source, self._target)
        while self._altered is None:
            self._busy_since = time.monotonic()
            try:
                mirror.keep_in_step()
            except MirrorFailed as failed:
                self._trouble = failed.why
                with contextlib.suppress(Exception):  # what can't be written can't be closed well
                    mirror.close()
                mirror = Mirror(self._source, self._target)
            except LogAltered as altered:
                self._altered = altered
            else:
                self._trouble = ""
            self._busy_since = None
            if self._trouble:
                time.sleep(LOOK_EVERY)
                continue
            self._due.wait()
            self._due.clear()
