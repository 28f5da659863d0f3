"""The simulated devices' control socket: what hands do at a table."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any, Self

import msgspec

from controller.errors import TableGone


class Simulator:
    """A connection to the simulated devices.  One request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._turn = asyncio.Lock()

    @classmethod
    async def connect(cls, path: Path) -> Self:
        """Connect to the simulated devices at ``path``."""
        try:
            return cls(*await asyncio.open_unix_connection(path))
        except OSError as fault:
            raise TableGone(f"the simulated devices do not answer: {fault}") from None

    async def do(self, what: str, **fields: object) -> dict[str, Any]:
        """Do something and return the answer.

        Raises:
            TableGone: the simulated devices are gone, or cannot do it.
        """
        try:
            async with self._turn:
                self._writer.write(msgspec.json.encode({"do": what, **fields}) + b"\n")
                await self._writer.drain()
                line = await self._reader.readline()
            answer: dict[str, Any] = msgspec.json.decode(line)
        except (OSError, msgspec.DecodeError):
            raise TableGone("the simulated devices are gone") from None
        if not answer["ok"]:
            raise TableGone(f"the simulated devices refuse: {answer['why']}")
        return answer

    async def close(self) -> None:
        """Let go of the connection."""
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()
