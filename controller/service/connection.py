"""One client's connection: its lines when they are due, and what is on its way to it.

What one client can have kept here is bounded: the lines that it leaves unread, and what is read of
its own before it is due.
"""

import asyncio
import contextlib
import select
from collections.abc import AsyncIterator
from typing import Final

from controller.service.turns import Budget, Turns

MOST_UNREAD: Final = 500
"""Lines that a client may leave unread before it is let go: one that hangs holds nobody up."""
MOST_ANSWERS: Final = 1024 * 1024
"""Bytes of answers that it may leave unread; what all who watch are told is kept once for all."""
TAKEN_WITHIN: Final = 1.0
"""Seconds that a client has to take the last line before its connection is ended."""


class LineTooLong(Exception):
    """A line is longer than any may be."""


class Connection:
    """A client's connection, as long as it is served."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, turns: Turns
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._turns = turns
        writer.transport.set_write_buffer_limits(0)  # what is unread waits, and is counted, here
        self._unread: asyncio.Queue[tuple[bytes, int]] = asyncio.Queue(MOST_UNREAD)
        """Each with the bytes that are kept for this client alone."""
        self._alone = 0
        self._sending = asyncio.create_task(self._run())

    def close(self) -> None:
        """End it at once: a client that never reads is not waited for."""
        self._sending.cancel()
        self._writer.transport.abort()
        # What it kept is let go of now.  An error remembers where it came from, the task that was
        # cancelled too: in a circle, which is looked for when there are many, not when it is big.
        del self._sending
        if (fault := self._reader.exception()) is not None:
            fault.__traceback__ = None
        while not self._unread.empty():
            self._unread.get_nowait()

    @property
    def is_gone(self) -> bool:
        """Whether the client was let go, or has closed its end altogether."""
        return self._writer.transport.is_closing()

    def has_left(self) -> bool:
        """Tell whether nobody is at the other end; one who only says nothing more is."""
        if self.is_gone:
            return True
        other_end = select.poll()
        other_end.register(self._writer.get_extra_info("socket").fileno(), 0)
        return bool(other_end.poll(0))  # told unasked: both directions are closed

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield what the client says, each line when it is due; nothing more once it was let go.

        Raises:
            LineTooLong: a line is longer than any may be.
        """
        budget = Budget()
        while line := await self._read():
            await asyncio.sleep(budget.spend())
            await self._turns.next()
            if self.is_gone:
                return
            yield line

    async def _read(self) -> bytes:
        try:
            return await self._reader.readline()
        except ValueError:
            raise LineTooLong from None

    def send(self, line: bytes, alone: int = 0) -> bool:
        """Send a line in its turn; False if the client reads too slowly and was let go.

        ``alone`` are the bytes that are kept for it alone: those of an answer.
        """
        if self._unread.full() or self._alone + alone > MOST_ANSWERS:
            self._writer.transport.abort()
            return False
        self._unread.put_nowait((line, alone))
        self._alone += alone
        return True

    async def all_taken(self) -> None:
        """Give who is still there a moment to take what was sent."""
        taken = asyncio.create_task(self._unread.join())
        either = {taken, self._sending}
        await asyncio.wait(either, timeout=TAKEN_WITHIN, return_when=asyncio.FIRST_COMPLETED)
        taken.cancel()

    async def _run(self) -> None:
        """Write what was sent, as fast as it is read, until cancelled."""
        with contextlib.suppress(ConnectionError):
            while True:
                line, alone = await self._unread.get()
                self._writer.write(line + b"\n")
                await self._writer.drain()
                self._alone -= alone
                self._unread.task_done()
                await asyncio.sleep(0)  # neither of the two lets others go on while all is there
