"""One inbox, one owner: every event of the table is taken here, one after the other."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import msgspec
import structlog

from controller.clock import mono_ms
from controller.eventlog.errors import LogWriteFailed
from controller.events import AnyEvent
from controller.service.progress import Progress
from controller.table.owner import Table, Taken
from controller.table.prizes import chance_for

RETRY_AFTER: Final = 1.0
"""Seconds until an event that could not be recorded is tried again."""

Act = Callable[[Taken], None]

log = structlog.get_logger()


class _Item(NamedTuple):
    event: AnyEvent
    reply: "asyncio.Future[Taken] | None"


class Inbox:
    """Takes events in the order in which they come; tells of each when it is on disk."""

    def __init__(self, table: Table, act: Act, progress: Progress) -> None:
        self._table = table
        self._act = act
        self._progress = progress
        self._waiting: asyncio.Queue[_Item] = asyncio.Queue()
        # Deciding and committing in a thread of their own: a slow disk is slow for one only.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="owner")
        self._refused = ""

    @property
    def trouble(self) -> str:
        """Why nothing goes on: the disk refuses, or it is slow; empty if all is well."""
        return self._refused or self._progress.slow

    def put(self, event: AnyEvent) -> None:
        """Hand in an event; it is taken in its turn."""
        self._waiting.put_nowait(_Item(_stamped(event), None))

    async def ask(self, event: AnyEvent) -> Taken:
        """Hand in an event and wait until it is on disk."""
        reply: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait(_Item(_stamped(event), reply))
        return await reply

    async def run(self) -> None:
        """Take events until cancelled; what is being recorded then is finished first."""
        try:
            while True:
                item = await self._waiting.get()
                taken = await self._take(item.event)
                self._act(taken)
                for chance in chance_for(taken.outcomes):
                    self.put(chance)
                if item.reply is not None and not item.reply.done():
                    item.reply.set_result(taken)
        finally:
            self._thread.shutdown(wait=True)

    async def _take(self, event: AnyEvent) -> Taken:
        """Decide and record; as long as the disk refuses, nothing else is taken."""
        loop = asyncio.get_running_loop()
        while True:
            self._progress.deciding()
            try:
                taken = await asyncio.shield(
                    loop.run_in_executor(self._thread, self._table.take, event)
                )
            except LogWriteFailed as failed:
                if not self._refused:
                    log.error("not recorded", event_kind=type(event).__name__, why=str(failed))
                self._refused = f"Stop: nothing can be recorded ({failed})"
                await asyncio.sleep(RETRY_AFTER)
            else:
                self._refused = ""
                return taken


def _stamped(event: AnyEvent) -> AnyEvent:
    return msgspec.structs.replace(event, mono=mono_ms())
