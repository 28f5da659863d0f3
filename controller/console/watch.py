"""``tablekeeper watch``: a running table in any terminal, with the dealer's keys."""

import asyncio
import contextlib
import os
import sys
import termios
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.live import Live

from controller.console.lines import lines, news, opening
from controller.console.screen import screen
from controller.errors import TableGone
from controller.service.client import Client

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
    client = await Client.connect(socket)
    if not console.is_terminal:
        await _tell(client)
        return 0
    keys: asyncio.Queue[str] = asyncio.Queue()
    with _typed(keys), Live(console=console, screen=True, auto_refresh=False) as live:
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
            live.update("The table is gone. Waiting for it; q leaves.", refresh=True)
            client = await _come_back(socket, keys)
    return 0


async def _tell(client: Client) -> None:
    table = await client.watch()
    shown: dict[str, Any] = {}
    said = [*opening(table.view)]
    with contextlib.suppress(TableGone):
        while True:
            said += news(shown, table.view)
            shown = table.view
            sys.stdout.writelines(f"{line}\n" for line in said)
            sys.stdout.flush()
            said = [*lines(await table.next())]


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


async def _come_back(socket: Path, keys: "asyncio.Queue[str]") -> Any:
    while True:
        with contextlib.suppress(TableGone):
            return await Client.connect(socket)
        with contextlib.suppress(TimeoutError):
            if await asyncio.wait_for(keys.get(), TRY_AGAIN) in _LEAVE:
                return None


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
