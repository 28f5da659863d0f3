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
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final, get_args

import msgspec
import structlog

from controller.errors import SettingsError
from controller.events import Ask, Asked, Pressed, SignInRefused
from controller.game.exposure import face_down_at
from controller.outcomes import Accepted, Burned, Dealt, Outcome
from controller.service.inbox import Inbox
from controller.service.people import Authority, NotYou, Peer, People, Seat
from controller.table.owner import Taken
from controller.table.record import CARRYING

VERSION: Final = 1
LONGEST_LINE: Final = 64 * 1024
CANNOT_SHOW: Final = "What is shown is old: the table goes on and is recorded; call a technician"
MOST_UNREAD: Final = 1000
"""Lines that a client may leave unread before it is let go: one that hangs holds nobody up."""

log = structlog.get_logger()


def _words_of(union: object) -> Iterator[str]:
    """Yield the words by which the kinds of a union are told apart."""
    for kind in get_args(union):
        yield str(kind.__struct_config__.tag)


class Press(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A press that somebody makes on a screen instead of the device."""

    device: str
    control: str
    held: bool = False


class SignIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody wants to sign in."""

    name: Annotated[str, msgspec.Meta(max_length=64)]
    pin: Annotated[str, msgspec.Meta(max_length=64)]

    def __repr__(self) -> str:
        """Show neither, wherever this comes to be written: a PIN may stand in the wrong place."""
        return "SignIn(...)"


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One request; exactly one of its words besides ``id`` and ``by``."""

    id: int
    ask: Ask | None = None
    press: Press | None = None
    view: bool = False
    watch: bool = False
    sign_in: SignIn | None = None
    sign_out: bool = False
    by: str | None = None


_WORDS: Final = ("ask", "press", "view", "watch", "sign_in", "sign_out")
_ONE_OF: Final = f"{', '.join(_WORDS[:-1])} or {_WORDS[-1]}"

_requests = msgspec.json.Decoder(Line)


class Control:
    """The socket's server."""

    def __init__(
        self,
        path: Path,
        hello: dict[str, Any],
        inbox: Inbox,
        people: People,
        view: Callable[[], dict[str, Any]],
    ) -> None:
        self._path = path
        self._hello = {"tablekeeper": VERSION, **hello}
        self._inbox = inbox
        self._people = people
        self._view = view
        self._shown: dict[str, Any] = {}
        """The latest view that could be made."""
        self._fault = ""
        """Why one could not, the last time."""
        self._watching: set[_Client] = set()
        self._clients: set[asyncio.Task[None]] = set()
        self.opened = asyncio.Event()
        """Set when it listens."""

    async def run(self) -> None:
        """Serve until cancelled."""
        server = await self._open()
        self.opened.set()
        try:
            async with server:
                await server.serve_forever()
        finally:
            for client in self._clients:
                client.cancel()
            await asyncio.gather(*self._clients, return_exceptions=True)
            self._path.unlink(missing_ok=True)

    async def _open(self) -> asyncio.Server:
        """Listen at the path.

        Raises:
            SettingsError: nothing can listen there; says why.
        """
        try:
            if self._path.is_socket():  # of a controller that was cut off: it holds no log now
                self._path.unlink()
            server = await asyncio.start_unix_server(self._serve, self._path, limit=LONGEST_LINE)
            self._path.chmod(0o660)
        except OSError as fault:
            why = fault.strerror or str(fault)
            raise SettingsError(f"table.socket = {self._path} cannot be opened: {why}") from None
        return server

    def tell(self, taken: Taken) -> None:
        """Tell all who watch what was recorded; called after every event."""
        if not self._watching:
            return
        self._broadcast(_json({"rows": list(exposed(taken)), "view": self._seen()}))

    def tell_view(self) -> None:
        """Tell all who watch the view again: something that is no event has changed."""
        if self._watching:
            self._broadcast(_json({"rows": [], "view": self._seen()}))

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

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        client = _Client(writer)
        seat = Seat(Peer.of(writer.get_extra_info("socket")), lambda told: client.send(_json(told)))
        sending = asyncio.create_task(client.run())
        try:
            client.send(_json(self._hello))
            while line := await reader.readline():
                client.send(await self._answer(client, seat, line))
        except (ConnectionError, ValueError):
            # Gone, or a line without an end: nothing of it is the table's trouble.
            log.info("a client left", watching=client in self._watching)
        except asyncio.CancelledError:
            pass
        finally:
            self._people.left(seat)
            self._watching.discard(client)
            self._clients.discard(task)
            sending.cancel()
            # Without waiting: a client that never reads would hold the table up.
            writer.transport.abort()

    async def _answer(self, client: "_Client", seat: Seat, line: bytes) -> bytes:
        try:
            request = _requests.decode(line)
        except (msgspec.DecodeError, RecursionError) as fault:
            return _error(_id_of(line), _in_words(fault))
        words = [getattr(request, word) for word in _WORDS]
        if len([word for word in words if word is not None and word is not False]) != 1:
            return _error(request.id, f"say exactly one of {_ONE_OF}")
        try:
            return await self._carry_out(client, seat, request)
        except NotYou as refusal:
            return _error(request.id, str(refusal))

    async def _carry_out(self, client: "_Client", seat: Seat, request: Line) -> bytes:
        """Do what a request says and return its answer.

        Raises:
            NotYou: whoever asks is not who may.
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
            return _reply(request, await self._inbox.ask(_event_of(request, authority)))
        if request.watch:
            self._watching.add(client)
        return _json({"id": request.id, "ok": True, "view": self._seen()})


class _Client:
    """What is on its way to one client; never more than it may leave unread."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._lines: asyncio.Queue[bytes] = asyncio.Queue(MOST_UNREAD)

    def send(self, line: bytes) -> bool:
        """Send a line in its turn; False if the client reads too slowly and was let go."""
        try:
            self._lines.put_nowait(line)
        except asyncio.QueueFull:
            self._writer.transport.abort()
            return False
        return True

    async def run(self) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                self._writer.write(await self._lines.get() + b"\n")
                await self._writer.drain()


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


def _id_of(line: bytes) -> int | None:
    """Return the id of a line that is not a request, if it has one."""
    try:
        plain = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    number = plain.get("id") if isinstance(plain, dict) else None
    return number if isinstance(number, int) else None


_ALLOWED: Final = {
    "player": "a player is one word of at most 40 signs that can be shown",
    "card": "a card is rank (A 2 to 9 T J Q K) and suit (S H D C), as 7S",
    "do": f"what can be asked is {', '.join(sorted(_words_of(Ask)))}",
}
"""What is allowed where a checker only says that a value does not do."""


_MAYBE_A_PIN: Final = re.compile(r"(?<!\d)(?<![<>]= )\d{4,}")
"""Digits that an error would repeat; a bound that it names is ours."""


def _in_words(fault: Exception) -> str:
    """Say what is wrong with a line, and what is allowed there; repeat nothing like a PIN."""
    if isinstance(fault, RecursionError):
        return "the line is nested too deeply"
    said = _MAYBE_A_PIN.sub("****", str(fault))
    key = said.rpartition(".")[2].rstrip("`")
    if key not in _ALLOWED:
        return said
    what = said if key == "do" else key
    return f"{what}: {_ALLOWED[key]}"


def _json(value: object) -> bytes:
    return msgspec.json.encode(value)
