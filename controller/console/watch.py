"""``tablekeeper watch``: a running table in any terminal, with the dealer's keys."""

import asyncio
import contextlib
import os
import sys
import termios
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rich.console import Console, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from controller.console.lines import lines
from controller.console.screen import screen
from controller.errors import TableGone
from controller.service.client import Client
from controller.service.gave_up import note_beside

TRY_AGAIN: Final = 0.5
KEYS_DEVICE: Final = "keys"
_LEAVE: Final = frozenset({"q", "\x03", "\x04"})
_KEYS: Final = {
    **{key: key for key in "123456789=."},
    **{letter.lower(): letter for letter in "DPFSIE"},
    "\r": "enter",
    "\n": "enter",
    " ": "enter",
}
_NOTE: Final = "keys: 1-9 box, = same again, d p f s i e, space go on, q leave"


async def watch(socket: Path) -> int:
    """Show the table until the person leaves; wait for it as long as it is away.

    Raises:
        TableGone: no table was ever there.
    """
    console = Console()
    client = await _first(socket, wait=console.is_terminal)
    if not console.is_terminal:
        assert client is not None
        await _tell(client)
        return 0
    keys: asyncio.Queue[str] = asyncio.Queue()
    with _typed(keys), Live(console=console, screen=True, auto_refresh=False) as live:
        if client is None:
            client = await _come_back(socket, keys, live)
        while client is not None:
            showing = asyncio.create_task(_show(client, live))
            typing = asyncio.create_task(_type(client, keys))
            await asyncio.wait({showing, typing}, return_when=asyncio.FIRST_COMPLETED)
            left = typing.done() and not typing.cancelled() and typing.exception() is None
            for task in (showing, typing):
                task.cancel()
            await asyncio.gather(showing, typing, return_exceptions=True)
            await client.close()
            if left:
                return 0
            client = await _come_back(socket, keys, live)
    return 0


async def _first(socket: Path, *, wait: bool) -> Client | None:
    """Connect for the first time; None for a table that is worth waiting for: it has given up.

    Raises:
        TableGone: no table is there; says whether it has given up.
    """
    try:
        return await Client.connect(socket)
    except TableGone as gone:
        note = note_beside(socket)
        if note and wait:
            return None
        raise TableGone(f"{gone}\n{note}" if note else str(gone)) from None


async def _tell(client: Client) -> None:
    table = await client.watch()
    with contextlib.suppress(TableGone):
        while True:
            for line in lines(await table.next()):
                sys.stdout.write(line + "\n")
            sys.stdout.flush()


async def _show(client: Client, live: Live) -> None:
    table = await client.watch()
    while True:
        live.update(screen(table.view, _NOTE), refresh=True)
        await table.next()


async def _type(client: Client, keys: "asyncio.Queue[str]") -> None:
    """Hand the keys to the table until the person leaves."""
    while (key := await keys.get()) not in _LEAVE:
        if key in _KEYS:
            await client.press(KEYS_DEVICE, _KEYS[key])


async def _come_back(socket: Path, keys: "asyncio.Queue[str]", live: Live) -> Client | None:
    """Wait for the table, and show what is known of it; None if the person leaves."""
    while True:
        live.update(_away(socket), refresh=True)
        with contextlib.suppress(TableGone):
            return await Client.connect(socket)
        with contextlib.suppress(TimeoutError):
            if await asyncio.wait_for(keys.get(), TRY_AGAIN) in _LEAVE:
                return None


def _away(socket: Path) -> RenderableType:
    note = note_beside(socket)
    if not note:
        return "The table is gone. Waiting for it; q leaves."
    return Panel(Text(note), border_style="bold red", subtitle="waiting for it; q leaves")


@contextlib.contextmanager
def _typed(keys: "asyncio.Queue[str]") -> Iterator[None]:
    """Put every key that is typed into the queue, without waiting for Enter and without echo."""
    if not sys.stdin.isatty():
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    loop = asyncio.get_running_loop()
    tty.setcbreak(terminal)
    loop.add_reader(terminal, _read, terminal, keys)
    try:
        yield
    finally:
        loop.remove_reader(terminal)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _read(terminal: int, keys: "asyncio.Queue[str]") -> None:
    for key in os.read(terminal, 64).decode("utf-8", "replace"):
        keys.put_nowait(key)
