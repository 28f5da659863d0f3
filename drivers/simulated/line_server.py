"""A unix socket at which clients say one line at a time."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class LineServer:
    """One socket, open or not, and the connections to it."""

    def __init__(self, path: Path, serve: Serve, longest_line: int) -> None:
        """Take the socket's path and what serves one connection until its end."""
        self._path = path
        self._serve = serve
        self._longest_line = longest_line
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}

    @property
    def is_open(self) -> bool:
        """Whether the socket's node is there."""
        return self._server is not None

    async def open(self) -> None:
        """Make the node; one that a killed program left is replaced."""
        if self._server is None:
            self._path.unlink(missing_ok=True)
            self._server = await asyncio.start_unix_server(
                self._connected, str(self._path), limit=self._longest_line
            )

    def close(self) -> None:
        """Take the node away and cut every connection."""
        if self._server is None:
            return
        self._path.unlink(missing_ok=True)
        self._server.close()
        self._server = None
        for connection in self._connections:
            connection.transport.abort()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A task of our own: asyncio's complains when the loop ends before it does.
        self._connections[writer] = asyncio.create_task(self._until_gone(reader, writer))

    async def _until_gone(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._serve(reader, writer)
        except (ConnectionError, ValueError, msgspec.MsgspecError):
            pass  # cut off, an endless line, or not our language: its end either way
        finally:
            del self._connections[writer]
            writer.close()
