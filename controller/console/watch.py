"""``tablekeeper watch``: a running table in any terminal, with the dealer's keys.

Somebody who may authorise can sign in there and say a word to the table.
"""

import asyncio
import contextlib
import os
import re
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.console import RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from controller.clock import mono_ms
from controller.console.lines import lines, news, opening
from controller.console.prompt import Credentials, Prompt, SayPrompt, SignInPrompt, Words
from controller.console.screen import screen
from controller.errors import TableGone
from controller.events import Ask
from controller.service.client import Client
from controller.service.gave_up import note_beside
from controller.terminal import Terminal

TRY_AGAIN: Final = 0.5
DRAW_AGAIN: Final = 1.0
"""Seconds between looks at how long somebody has been signed in."""
KEYS_DEVICE: Final = "keys"
_LEAVE: Final = "q"
_CLOSED: Final = "\x04"
_END: Final = frozenset({"\x03", _CLOSED})
_SIGN_IN: Final = "o"
_SAY: Final = ":"
_KEYS: Final = {
    **{key: key for key in "123456789=."},
    **{letter.lower(): letter for letter in "DPFSIE"},
    "\r": "enter",
    "\n": "enter",
    " ": "enter",
}
_NOTE: Final = "keys: 1-9 box, = same again, d p f s i e, space go on, o operator, : say, q leave"
_ESCAPES: Final = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|O.)")
"""What arrows and the like send: it holds digits, and means nothing here."""

Said = Callable[[Sequence[str]], Ask]
"""Gives what words ask for; its ValueError says how they are written."""


async def watch(socket: Path, said: Said) -> int:
    """Show the table until the person leaves; wait for it as long as it is away.

    Raises:
        TableGone: no table was ever there.
    """
    console = Terminal()
    client = await _first(socket, wait=console.is_terminal)
    if not console.is_terminal:
        assert client is not None
        await _tell(client)
        return 0
    keys: asyncio.Queue[str] = asyncio.Queue()
    with _typed(keys), Live(console=console, screen=True, auto_refresh=False) as live:
        await _Terminal(socket, said, keys, live).run(client)
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
    shown: dict[str, Any] = {}
    said = [*opening(table.view)]
    with contextlib.suppress(TableGone):
        while True:
            said += news(shown, table.view)
            shown = table.view
            sys.stdout.writelines(f"{line}\n" for line in said)
            sys.stdout.flush()
            said = [*lines(await table.next())]


