"""The control socket: requests in, the table's whole view out.

JSON lines over a pathname socket, version 1.  The server speaks first::

    {"tablekeeper": 1, "table": "Pontoon 1", "version": "0.1.0", "rehearsal": false}

Each line of the client is a request with an ``id``, a whole number that the answer carries again::

    {"id": 1, "ask": {"do": "wager", "box": 2, "player": "ann", "main": 2500}}
    {"id": 2, "press": {"device": "keys", "control": "D"}}
    {"id": 3, "view": true}
    {"id": 4, "watch": true}
    {"id": 5, "sign_in": {"name": "ines", "pin": "..."}}
    {"id": 6, "sign_out": true}

    {"id": 1, "ok": true, "seq": 17, "accepted": true}
    {"id": 1, "ok": true, "seq": 18, "accepted": false, "rule": "5.4", "why": "..."}
    {"id": 5, "ok": true, "signed_in": {"name": "ines", "role": "game-supervisor"}}
    {"id": 9, "ok": false, "error": "what is wrong with the line, and what is allowed"}

After ``watch`` every event that is on disk comes as one line without an id: its rows without
their hashes, and the view after it.  A card that must not be exposed (4.7) is in neither.
Amounts are cents.

**What a client may take.**  Nobody who connects holds the table up, or somebody else:

- Connections: 64 of one user, 256 in all (fewer where the process may have few descriptors).  Who
  gets no place is told why, in one line instead of the table's first, and disconnected::

      {"id": null, "ok": false, "error": "your user has 64 connections here, ..."}

- Requests: 250 a second on a connection, and as many at once after it was silent.  What is said
  beyond that waits in the client's own socket.  The lines of all clients have turns, and what
  happens at the table is recorded before what is asked of it.
- Lengths: a line 64 KiB; one that asks or presses 8 KiB; a name (player, device, control, role)
  64 signs, a text in somebody's own words 500, a list 500 entries.  A line that is too long costs
  its sender the connection, anything else is an error.  Nothing of it is recorded.
- Texts: what can be seen, composed (NFC).  A character that cannot be seen, or hides what stands
  beside it, is an error that names it (``ask.player: its character 3 is U+202E (RIGHT-TO-LEFT
  OVERRIDE): ...``; which these are is told in `controller.characters`).
- Unread: 1000 lines, and 1 MiB of answers.  Who leaves more is let go, and nothing that it has
  said is done any more.

A press of a device that the table has not got is an error too, and not recorded.  A view that is
asked for may be as old as 50 ms, unless something was recorded or has changed since.  What is told
of a log that an earlier version wrote may hold any text: whoever shows it sees to it that it is
shown as a text, as `controller.terminal` does.

**Who asks.**  The kernel names the process at the other end (SO_PEERCRED); the person signs in.
A connection without a sign-in is the dealer, as the pedal and keys are.  After ``sign_in`` what is
asked or pressed on the connection is by the operator's role, and the log has their name with it.
An operator may say ``"by": "dealer"`` to ask as a dealer, and no other role than their own.  The
sign-in ends with ``sign_out``, with the connection, with another sign-in on it, after ten minutes
in which nothing was asked or pressed, or at once when the operator is disabled or gets another
PIN; the last three are told in a line without an id::

    {"signed_out": {"name": "ines", "why": "idle"}}

A role that is merely claimed, as ``"by": "game-supervisor"``, is an error at a real table.  At a
rehearsal (``run --rehearsal``: the demo, ``play``, tests; no money is on the table) it counts.

What this protects against, and what not, is told in `controller.operators`.  Besides: a PIN that
comes over this socket goes nowhere but to its check.  Lines are not logged, and an error repeats
nothing that could be a PIN.  Who may open the socket may ask as a dealer, watch, and guess PINs
until each operator is locked out: the socket is for the table's own user and group (0660).
"""

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from controller.events import Asked, Pressed, SignInRefused
from controller.game.exposure import face_down_at
from controller.outcomes import Accepted, Burned, Dealt, Outcome
from controller.service.inbox import Inbox
from controller.service.people import Authority, NotYou, Peer, People, Seat
from controller.service.places import Door, listen_at
from controller.service.requests import LONGEST_LINE, Line, NotARequest, read
from controller.service.turns import Budget, Turns
from controller.table.owner import Taken
from controller.table.record import CARRYING

VERSION: Final = 1
CANNOT_SHOW: Final = "What is shown is old: the table goes on and is recorded; call a technician"
MOST_UNREAD: Final = 1000
"""Lines that a client may leave unread before it is let go: one that hangs holds nobody up."""
MOST_ANSWERS: Final = 1024 * 1024
"""Bytes of answers that it may leave unread; what all who watch are told is kept once for all."""
SAME_FOR: Final = 0.05
"""Seconds for which a view that was made is shown to all who ask, unless something happens."""

