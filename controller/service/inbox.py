"""One inbox, one owner: every event of the table is taken here, one after the other."""

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple, TypeVar, TypeVarTuple

import msgspec
import structlog

from controller.clock import mono_ms
from controller.eventlog.errors import DayInUse, LogWriteFailed
from controller.events import AnyEvent, RefusalsCounted, StateDue, Stopped
from controller.service.days import Days
from controller.service.progress import Progress
from controller.service.refusals import Refusals
from controller.table.owner import Table, Taken, Unrecorded, is_mere_refusal
from controller.table.prizes import chance_for

RETRY_AFTER: Final = 1.0
"""Seconds until an event that could not be recorded is tried again."""

SLOW_AFTER: Final = 1.0
"""Seconds that a commit may wait before whoever is at the table is told to wait too."""

SLOW: Final = "The disk is slow: the last event is not recorded yet. Wait."

LOOK_AT_THE_DAY_EVERY: Final = 5.0
"""Seconds between looks whether a gaming day begins, while nothing happens."""

_Done = TypeVar("_Done")
_Args = TypeVarTuple("_Args")

Act = Callable[[Taken], None]

log = structlog.get_logger()


class _Item(NamedTuple):
    asked: bool
    number: int
    """How many came before it: they are taken in that order, and never compared further."""
    event: AnyEvent
    reply: "asyncio.Future[Any] | None" = None
    uid: int | None = None
    """The user who asks for it; None where it is recorded whatever comes of it."""


class Inbox:
    """Takes events in the order in which they come; tells of each when it is on disk.

    What happened at the table goes before what is asked of it: a card does not wait until all who
    ask have been heard.  Where a user's refusals become too many they are counted, not recorded.

    ``stopped`` is called whenever ``trouble`` has something new to say: nothing can be recorded.
    """

    def __init__(
        self,
        table: Table,
        act: Act,
        days: Days,
        progress: Progress,
        stopped: Callable[[], None],
    ) -> None:
        self._progress = progress
        self._table = table
        self._act = act
        self._days = days
        self._stopped = stopped
        self._waiting: asyncio.PriorityQueue[_Item] = asyncio.PriorityQueue()
        self._numbers = itertools.count()
        # Deciding and committing in a thread of their own: a slow disk is slow for one only.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="owner")
        self._refused = ""
        self._refusals = Refusals()
        self._day_ends = False

    @property
    def trouble(self) -> str:
        """Why nothing goes on just now; empty as soon as it does."""
        slow = self._progress.recording_for >= SLOW_AFTER
        return self._refused or (SLOW if slow else "")

    def put(self, event: AnyEvent) -> None:
        """Hand in an event that happened; it is taken in its turn."""
        self._hand_in(event, asked=False)

    def put_behind(self, event: AnyEvent) -> None:
        """Hand in an event that comes after all that was asked before."""
        self._hand_in(event, asked=True)

    async def ask(self, event: AnyEvent) -> Taken:
        """Hand in an event and wait until it is on disk."""
        reply: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()
        self._hand_in(event, reply, asked=True)
        return await reply

    async def ask_for(self, uid: int, event: AnyEvent) -> Taken | Unrecorded:
        """Hand in what a user asks for, and wait until it is on disk, or refused and counted."""
        reply: asyncio.Future[Taken | Unrecorded] = asyncio.get_running_loop().create_future()
        self._hand_in(event, reply, uid, asked=True)
        return await reply

    def _hand_in(
        self,
        event: AnyEvent,
        reply: "asyncio.Future[Any] | None" = None,
        uid: int | None = None,
        *,
        asked: bool,
    ) -> None:
        self._waiting.put_nowait(_Item(asked, next(self._numbers), _stamped(event), reply, uid))

    async def run(self) -> None:
        """Take events until cancelled; what is being recorded then is finished first."""
        try:
            while True:
                item = await self._next()
                if self._days.is_due(self._table.state):
                    await self._end_day()
                await self._take_all(self._refusals.ended())
                if item is None:
                    continue
                if isinstance(item.event, Stopped):  # all that was asked was taken before it
                    await self._take_all(self._refusals.all())
                taken = await self._take_item(item)
                if item.reply is not None and not item.reply.done():
                    item.reply.set_result(taken)
                if self._table.state_is_due:
                    # At once: at the end of a backlog, each event before it would ask for it again.
                    await self._take(_stamped(StateDue()))
        finally:
            self._thread.shutdown(wait=True)

    async def _take_all(self, counts: list[RefusalsCounted]) -> None:
        for count in counts:
            await self._take(_stamped(count))

    async def _take_item(self, item: _Item) -> Taken | Unrecorded:
        """Have an event recorded, or counted if it is one refusal of its user too many."""
        uid = item.uid
        if uid is None:
            return await self._take(item.event)
        if self._refusals.has_room(uid):
            recorded = await self._take(item.event)
            if is_mere_refusal(recorded.outcomes):
                self._refusals.recorded(uid)
            return recorded
        taken = await self._record(self._table.take_if_it_counts, item.event)
        if isinstance(taken, Unrecorded):
            self._refusals.count(uid, item.event, taken.refused)
        else:
            self._follow(taken)
        return taken

    async def _take(self, event: AnyEvent) -> Taken:
        """Have an event recorded, and act on it."""
        taken = await self._record(self._table.take, event)
        self._follow(taken)
        return taken

    def _follow(self, taken: Taken) -> None:
        self._act(taken)
        for chance in chance_for(taken.outcomes):
            self.put(chance)

    async def _next(self) -> _Item | None:
        """Return the next event; None when there is none, so that a day begins without one."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._refusals.until_end(LOOK_AT_THE_DAY_EVERY)):
                item = await self._waiting.get()
                # What is asked counts from when it is taken: a card may have gone before it.
                return item._replace(event=_stamped(item.event)) if item.asked else item
        return None

    async def _end_day(self) -> None:
        """Begin a day; what was only counted in the day before is recorded in that."""
        if not self._day_ends:  # once: somebody who reads the day's file makes it wait
            await self._take_all(self._refusals.all())
        self._day_ends = True
        await self._record(self._begin_day)

    def _begin_day(self) -> None:
        header = self._days.header()
        try:
            row = self._table.begin_day(header)
        except DayInUse as reading:
            log.info("the day ends a little later", why=str(reading))
        else:
            self._days.begun(row)
            self._day_ends = False

    async def _record(self, work: Callable[[*_Args], _Done], *args: *_Args) -> _Done:
        """Have something recorded; as long as the disk refuses, nothing else is taken."""
        loop = asyncio.get_running_loop()
        while True:
            self._progress.deciding()
            try:
                recording = loop.run_in_executor(self._thread, work, *args)
                recording.add_done_callback(_seen)
                done = await asyncio.shield(recording)
            except LogWriteFailed as failed:
                if not self._refused:
                    log.error("not recorded", why=str(failed))
                self._refuse(f"Stop: nothing can be recorded ({failed})")
                await asyncio.sleep(RETRY_AFTER)
            else:
                self._refused = ""
                self._progress.waiting()
                return done

    def _refuse(self, why: str) -> None:
        """Say it at once, also the second time that it comes within a moment."""
        if why != self._refused:
            self._refused = why
            self._stopped()


def _seen(recording: "asyncio.Future[Any]") -> None:
    """Look at how it ended: when the table is closed meanwhile, nobody else does."""
    if not recording.cancelled():
        recording.exception()


def _stamped(event: AnyEvent) -> AnyEvent:
    return msgspec.structs.replace(event, mono=mono_ms())