class _Terminal:
    """One terminal: what it shows, and what is typed there."""

    def __init__(self, socket: Path, said: Said, keys: "asyncio.Queue[str]", live: Live) -> None:
        self._socket = socket
        self._said = said
        self._keys = keys
        self._live = live
        self._view: dict[str, Any] | None = None
        self._client: Client | None = None
        self._signed_in_at = 0
        # It outlives a table that goes away: what is typed on must not become presses.
        self._prompt: Prompt | None = None
        self._told = ""

    async def run(self, client: Client | None) -> None:
        """Show the table until the person leaves; None is a table that has given up."""
        if client is None:
            client = await self._come_back()
        while client is not None:
            self._client = client
            showing = asyncio.create_task(self._show(client))
            typing = asyncio.create_task(self._type(client))
            await asyncio.wait({showing, typing}, return_when=asyncio.FIRST_COMPLETED)
            left = typing.done() and not typing.cancelled() and typing.exception() is None
            for task in (showing, typing):
                task.cancel()
            await asyncio.gather(showing, typing, return_exceptions=True)
            await client.close()
            if left:
                return
            self._client = self._view = None
            client = await self._come_back()

    # --- what is shown ----------------------------------------------------------------------------

    async def _show(self, client: Client) -> None:
        table = await client.watch()
        while True:
            self._view = table.view
            self._draw()
            with contextlib.suppress(TimeoutError):
                await table.next(within=DRAW_AGAIN if client.signed_in else None)

    def _draw(self) -> None:
        if self._view is not None:
            self._live.update(screen(self._view, self._note()), refresh=True)

    def _note(self) -> str:
        """Return the line below the table: what is asked, or who is signed in and the keys."""
        if self._prompt is not None:
            return self._prompt.words
        return " · ".join(part for part in (self._told, self._operator(), _NOTE) if part)

    def _operator(self) -> str:
        operator = self._client.signed_in if self._client else None
        if operator is None:
            return ""
        minutes = (mono_ms() - self._signed_in_at) // 60_000
        return f"{operator['name']} ({operator['role']}) signed in {minutes} min"

    # --- what is typed ----------------------------------------------------------------------------

    async def _type(self, client: Client) -> None:
        """Hand the keys to the table, or to what is asked, until the person leaves."""
        while (key := await self._keys.get()) not in _END:
            if self._prompt is not None:
                await self._answer(client, self._prompt, key)
            elif key == _LEAVE:
                return
            else:
                await self._key(client, key)
            self._draw()

    async def _key(self, client: Client, key: str) -> None:
        self._told = ""
        if key == _SIGN_IN:
            self._prompt = SignInPrompt(client.signed_in["name"] if client.signed_in else "")
        elif key == _SAY:
            self._prompt = SayPrompt()
        elif key in _KEYS:
            answer = await client.press(KEYS_DEVICE, _KEYS[key])
            self._told = "" if answer["ok"] else answer["error"]

    async def _answer(self, client: Client, prompt: Prompt, key: str) -> None:
        typed = prompt.feed(key)
        if typed is None:
            return
        # Closed when it is answered, not before: a table that goes away meanwhile changes nothing.
        match typed:
            case Credentials(name=""):
                if client.signed_in:
                    await client.sign_out()
            case Credentials():
                await self._sign_in(client, typed)
            case Words(words=words) if words:
                await self._say(client, words)
        self._prompt = None

    async def _sign_in(self, client: Client, typed: Credentials) -> None:
        answer = await client.sign_in(*typed)
        self._signed_in_at = mono_ms()
        self._told = "" if answer["ok"] else f"not signed in: {answer['error']}"

    async def _say(self, client: Client, words: Sequence[str]) -> None:
        try:
            ask = self._said(words)
        except ValueError as fault:
            self._told = str(fault)
            return
        answer = await client.ask(msgspec.to_builtins(ask))
        if not answer["ok"]:
            self._told = answer["error"]
        elif answer["accepted"]:
            self._told = "accepted"
        else:
            self._told = f"refused by {answer['rule']}: {answer['why']}"

    async def _come_back(self) -> Client | None:
        """Wait for the table; None if the person leaves meanwhile."""
        while True:
            self._live.update(_away(self._socket), refresh=True)
            with contextlib.suppress(TableGone):
                return await Client.connect(self._socket)
            with contextlib.suppress(TimeoutError):
                key = await asyncio.wait_for(self._keys.get(), TRY_AGAIN)
                if key in _END or (self._prompt is None and key == _LEAVE):
                    return None
                if self._prompt is not None and self._prompt.feed(key) is not None:
                    self._prompt = None
                    self._told = "the table was away: type it again"


def _away(socket: Path) -> RenderableType:
    note = note_beside(socket)
    if not note:
        return Text("The table is gone. Waiting for it; q leaves.")
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
        with contextlib.suppress(termios.error):  # it was closed
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _read(terminal: int, keys: "asyncio.Queue[str]") -> None:
    typed = ""
    with contextlib.suppress(OSError):
        typed = os.read(terminal, 64).decode("utf-8", "replace")
    if not typed:  # it was closed, and would be ready to be read for ever
        asyncio.get_running_loop().remove_reader(terminal)
        keys.put_nowait(_CLOSED)
    for key in _ESCAPES.sub("", typed):
        keys.put_nowait(key)