log = structlog.get_logger()


class Control:
    """The socket's server."""

    def __init__(
        self,
        path: Path,
        hello: dict[str, Any],
        inbox: Inbox,
        people: People,
        view: Callable[[], dict[str, Any]],
        devices: Collection[str],
    ) -> None:
        self._path = path
        self._hello = {"tablekeeper": VERSION, **hello}
        self._inbox = inbox
        self._people = people
        self._view = view
        self._devices = devices
        self._shown: dict[str, Any] = {}
        """The latest view that could be made."""
        self._fault = ""
        """Why one could not, the last time."""
        self._written: msgspec.Raw | None = None
        """The view as it is sent, as long as nothing has happened since."""
        self._written_at = 0.0
        self._watching: set[_Client] = set()
        self._turns = Turns()
        self.opened = asyncio.Event()
        """Set when it listens."""

    async def run(self) -> None:
        """Serve until cancelled."""
        listening = listen_at(self._path)
        self.opened.set()
        try:
            with listening:
                await Door(self._turns, self._take).run(listening)
        finally:
            self._path.unlink(missing_ok=True)

    async def _take(self, connection: socket.socket, peer: Peer) -> None:
        """Serve who has got a place."""
        reader, writer = await asyncio.open_unix_connection(sock=connection, limit=LONGEST_LINE)
        await self._serve(reader, writer, peer)

    def tell(self, taken: Taken) -> None:
        """Tell all who watch what was recorded; called after every event."""
        self._written = None
        if self._watching:
            rows = list(exposed(taken))
            self._broadcast(_json({"rows": rows, "view": self._view_now()}))

    def tell_view(self) -> None:
        """Tell all who watch the view again: something that is no event has changed."""
        self._written = None
        if self._watching:
            self._broadcast(_json({"rows": [], "view": self._view_now()}))

    def _view_now(self) -> msgspec.Raw:
        """Return the view as it is sent: made once for all who look at the same moment."""
        now = time.monotonic()
        if self._written is not None and now - self._written_at < SAME_FOR:
            return self._written
        seen = self._seen()
        written = msgspec.Raw(_json(seen))
        if seen is self._shown:  # one that could not be made is tried again for the next who asks
            self._written, self._written_at = written, now
        return written

    def _seen(self) -> dict[str, Any]:
        """Return the view.  A fault of ours in it ends neither a client nor the table.

        Then it is the latest that could be made, and says so; play goes on and is recorded.
        """
        try:
            self._shown = self._view()
        except Exception as fault:
            what = f"{type(fault).__name__}: {fault}"
            if what != self._fault:  # told once: it comes again with every event
                log.exception("the view could not be made")
                self._fault = what
            return {**self._shown, "trouble": f"{CANNOT_SHOW} ({what})"}
        return self._shown

    def _broadcast(self, line: bytes) -> None:
        for client in tuple(self._watching):
            if not client.send(line):
                self._watching.discard(client)

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: Peer
    ) -> None:
        client = _Client(writer)
        seat = Seat(peer, lambda told: client.send(_json(told)))
        sending = asyncio.create_task(client.run())
        try:
            client.send(_json(self._hello))
            async for line in self._lines(client, reader):
                answer = await self._answer(client, seat, line)
                client.send(answer, len(answer))
        except (ConnectionError, ValueError):
            # Gone, or a line without an end: nothing of it is the table's trouble.
            log.info("a client left", watching=client in self._watching)
        except asyncio.CancelledError:
            pass
        finally:
            self._people.left(seat)
            self._watching.discard(client)
            sending.cancel()
            # Without waiting: a client that never reads would hold the table up.
            writer.transport.abort()

    async def _lines(self, client: "_Client", reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
        """Yield what a client says, each line when it is due; nothing more once it was let go."""
        budget = Budget()
        while line := await reader.readline():
            await asyncio.sleep(budget.spend())
            await self._turns.next()
            if client.is_gone:
                return
            yield line

    async def _answer(self, client: "_Client", seat: Seat, line: bytes) -> bytes:
        try:
            request = read(line)
            return await self._carry_out(client, seat, request)
        except NotARequest as fault:
            return _error(fault.number, str(fault))
        except NotYou as refusal:
            return _error(request.id, str(refusal))

    async def _carry_out(self, client: "_Client", seat: Seat, request: Line) -> bytes:
        """Do what a request says and return its answer.

        Raises:
            NotYou: whoever asks is not who may.
            NotARequest: it is about a device that the table has not got.
        """
        if request.sign_in is not None:
            said = request.sign_in
            operator = await self._people.sign_in(seat, said.name, said.pin)
            signed_in = {"name": operator.name, "role": operator.role}
            return _json({"id": request.id, "ok": True, "signed_in": signed_in})
        if request.sign_out:
            if not await self._people.sign_out(seat, "asked"):
                raise NotYou("nobody is signed in here")
            return _json({"id": request.id, "ok": True})
        if request.ask is not None or request.press is not None:
            authority = await self._people.authority(seat, request.by)
            if request.press is not None and request.press.device not in self._devices:
                known = ", ".join(sorted(self._devices))
                raise NotARequest(request.id, f"no such device: those of the table are {known}")
            return _reply(request, await self._inbox.ask(_event_of(request, authority)))
        if request.watch:
            self._watching.add(client)
        return _json({"id": request.id, "ok": True, "view": self._view_now()})


class _Client:
    """What is on its way to one client; never more than it may leave unread."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._lines: asyncio.Queue[tuple[bytes, int]] = asyncio.Queue(MOST_UNREAD)
        """Each with the bytes that are kept for this client alone."""
        self._alone = 0

    @property
    def is_gone(self) -> bool:
        """Whether the client was let go, or has closed its end altogether."""
        return self._writer.transport.is_closing()

    def send(self, line: bytes, alone: int = 0) -> bool:
        """Send a line in its turn; False if the client reads too slowly and was let go.

        ``alone`` are the bytes that are kept for it alone: those of an answer.
        """
        if self._lines.full() or self._alone + alone > MOST_ANSWERS:
            self._writer.transport.abort()
            return False
        self._lines.put_nowait((line, alone))
        self._alone += alone
        return True

    async def run(self) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                line, alone = await self._lines.get()
                self._alone -= alone
                self._writer.write(line + b"\n")
                await self._writer.drain()
                await asyncio.sleep(0)  # neither of the two lets others go on while all is there


def exposed(taken: Taken) -> Iterator[dict[str, Any]]:
    """Yield the rows of an event as they may be seen: never the burn card (4.7).

    Neither its face nor what it could be worked out from: the hashes stay in the log, and so
    does the state that a round opens with.  Nor whether a name that was tried is an operator's.
    """
    hidden = any(_is_hidden(taken, one) for one in taken.outcomes)
    for row in taken.rows:
        body = msgspec.json.decode(row.body)
        if hidden:
            body = _without_card(body)
        if row.kind in _NOT_SHOWN:
            body = {}
        yield {
            "seq": row.seq,
            "at": row.at,
            "round": row.round,
            "kind": row.kind,
            "cause": row.cause,
            "body": body,
        }


_NOT_SHOWN: Final = frozenset({*CARRYING, str(SignInRefused.__struct_config__.tag)})
"""Rows of which only their kind is told."""


def _is_hidden(taken: Taken, outcome: Outcome) -> bool:
    """Tell whether it is of a card that nobody may see: the burn card, or one face down (3.5.2).

    While cards lie face down the names of cards that were misread, or not read, may be theirs.
    """
    if isinstance(outcome, Burned):
        return outcome.face_down
    lying = face_down_at(taken.state.play)
    if isinstance(outcome, Dealt):
        return (outcome.box, outcome.hand) in lying
    return bool(lying) and isinstance(outcome, Accepted) and outcome.what["do"] in _NAME_CARDS


_NAME_CARDS: Final = frozenset({"read", "amend"})


def _without_card(body: dict[str, Any]) -> dict[str, Any]:
    """Leave out the card of an event: told by the device, or entered by the dealer."""
    seen = {key: value for key, value in body.items() if key not in {"card", "raw", "total"}}
    for key in ("ask", "what"):
        if isinstance(seen.get(key), dict):
            seen[key] = _without_card(seen[key])
    return seen


def _event_of(request: Line, authority: Authority) -> Asked | Pressed:
    """Return what was asked or pressed, with whoever did it."""
    role, who = authority
    if request.ask is not None:
        return Asked(ask=request.ask, by=role, who=who)
    press = request.press
    assert press is not None
    return Pressed(device=press.device, control=press.control, held=press.held, by=role, who=who)


def _reply(request: Line, taken: Taken) -> bytes:
    answer: dict[str, Any] = {"id": request.id, "ok": True, "seq": taken.rows[0].seq}
    refused = taken.refused
    answer["accepted"] = refused is None
    if refused is not None:
        answer |= {"rule": refused.rule, "why": refused.why}
    return _json(answer)


def _error(number: int | None, what: str) -> bytes:
    return _json({"id": number, "ok": False, "error": what})


def _json(value: object) -> bytes:
    return msgspec.json.encode(value)
