"""The socket's places: who may connect, how many may, and how often.

A connection that is taken costs a descriptor.  There are fewer places than descriptors, so that a
device that is plugged in again, the log and the operators' database always get theirs; and no user
has all of them, so that another one can still sign in.

A connection that is taken costs time, too: who comes and goes without end is refused, which costs
less, and a pause is made between refusals.
"""

import asyncio
import contextlib
import resource
import socket
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, Final

import msgspec

from controller.errors import SettingsError
from controller.service.claim import Claim
from controller.service.people import Peer
from controller.service.sparing import Sparing
from controller.service.turns import Budget, Budgets, Turns

MOST_IN_ALL: Final = 256
"""Connections in all."""

MOST_OF_USER: Final = 64
"""Connections of one user: a terminal, the page and a script take one each."""

AT_ONCE: Final = 256
"""Connections that a user may make at once; each counts that has got a place."""

EACH_SECOND: Final = 20
"""Connections that a user may make a second in the long run: a script makes one a word."""

KEPT_FREE: Final = 256
"""Descriptors that are never a client's: devices, log, second copy, operators, the loop."""

WAITING: Final = 128
"""Connections that the kernel keeps until their turn comes."""

REFUSED_AT_ONCE: Final = 8
"""Connections that are refused in one turn: they are not to keep others out of the kernel's row."""

PAUSE: Final = 0.005
"""Seconds without another refusal after so many."""

TRY_AGAIN: Final = 0.5
"""Seconds until the next look where nothing could be taken."""

Serve = Callable[[socket.socket, Peer], Coroutine[Any, Any, None]]


class Places:
    """How many connections there are and were made, and of whom."""

    def __init__(
        self, descriptors: int | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin; ``descriptors`` are those that this process may have, as the kernel says."""
        may = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if descriptors is None else descriptors
        self.in_all = max(1, min(MOST_IN_ALL, may - KEPT_FREE))
        self.of_user = max(1, min(MOST_OF_USER, self.in_all // 2))
        self._taken: Counter[int] = Counter()
        self._often = Budgets(lambda: Budget(now, at_once=AT_ONCE, each_second=EACH_SECOND))

    def why_not(self, uid: int) -> str:
        """Say why the user gets no place; empty if there is one."""
        if self._taken[uid] >= self.of_user:
            return (
                f"your user has {self.of_user} connections here, the most that one may have: "
                "close one, then connect again"
            )
        if self._taken.total() >= self.in_all:
            return f"all {self.in_all} places are taken: connect again when somebody has left"
        if not self._often.has_one(uid):
            return (
                f"your user connects too often, {EACH_SECOND} times a second is the most: "
                "wait a second, then connect again"
            )
        return ""

    def take(self, uid: int) -> None:
        """Give the user a place."""
        self._taken[uid] += 1
        self._often.spend(uid)

    def leave(self, uid: int) -> None:
        """Have a place of the user's back."""
        self._taken[uid] -= 1
        if not self._taken[uid]:
            del self._taken[uid]


class Door:
    """Takes connections, one at a turn; refuses in words who gets no place."""

    def __init__(self, turns: Turns, serve: Serve) -> None:
        """Take who is called for each connection; the place is theirs until it returns."""
        self._turns = turns
        self._serve = serve
        self._places = Places()
        self._inside: set[asyncio.Task[None]] = set()
        self._journal = Sparing()

    async def run(self, listening: socket.socket) -> None:
        """Take connections until cancelled; then nobody is inside any more."""
        try:
            while True:
                await self._turns.next()
                try:
                    if not await self._admit_one(listening):
                        await asyncio.sleep(PAUSE)
                except OSError as fault:
                    self._journal.warn("nobody can connect", why=fault.strerror)
                    await asyncio.sleep(TRY_AGAIN)
        finally:
            for inside in self._inside:
                inside.cancel()
            await asyncio.gather(*self._inside, return_exceptions=True)

    async def _admit_one(self, listening: socket.socket) -> bool:
        """Let the next one in who gets a place; False if there were only others.

        Raises:
            OSError: no connection can be taken.
        """
        for _ in range(REFUSED_AT_ONCE):
            one, _address = await asyncio.get_running_loop().sock_accept(listening)
            peer = Peer.of(one)
            why = self._places.why_not(peer.uid)
            if not why:
                self._let_in(one, peer)
                return True
            self._journal.warn("a connection was refused", uid=peer.uid, pid=peer.pid, why=why)
            refusal = msgspec.json.encode({"id": None, "ok": False, "error": why})
            with one, contextlib.suppress(OSError):
                one.send(refusal + b"\n")
        return False

    def _let_in(self, one: socket.socket, peer: Peer) -> None:
        self._places.take(peer.uid)
        inside = asyncio.create_task(self._serve(one, peer))
        self._inside.add(inside)
        inside.add_done_callback(self._inside.discard)
        inside.add_done_callback(lambda _: self._places.leave(peer.uid))


def listen_at(claim: Claim) -> socket.socket:
    """Listen at the place that is claimed.

    Raises:
        SettingsError: nothing can listen there; says why.
        TableHeld: somebody listens there.
    """
    path = claim.path
    claim.make_way()
    listening = socket.socket(socket.AF_UNIX)
    try:
        listening.setblocking(False)  # noqa: FBT003 - as the library has it
        listening.bind(str(path))
        claim.taken()
        path.chmod(0o660)
        listening.listen(WAITING)
    except OSError as fault:
        listening.close()
        why = fault.strerror or str(fault)
        raise SettingsError(f"table.socket = {path} cannot be opened: {why}") from None
    return listening
