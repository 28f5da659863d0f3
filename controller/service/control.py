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

- Connections: 64 of one user, 256 in all (fewer where the process may have few descriptors), and
  of one user 256 at once and 20 a second in the long run.  Who gets no place is told why, in one
  line instead of the table's first, and disconnected::

      {"id": null, "ok": false, "error": "your user has 64 connections here, ..."}

- Requests: 250 a second on a connection, and as many at once after it was silent.  What is said
  beyond that waits in the client's own socket.  The lines of all clients have turns, and what
  happens at the table is recorded before what is asked of it.
- Lengths: a line 64 KiB; one that asks or presses 8 KiB; a name (player, device, control, role)
  64 signs, a text in somebody's own words 500, a list 500 entries.  What is longer is an error;
  after a line that is too long the connection is ended, too.  Nothing of it is recorded.
- Texts: what can be seen, composed (NFC).  A character that cannot be seen, or hides what stands
  beside it, is an error that names it (``ask.player: its character 3 is U+202E (RIGHT-TO-LEFT
  OVERRIDE): ...``; which these are is told in `controller.characters`).
- Unread: 500 lines, and 1 MiB of answers.  Who leaves more is let go, and nothing that it has
  said is done any more.

- Refusals: of one user 1000 at once and 10 a second in the long run have a row of the log each,
  and so have presses that mean nothing and sign-ins that are refused.  Beyond that they are
  answered alike, with ``"accepted": false`` and the log's last row as ``seq``, and one row
  ``refusals-counted`` says how many they were when two seconds have passed without another (or ten
  minutes with, and before a day or the controller ends).

- Accepted requests: each is recorded.  At a real table the answers to more than 1000 at once and 10
  a second in the long run, of one user, come later, and what is said behind them waits.

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
until each operator is locked out: the socket is for the table's own user and group (0660).  As a
service that is the group ``tablekeeper-watch``, which is not the group of the table's devices.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

import msgspec
import structlog

from controller.events import Asked, Pressed, SignInRefused
from controller.game.exposure import face_down_at
from controller.outcomes import Accepted, Burned, Dealt, Outcome, Refused
from controller.service import VERSION
from controller.service.claim import Claim
from controller.service.connection import Connection, LineTooLong
from controller.service.inbox import Inbox
from controller.service.people import Authority, NotYou, Peer, People, Seat
from controller.service.places import Door, listen_at
from controller.service.requests import LONGEST_LINE, Line, NotARequest, read
from controller.service.turns import Budget, Budgets, Turns
from controller.table.owner import Taken, Unrecorded, is_mere_refusal
from controller.table.record import CARRYING

CANNOT_SHOW: Final = "What is shown is old: the table goes on and is recorded; call a technician"
ACCEPTED_AT_ONCE: Final = 1000
"""Requests of one user that are accepted at a real table as fast as they come."""
ACCEPTED_EACH_SECOND: Final = 10
"""Those in the long run: a dealer makes one or two."""
SAME_FOR: Final = 0.05
"""Seconds for which a view that was made is shown to all who ask, unless something happens."""

MEANINGLESS: Final = Refused(rule="", why="this press means nothing at this table")
"""The answer to a press that no key or pedal is, where it is not recorded."""

log = structlog.get_logger()


class Control:
    """The socket's server."""

    def __init__(
        self,
        claim: Claim,
        hello: dict[str, Any],
        inbox: Inbox,
        people: People,
        view: Callable[[], dict[str, Any]],
        devices: Collection[str],
    ) -> None:
        self._claim = claim
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
        self._watching: set[Connection] = set()
        self._turns = Turns()
        self._accepted = Budgets(
            lambda: Budget(at_once=ACCEPTED_AT_ONCE, each_second=ACCEPTED_EACH_SECOND)
        )
        self.opened = asyncio.Event()
        """Set when it listens."""

    async def run(self) -> None:
        """Serve until cancelled."""
        listening = listen_at(self._claim)
        self.opened.set()
        try:
            with listening:
                await Door(self._turns, self._take).run(listening)
        finally:
            self._claim.leave()

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
        client = Connection(reader, writer, self._turns)
        seat = Seat(peer, lambda told: client.send(_json(told)), client.has_left)
        try:
            client.send(_json(self._hello))
            async for line in client.lines():
                answer = await self._answer(client, seat, line)
                client.send(answer, len(answer))
            await client.all_taken()
        except LineTooLong:
            what = f"the line is too long: at most {LONGEST_LINE} bytes; connect again"
            client.send(_error(None, what))
            await client.all_taken()
        except ConnectionError:
            pass  # gone: that is no trouble of the table's
        except asyncio.CancelledError:
            pass
        finally:
            self._people.left(seat)
            self._watching.discard(client)
            client.close()

    async def _answer(self, client: Connection, seat: Seat, line: bytes) -> bytes:
        try:
            request = read(line)
            return await self._carry_out(client, seat, request)
        except NotARequest as fault:
            return _error(fault.number, str(fault))
        except NotYou as refusal:
            return _error(request.id, str(refusal))

    async def _carry_out(self, client: Connection, seat: Seat, request: Line) -> bytes:
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
            taken = await self._inbox.ask_for(seat.peer.uid, _event_of(request, authority))
            if not isinstance(taken, Unrecorded) and not is_mere_refusal(taken.outcomes):
                await self._pause(seat.peer.uid)
            return _reply(request, taken)
        if request.watch:
            self._watching.add(client)
        return _json({"id": request.id, "ok": True, "view": self._view_now()})

    async def _pause(self, uid: int) -> None:
        """Answer a user later who has had very much accepted: each has its rows, for good.

        Not at a rehearsal, which scripts play as fast as they can.
        """
        if not self._hello.get("rehearsal"):
            await asyncio.sleep(self._accepted.spend(uid))


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


def _reply(request: Line, taken: Taken | Unrecorded) -> bytes:
    refused = taken.refused
    if isinstance(taken, Unrecorded):
        seq, refused = taken.seq, refused or MEANINGLESS
    else:
        seq = taken.rows[0].seq
    answer: dict[str, Any] = {"id": request.id, "ok": True, "seq": seq}
    answer["accepted"] = refused is None
    if refused is not None:
        answer |= {"rule": refused.rule, "why": refused.why}
    return _json(answer)


def _error(number: int | None, what: str) -> bytes:
    return _json({"id": number, "ok": False, "error": what})


def _json(value: object) -> bytes:
    return msgspec.json.encode(value)
