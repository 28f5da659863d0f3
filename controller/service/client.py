"""The other end of the control socket: for the terminal view, the demo and the script runner."""

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from controller.errors import TableGone
from controller.service import VERSION

LONGEST_LINE: Final = 16 * 1024 * 1024


class Client:
    """A connection to a running table."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._told: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self.signed_in: dict[str, Any] | None = None
        """The operator's name and role, as long as one is signed in here."""
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def connect(cls, path: Path) -> Self:
        """Connect to the table at ``path``.

        Raises:
            TableGone: no table listens there, or it speaks another version.
        """
        try:
            reader, writer = await asyncio.open_unix_connection(path, limit=LONGEST_LINE)
            hello = msgspec.json.decode(await reader.readline())
        except (OSError, msgspec.DecodeError) as fault:
            raise TableGone(f"no table answers at {path}: {fault}") from None
        if hello.get("tablekeeper") != VERSION:
            writer.close()
            if "error" in hello:
                raise TableGone(f"the table at {path} takes no connection: {hello['error']}")
            raise TableGone(f"the table at {path} speaks version {hello.get('tablekeeper')}")
        return cls(reader, writer)

    async def sign_in(self, name: str, pin: str) -> dict[str, Any]:
        """Sign an operator in; what is asked and pressed from then on is by their role.

        Raises:
            TableGone: the table went away, and a sign-in with it.
        """
        answer = await self._request({"sign_in": {"name": name, "pin": pin}})
        if answer["ok"]:
            self.signed_in = dict(answer["signed_in"])
        return answer

    async def sign_out(self) -> dict[str, Any]:
        """Sign the operator out."""
        answer = await self._request({"sign_out": True})
        self.signed_in = None
        return answer

    async def ask(self, ask: dict[str, Any], by: str | None = None) -> dict[str, Any]:
        """Ask for something; return the answer when it is recorded.

        ``by`` claims a role, which counts at a rehearsal only; without it the role is that of who
        is signed in here, or the dealer's.

        Raises:
            TableGone: the table went away; whether it took the request is unknown.
        """
        return await self._request({"ask": ask, **({} if by is None else {"by": by})})

    async def press(self, device: str, control: str, *, held: bool = False) -> dict[str, Any]:
        """Press a control on the screen instead of the device."""
        return await self._request({"press": {"device": device, "control": control, "held": held}})

    async def view(self) -> dict[str, Any]:
        """Return the table's view now."""
        answer = await self._request({"view": True})
        return dict(answer["view"])

    async def watch(self) -> "Watch":
        """Begin to watch the table."""
        answer = await self._request({"watch": True})
        return Watch(self._told, dict(answer["view"]))

    async def close(self) -> None:
        """Let go of the connection."""
        self._listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._listening
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def _request(self, request: dict[str, Any]) -> dict[str, Any]:
        number = next(self._ids)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if self._listening.done():
            raise TableGone("the table is gone")
        self._answers[number] = answer
        try:
            self._writer.write(msgspec.json.encode({"id": number, **request}) + b"\n")
            await self._writer.drain()
        except OSError as fault:
            raise TableGone(f"the table is gone: {fault}") from None
        return await answer

    async def _listen(self) -> None:
        gone = "the table went away"
        try:
            while line := await self._reader.readline():
                told = msgspec.json.decode(line)
                waiting = self._answers.pop(told["id"], None) if "id" in told else None
                if waiting is not None:
                    waiting.set_result(told)
                elif "rows" in told:
                    self._told.put_nowait(told)
                elif "signed_out" in told:
                    self.signed_in = None
                elif "error" in told:  # of a line that it could not even read
                    gone = f"the table ended the connection: {told['error']}"
        except OSError:
            pass
        finally:
            for waiting in self._answers.values():
                if not waiting.done():
                    waiting.set_exception(TableGone(gone))
            self._told.put_nowait(None)


class Watch:
    """What the table tells, event by event.  ``view`` is the latest."""

    def __init__(self, told: "asyncio.Queue[dict[str, Any] | None]", view: dict[str, Any]) -> None:
        self._told = told
        self.view = view

    async def next(self, within: float | None = None) -> list[dict[str, Any]]:
        """Return the rows of the next event; none if only the view has changed.

        Raises:
            TableGone: the table went away.
            TimeoutError: nothing was told within so many seconds.
        """
        told = await asyncio.wait_for(self._told.get(), within)
        if told is None:
            self._told.put_nowait(None)
            raise TableGone("the table went away")
        self.view = told["view"]
        return list(told["rows"])

    async def event(
        self, wanted: Callable[[dict[str, Any]], bool], within: float | None = None
    ) -> list[dict[str, Any]]:
        """Return the rows of the next event whose own row is ``wanted``; see :meth:`next`."""
        async with asyncio.timeout(within):
            while True:
                rows = await self.next()
                if rows and wanted(rows[0]):
                    return rows
