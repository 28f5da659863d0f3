"""Who is signed in at the control socket, and by whose authority something is asked.

A connection has a process behind it, which the kernel names, and perhaps a person, who has signed
in.  Every sign-in, its end, and every refusal is an event, recorded before anybody is told.
"""

import asyncio
import socket
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, NamedTuple

import structlog

from controller.clock import mono_ms
from controller.errors import OperatorsError
from controller.events import (
    OperatorAdded,
    OperatorDisabled,
    OperatorGotPin,
    OperatorsDiffer,
    SignedIn,
    SignedOut,
    SignedOutBecause,
    SignInRefused,
    SignInRefusedBecause,
)
from controller.operators.roll import Difference, Roll
from controller.operators.standing import Operator
from controller.operators.store import Change, ChangeKind, Store, Tried, Verdict
from controller.service.inbox import Inbox
from controller.service.pin_turns import PinTurns
from controller.service.sparing import Sparing
from controller.table.roles import DEALER

IDLE_MS: Final = 10 * 60_000
"""After so long without a request a sign-in ends."""

LOOK_EVERY: Final = 1.0
"""Seconds between looks at changes of the operators, and at sign-ins that are idle."""

_CREDENTIALS: Final = struct.Struct("3i")

Changed = OperatorAdded | OperatorGotPin | OperatorDisabled

_CHANGES: Final[dict[ChangeKind, type[Changed]]] = {
    "added": OperatorAdded,
    "new-pin": OperatorGotPin,
    "disabled": OperatorDisabled,
}
_REFUSALS: Final[dict[Verdict, SignInRefusedBecause]] = {
    Verdict.WRONG: "wrong-pin",
    Verdict.UNKNOWN: "unknown",
    Verdict.LOCKED: "locked",
    Verdict.DISABLED: "disabled",
}

log = structlog.get_logger()


class NotYou(Exception):
    """Somebody asks by an authority they have not got, or cannot sign in; says what they can do."""


class Peer(NamedTuple):
    """The process at the other end of a connection, as the kernel knows it."""

    pid: int
    uid: int

    @classmethod
    def of(cls, connection: socket.socket) -> "Peer":
        """Return who connected."""
        size = _CREDENTIALS.size
        told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
        pid, uid, _ = _CREDENTIALS.unpack(told)
        return cls(pid, uid)


class Authority(NamedTuple):
    """By whom something is asked."""

    role: str
    who: str = ""
    """The operator who is signed in; empty if nobody is."""


class Seat:
    """One connection: its process, and who is signed in there."""

    def __init__(
        self,
        peer: Peer,
        tell: Callable[[dict[str, Any]], object],
        has_left: Callable[[], bool] = lambda: False,
    ) -> None:
        self.peer = peer
        self.tell = tell
        self.has_left = has_left
        self.operator: Operator | None = None
        self.asked_at = 0
        """When something was asked here last."""


