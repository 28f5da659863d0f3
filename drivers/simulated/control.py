"""The control socket: one JSON object a line in, one out, any number of clients.

``{"do": "draw", "device": "shoe"}`` is answered by ``{"ok": true, "card": "7S", ...}``, or by
``{"ok": false, "why": "..."}``.
"""

import asyncio

import msgspec

from drivers.simulated import requests as ask
from drivers.simulated.bench import Bench
from drivers.simulated.benched import Answer
from drivers.simulated.line_server import LineServer
from drivers.simulated.refused import Refused

LONGEST_LINE = 256 * 1024

_REQUESTS = msgspec.json.Decoder(ask.Asked)


class Control:
    """The socket of one bench."""

    def __init__(self, bench: Bench) -> None:
        """Take the bench whose devices are controlled."""
        self._bench = bench
        self._server = LineServer(bench.control_path, self._serve, LONGEST_LINE)

    async def open(self) -> None:
        """Make the socket."""
        await self._server.open()

    def close(self) -> None:
        """Cut every client off and take the socket away."""
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(msgspec.json.encode(await self._answer(line)) + b"\n")
            await writer.drain()

    async def _answer(self, line: bytes) -> Answer:
        try:
            return {"ok": True, **await self._bench.answer(_REQUESTS.decode(line))}
        except msgspec.MsgspecError as error:
            return {"ok": False, "why": f"not a request: {error}"}
        except Refused as refused:
            return {"ok": False, "why": str(refused)}
