"""The control socket: requests in, the table's whole view out.

JSON lines over a pathname socket, version 1.  The server speaks first::

    {"tablekeeper": 1, "table": "Pontoon 1", "version": "0.1.0"}

Each line of the client is a request with an ``id`` that the answer carries again::

    {"id": 1, "ask": {"do": "wager", "box": 2, "player": "ann", "main": 2500}}
    {"id": 2, "press": {"device": "keys", "control": "D"}}
    {"id": 3, "view": true}
    {"id": 4, "watch": true}

    {"id": 1, "ok": true, "seq": 17, "accepted": true}
    {"id": 1, "ok": true, "seq": 18, "accepted": false, "rule": "5.4", "why": "..."}
    {"id": 9, "ok": false, "error": "what is wrong with the line, and what is allowed"}

After ``watch`` every event that is on disk comes as one line without an id: its rows without
their hashes, and the view after it.  A card that must not be exposed (4.7) is in neither.
Amounts are cents.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, get_args

import msgspec
import structlog

from controller.errors import SettingsError
from controller.events import Ask, Asked, Pressed
from controller.game.exposure import is_face_down
from controller.game.play import find_hand
from controller.outcomes import Burned, Dealt, Outcome
from controller.service.inbox import Inbox
from controller.table.owner import Taken
from controller.table.record import OPENING

VERSION: Final = 1
LONGEST_LINE: Final = 64 * 1024
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


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One request; exactly one of its words besides ``id`` and ``by``."""

    id: int
    ask: Ask | None = None
    press: Press | None = None
    view: bool = False
    watch: bool = False
    by: str = "dealer"


_requests = msgspec.json.Decoder(Line)


class Control:
    """The socket's server."""

    def __init__(
        self, path: Path, hello: dict[str, str], inbox: Inbox, view: Callable[[], dict[str, Any]]
    ) -> None:
        self._path = path
        self._hello = {"tablekeeper": VERSION, **hello}
        self._inbox = inbox
        self._view = view
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
        self._broadcast(_json({"rows": list(exposed(taken)), "view": self._view()}))

    def tell_view(self) -> None:
        """Tell all who watch the view again: something that is no event has changed."""
        if self._watching:
            self._broadcast(b'{"rows":[],"view":%b}' % _json(self._view()))

    def _broadcast(self, line: bytes) -> None:
        for client in tuple(self._watching):
            if not client.send(line):
                self._watching.discard(client)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        client = _Client(writer)
        sending = asyncio.create_task(client.run())
        try:
            client.send(_json(self._hello))
            while line := await reader.readline():
                client.send(await self._answer(client, line))
        except (ConnectionError, ValueError):
            # Gone, or a line without an end: nothing of it is the table's trouble.
            log.info("a client left", watching=client in self._watching)
        except asyncio.CancelledError:
            pass
        finally:
            self._watching.discard(client)
            self._clients.discard(task)
            sending.cancel()
            # Without waiting: a client that never reads would hold the table up.
            writer.transport.abort()

    async def _answer(self, client: "_Client", line: bytes) -> bytes:
        try:
            request = _requests.decode(line)
        except (msgspec.DecodeError, RecursionError) as fault:
            return _json({"id": _id_of(line), "ok": False, "error": _in_words(fault)})
        words = [request.ask, request.press, request.view or None, request.watch or None]
        if len([word for word in words if word is not None]) != 1:
            error = "say exactly one of ask, press, view or watch"
            return _json({"id": request.id, "ok": False, "error": error})
        if request.ask is not None:
            return _reply(request, await self._inbox.ask(Asked(ask=request.ask, by=request.by)))
        if request.press is not None:
            press = request.press
            pressed = Pressed(device=press.device, control=press.control, held=press.held)
            return _reply(request, await self._inbox.ask(pressed))
        if request.watch:
            self._watching.add(client)
        return _json({"id": request.id, "ok": True, "view": self._view()})


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
    does the state that a round opens with.
    """
    hidden = any(_is_hidden(taken, one) for one in taken.outcomes)
    for row in taken.rows:
        body = msgspec.json.decode(row.body)
        if hidden:
            body = _without_card(body)
        if row.kind == OPENING:
            body = {}
        yield {
            "seq": row.seq,
            "at": row.at,
            "round": row.round,
            "kind": row.kind,
            "cause": row.cause,
            "body": body,
        }


def _is_hidden(taken: Taken, outcome: Outcome) -> bool:
    """Tell whether it is of a card that nobody may see: the burn card, or one face down (3.5.2)."""
    if isinstance(outcome, Burned):
        return outcome.face_down
    if not isinstance(outcome, Dealt) or outcome.box is None or outcome.hand is None:
        return False
    play = taken.state.play
    box = play.box(outcome.box)
    return box is not None and is_face_down(play, box, find_hand(play, box.number, outcome.hand))


def _without_card(body: dict[str, Any]) -> dict[str, Any]:
    """Leave out the card of an event: told by the device, or entered by the dealer."""
    seen = {key: value for key, value in body.items() if key not in {"card", "raw", "total"}}
    if isinstance(seen.get("ask"), dict):
        seen["ask"] = _without_card(seen["ask"])
    return seen


def _reply(request: Line, taken: Taken) -> bytes:
    answer: dict[str, Any] = {"id": request.id, "ok": True, "seq": taken.rows[0].seq}
    refused = taken.refused
    answer["accepted"] = refused is None
    if refused is not None:
        answer |= {"rule": refused.rule, "why": refused.why}
    return _json(answer)


def _id_of(line: bytes) -> Any:
    """Return the id of a line that is not a request, if it has one."""
    try:
        plain = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None
    return plain.get("id") if isinstance(plain, dict) else None


_ALLOWED: Final = {
    "player": "a player is one word of at most 40 signs that can be shown",
    "card": "a card is rank (A 2 to 9 T J Q K) and suit (S H D C), as 7S",
    "do": f"what can be asked is {', '.join(sorted(_words_of(Ask)))}",
}
"""What is allowed where a checker only says that a value does not do."""


def _in_words(fault: Exception) -> str:
    """Say what is wrong with a line, and what is allowed there."""
    if isinstance(fault, RecursionError):
        return "the line is nested too deeply"
    said = str(fault)
    key = said.rpartition(".")[2].rstrip("`")
    if key not in _ALLOWED:
        return said
    what = said if key == "do" else key
    return f"{what}: {_ALLOWED[key]}"


def _json(value: object) -> bytes:
    return msgspec.json.encode(value)