class People:
    """Everybody at the control socket of a table."""

    def __init__(
        self,
        store: Store,
        inbox: Inbox,
        roll: Roll,
        *,
        rehearsal: bool,
        now: Callable[[], int] = mono_ms,
    ) -> None:
        """Begin; ``roll`` is what the event log says of the operators, at any time."""
        self._store = store
        self._roll = roll
        self._differs: tuple[Difference, ...] = ()
        self._inbox = inbox
        self._rehearsal = rehearsal
        self._now = now
        self._seats: set[Seat] = set()
        # One PIN at a time, in a thread of its own: many guesses at once keep only each other.
        self._trying = ThreadPoolExecutor(1, thread_name_prefix="pins")
        self._turns = PinTurns()
        self._recording = asyncio.Lock()
        self._journal = Sparing()
        self._seen: object = None
        self._trouble = ""

    async def run(self) -> None:
        """Look again and again until cancelled."""
        try:
            while True:
                await self.look()
                await asyncio.sleep(LOOK_EVERY)
        finally:
            self._trying.shutdown(wait=False, cancel_futures=True)

    # --- signing in and out -----------------------------------------------------------------------

    async def sign_in(self, seat: Seat, name: str, pin: str) -> Operator:
        """Sign somebody in at a connection; who was signed in there is signed out.

        Raises:
            NotYou: refused; the same words for a wrong PIN and a name that nobody has.
            ConnectionResetError: the connection was gone before the PIN was tried.
        """
        try:
            async with self._turns.turn(seat.peer.uid, seat.has_left):
                await self._record_changes()
                loop = asyncio.get_running_loop()
                counted = self._roll.failures(name)
                work = partial(self._store.try_pin, name, pin, counted=counted, forgive=False)
                tried = await loop.run_in_executor(self._trying, work)
        except OperatorsError as fault:
            self._tell_trouble(fault)
            raise NotYou(f"nobody can sign in: {fault}") from None
        operator = tried.operator
        if operator is None or tried.verdict is not Verdict.RIGHT:
            await self._refuse(seat, tried, _REFUSALS.get(tried.verdict, "unknown"))
            raise NotYou(refusal(tried))
        if objection := self._roll.objection(tried.standing, name):
            disabled = self._roll.is_disabled(name)
            await self._refuse(seat, tried, "disabled" if disabled else "unlike-log")
            raise NotYou(objected(objection))
        await self.sign_out(seat, "another")
        await self._inbox.ask(SignedIn(**_whose(seat, operator)))
        await self._forgive(name, tried.failures)
        seat.operator, seat.asked_at = operator, self._now()
        self._seats.add(seat)
        return operator

    async def _refuse(self, seat: Seat, tried: Tried, why: SignInRefusedBecause) -> None:
        whose = _whose(seat, tried.operator)
        refused = SignInRefused(**whose, why=why, locked_ms=tried.locked_ms)
        await self._inbox.ask_for(seat.peer.uid, refused)

    async def _forgive(self, name: str, failures: int) -> None:
        """Forget their wrong PINs once the log has that they signed in: it never counts more."""
        try:
            await asyncio.to_thread(self._store.forgive, name, failures)
        except OperatorsError as fault:
            self._tell_trouble(fault)

    async def sign_out(self, seat: Seat, why: SignedOutBecause) -> bool:
        """End a sign-in; False if there was none."""
        ended = self._end(seat, why)
        if ended is not None:
            await self._inbox.ask(ended)
            if why in {"idle", "disabled", "new-pin"}:
                seat.tell({"signed_out": {"name": ended.who, "why": why}})
        return ended is not None

    def left(self, seat: Seat) -> None:
        """End the sign-in of a connection that is gone."""
        ended = self._end(seat, "left")
        if ended is not None:
            self._inbox.put_behind(ended)

    def _end(self, seat: Seat, why: SignedOutBecause) -> SignedOut | None:
        operator, seat.operator = seat.operator, None
        self._seats.discard(seat)
        return SignedOut(**_whose(seat, operator), why=why) if operator else None

    # --- by whom something is asked ---------------------------------------------------------------

    async def authority(self, seat: Seat, claimed: str | None) -> Authority:
        """Return by whom a request of the connection is made; ``claimed`` is the role it names.

        At a real table: who is signed in asks by their own role, or as a dealer, and nobody else
        is more than a dealer.  At a rehearsal every role counts that is claimed.

        Raises:
            NotYou: the role is not theirs, or their sign-in is over.
        """
        operator = await self._still(seat)
        seat.asked_at = self._now()
        who = operator.name if operator else ""
        role = operator.role if operator else DEALER
        if claimed is None or claimed == role:
            return Authority(role, who)
        if self._rehearsal or claimed == DEALER:
            return Authority(claimed, who)
        about = {"pid": seat.peer.pid, "uid": seat.peer.uid, "who": who}
        self._journal.warn("a role was only claimed", **about)
        if operator is None:
            raise NotYou("a role is not claimed at a real table: sign in, then leave `by` out")
        raise NotYou(f"{who} is signed in as {role}, and asks as that or as a dealer")

    async def _still(self, seat: Seat) -> Operator | None:
        """Return who is signed in, having made sure that they still are.

        Raises:
            NotYou: they are not any more.
        """
        operator = seat.operator
        if operator is None:
            return None
        if self._is_idle(seat):
            await self.sign_out(seat, "idle")
            raise NotYou(
                f"{operator.name} was signed out: nothing was asked for long; sign in again"
            )
        try:
            found = await asyncio.to_thread(self._store.find, operator.name)
        except OperatorsError as fault:
            raise NotYou(f"nobody can ask as {operator.role} now: {fault}") from None
        if found != operator:
            why = _why_no_more(found)
            await self.sign_out(seat, why)
            did = "was disabled" if why == "disabled" else "got another PIN"
            raise NotYou(f"{operator.name} {did} and is signed out")
        if seat.operator is not operator:  # it ended while the disk was asked
            raise NotYou(f"{operator.name} is signed out")
        return operator

    def _is_idle(self, seat: Seat) -> bool:
        return self._now() - seat.asked_at >= IDLE_MS

    # --- changes ----------------------------------------------------------------------------------

    async def look(self) -> None:
        """Record what was changed, and sign out who is disabled or idle."""
        try:
            seen = await asyncio.to_thread(self._store.signature)
            if seen != self._seen:
                await asyncio.to_thread(self._store.check)
                await self._record_changes()
                await self._sign_out_changed()
                await self._compare()
                self._seen = seen
        except OperatorsError as fault:
            self._tell_trouble(fault)
        else:
            self._trouble = ""
        for seat in tuple(self._seats):
            if self._is_idle(seat):
                await self.sign_out(seat, "idle")

    async def _record_changes(self) -> None:
        """Record in the event log what the command has changed since."""
        async with self._recording:
            for change in await asyncio.to_thread(self._store.changes):
                event = _event_of(change)
                # A cut may come after a change was recorded and before the database forgets it,
                # and a file that was put back may tell again what has long been recorded.
                if not self._roll.has(event):
                    await self._inbox.ask(event)
                await asyncio.to_thread(self._store.recorded, change.number)

    async def _compare(self) -> None:
        """Compare the file with the log; in what they differ is an alarm, once."""
        taken = -1
        while taken != self._roll.taken:  # what is recorded meanwhile would look like a difference
            taken = self._roll.taken
            standing = await asyncio.to_thread(self._store.standing)
        self._roll.adopt(standing)
        differs = self._roll.differences(standing)
        if differs != self._differs:
            self._differs = differs
            words = tuple(map(str, differs))
            log.error("the operators' file is compared with the log", differs=words or "in nothing")
            await self._inbox.ask(OperatorsDiffer(differs=words))

    async def _sign_out_changed(self) -> None:
        for seat in tuple(self._seats):
            if seat.operator is not None:
                found = await asyncio.to_thread(self._store.find, seat.operator.name)
                if found != seat.operator:
                    await self.sign_out(seat, _why_no_more(found))

    def _tell_trouble(self, fault: OperatorsError) -> None:
        """Tell the journal once why nobody can sign in."""
        if str(fault) != self._trouble:
            self._trouble = str(fault)
            log.error("nobody can sign in", why=self._trouble)


