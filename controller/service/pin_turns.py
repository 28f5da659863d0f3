"""Whose PIN is tried next: one at a time, the users by turns, and nobody who has left.

A PIN takes a tenth of a second on purpose.  However many a user has tried at once, on whatever
connections, another user waits for one of them.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple


class _Waiting(NamedTuple):
    turn: "asyncio.Future[None]"
    has_left: Callable[[], bool]

    def is_over(self) -> bool:
        """Tell whether nobody waits here any more; who has left is told so."""
        if not self.turn.done() and self.has_left():
            self.turn.set_exception(ConnectionResetError("left before the PIN was tried"))
        return self.turn.done()


class PinTurns:
    """The turns of all who sign in."""

    def __init__(self) -> None:
        self._is_taken = False
        self._rows: dict[int, deque[_Waiting]] = {}
        """Who waits of each user; the user whose turn is next comes first."""

    @contextlib.asynccontextmanager
    async def turn(self, uid: int, has_left: Callable[[], bool]) -> AsyncIterator[None]:
        """Wait for a turn of the user's, and have it until the block ends.

        Raises:
            ConnectionResetError: whoever asked had left when it came.
        """
        if self._is_taken:
            await self._wait(uid, has_left)
        self._is_taken = True
        try:
            yield
        finally:
            self._give_on()

    async def _wait(self, uid: int, has_left: Callable[[], bool]) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._rows.setdefault(uid, deque()).append(_Waiting(turn, has_left))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it had come already
                self._give_on()
            raise

    def _give_on(self) -> None:
        self._is_taken = False
        while self._rows:
            uid = next(iter(self._rows))
            row = self._rows.pop(uid)
            while row and row[0].is_over():
                row.popleft()
            if row:
                self._is_taken = True
                row.popleft().turn.set_result(None)
                if row:
                    self._rows[uid] = row  # behind all others
                return
