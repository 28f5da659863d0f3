"""The second copy of the log while a table runs: kept in step, and told of when it is not.

It is written by a thread of its own. A second disk that hangs, is full or was pulled out holds
nothing up: play goes on, and a supervisor is told.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from controller.bounded import HANGS_AFTER
from controller.characters import printable
from controller.eventlog.errors import CopySetBack as PutBack
from controller.eventlog.errors import LogAltered, MirrorFailed, SetBack
from controller.eventlog.mirror import Mirror
from controller.eventlog.row import Row
from controller.events import AnyEvent, CopyFollows, CopyKept, CopyLost, CopySetBack

AGAIN_EVERY: Final = 10.0
"""Seconds between looks at a copy while nothing is recorded."""

RESTS: Final = 10
"""So many times as long as a try in vain has taken, there is none; a look at all may be long."""

LONGEST_REST: Final = 60.0

LOOK_EVERY: Final = 1.0
"""Seconds between looks whether the copy is in step, and between tries when it is not."""

FOLLOWS_EVERY: Final = 1000
"""Events after which the log says again how far the copy has come."""

_SET_BACK: Final = str(CopySetBack.__struct_config__.tag)

_writing: Final = threading.Lock()

log = structlog.get_logger()


class Looked(NamedTuple):
    """What came of looking at the copy before a table opens."""

    reached: int = 0
    """The copy has all events up to this one."""
    set_back: CopySetBack | None = None
    """It lacks what it has had, and was left as it is until that is recorded."""


def check_copy(source: Path, target: Path | None, had: int = 0) -> Looked:
    """Compare the copy with the log before a table opens, and bring it up to date.

    ``had`` is how far the copy has come by what the log says. A copy that can't be kept is told of
    later: the table opens without it.

    Raises:
        LogAltered: by the copy, which holds, the log lacks rows or has others.

    """
    if target is None:
        return Looked()
    if _on_one_disk(source, target):
        log.warning("the second copy of the log is on the same disk as the log", copy=str(target))
    with contextlib.suppress(MirrorFailed), contextlib.closing(Mirror(source, target)) as mirror:
        try:
            return Looked(_keep(mirror, had))
        except PutBack as found:
            return Looked(set_back=_event(target, found.lacks))
    return Looked(had)


def _on_one_disk(source: Path, target: Path) -> bool:
    with contextlib.suppress(OSError):  # whoever copies says so
        return target.stat().st_dev == source.stat().st_dev
    return False


def _keep(mirror: Mirror, had: int) -> int:
    """Bring a copy up to date, one writer at a time; return how far it goes then.

    Raises:
        PutBack, LogAltered, MirrorFailed: as `Mirror.keep_in_step`, and `MirrorFailed` for anything
            else that may come of what lies on somebody's disk: it ends no table.

    """
    # Whoever began before the table opened may still be at it.
    with _writing:
        try:
            return mirror.keep_in_step(had).seq
        except (PutBack, LogAltered, MirrorFailed):
            raise
        except Exception as fault:
            log.exception("the second copy of the log could not be kept")
            raise MirrorFailed(mirror.folder, f"{type(fault).__name__}: {fault}") from fault
        finally:
            for what in mirror.mended:
                log.warning("the second copy of the log was torn and is mended", what=what)
            mirror.mended.clear()


def _event(target: Path, lacks: SetBack) -> CopySetBack:
    return CopySetBack(folder=str(target), had=lacks.had, has=lacks.has, days=lacks.days)


class Mirroring:
    """Keeps the copy in ``target``, if there is one, until the program ends."""

    def __init__(self, source: Path, target: Path | None, looked: Looked) -> None:
        self._source = source
        self._target = target
        self._reached = looked.reached
        """The copy has come so far; it may be found to lack it later."""
        self._told_reached: int | None = None
        """How far it has come by what this run has told the log."""
        self._lacks: CopySetBack | None = None
        self._may_fill = threading.Event()
        self._due = threading.Event()
        self._busy_since: float | None = None
        self._trouble = ""
        self._altered: LogAltered | None = None
        self._told: set[str] = set()
        """What was told of it since it was last in step: the disk that was missing is altered."""

    def recorded(self, rows: Sequence[Row]) -> None:
        """Take note that the log has grown by these rows."""
        if any(row.kind == _SET_BACK for row in rows):
            self._may_fill.set()
        self._due.set()

    async def run(self, tell: Callable[[AnyEvent], None]) -> None:
        """Watch the copying until cancelled; what becomes of it is told as events.

        Raises:
            LogAltered: by the copy, which holds, the log lacks rows or has others.

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
            if trouble and trouble not in self._told:
                self._told.add(trouble)
                log.error("the second copy of the log is not kept", why=trouble)
                tell(CopyLost(folder=str(self._target), why=trouble))
            elif self._told and not trouble:
                self._told.clear()
                log.info("the second copy of the log is kept again")
                tell(CopyKept(folder=str(self._target)))
            self._tell_reach(tell)

    def _tell_reach(self, tell: Callable[[AnyEvent], None]) -> None:
        """Have the log say how far the copy has come, and at once that it was put back."""
        lacks, self._lacks = self._lacks, None
        if lacks is not None:
            log.error("the second copy of the log lacks what it has had", had=lacks.had)
            tell(lacks)
        elif self._reached and self._is_news(self._reached):
            self._told_reached = self._reached
            tell(CopyFollows(folder=str(self._target), seq=self._reached))

    def _is_news(self, reached: int) -> bool:
        told = self._told_reached
        return told is None or not 0 <= reached - told < FOLLOWS_EVERY

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
                self._reached = _keep(mirror, self._reached)
            except PutBack as found:
                self._wait_until_recorded(found.lacks)
                continue
            except MirrorFailed as failed:
                self._trouble = printable(failed.why)
                mirror.close()
                mirror = Mirror(self._source, self._target)
            except LogAltered as altered:
                self._altered = altered
            else:
                self._trouble = ""
            took = time.monotonic() - self._busy_since
            self._busy_since = None
            if self._trouble:
                time.sleep(min(max(LOOK_EVERY, took * RESTS), LONGEST_REST))
                continue
            self._due.wait(AGAIN_EVERY)
            self._due.clear()

    def _wait_until_recorded(self, lacks: SetBack) -> None:
        """Leave a copy that was put back as it is until the log says so."""
        assert self._target is not None
        self._may_fill.clear()
        self._lacks = _event(self._target, lacks)
        self._busy_since = None  # it is not its disk that keeps us
        self._may_fill.wait()
        self._reached = 0