def _whose(seat: Seat, operator: Operator | None) -> dict[str, Any]:
    """Return what every event about an operator says; a name that nobody has is left out."""
    who, role = (operator.name, operator.role) if operator else ("", "")
    return {"who": who, "role": role, "pid": seat.peer.pid, "uid": seat.peer.uid}


def _why_no_more(found: Operator | None) -> SignedOutBecause:
    """Tell why an operator is not who signed in; one that is gone from the file is disabled."""
    return "disabled" if found is None or found.disabled else "new-pin"


def _event_of(change: Change) -> Changed:
    return _CHANGES[change.kind](
        who=change.name,
        role=change.role,
        pid=change.pid,
        uid=change.uid,
        change=change.number,
        mark=change.mark,
    )


def objected(objection: str) -> str:
    """Say why somebody is not let in though the file has their PIN."""
    return f"{objection}: the log counts; call whoever looks after the operators"


def refusal(tried: Tried) -> str:
    """Say why somebody was not signed in, and when they can try again."""
    seconds = -(-tried.locked_ms // 1000)
    match tried.verdict:
        case Verdict.LOCKED:
            return f"locked out after wrong PINs: try again in {seconds} s"
        case Verdict.DISABLED:
            return "this operator is disabled"
        case _:
            wrong = "name or PIN is wrong"
            return f"{wrong}, and locked out now: try again in {seconds} s" if seconds else wrong
