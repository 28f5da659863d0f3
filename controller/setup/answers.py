"""The person at the terminal: asks, takes lines, and gives every wrong answer another try."""

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from rich.text import Text

from controller.characters import taken
from controller.errors import TableError
from controller.terminal import Terminal
from drivers.worker import on_loop

NOTHING: Final = "-"
"""What is typed for "there is none"."""
_STANDARD_INPUT: Final = 0

T = TypeVar("T")


class GivenUp(TableError):
    """Nobody answers any more: the input has ended."""


class Person:
    """Takes lines from standard input, whatever it is; to be made on the event loop."""

    def __init__(self, console: Terminal) -> None:
        """Take where to write; begins to read."""
        self._console = console
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        # A thread, since a file cannot be waited for; os.read, since a buffered reader would hold
        # a lock that the interpreter wants at its end.
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        rest = b""
        while data := _typed():
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                on_loop(self._loop, self._lines.put_nowait, line.decode(errors="replace").strip())
        on_loop(self._loop, self._lines.put_nowait, None)

    def say(self, text: str = "", style: str = "") -> None:
        """Write a line."""
        self._console.print(Text(text, style))

    def well(self, text: str) -> None:
        """Write that something has worked."""
        self._console.print(Text.assemble(("✓ ", "green"), text))

    def kindly(self, text: str) -> None:
        """Write that something was not understood or has not worked, and what to do."""
        self._console.print(Text.assemble(("! ", "yellow"), text))

    def prompt(self, text: str) -> None:
        """Write a question and leave the cursor behind it."""
        self._console.print(Text(text, "bold"), end=" ")

    async def line(self) -> str:
        """Return the next line that is typed.

        Raises:
            GivenUp: there will be none.
        """
        line = await self._lines.get()
        if line is None:
            self._lines.put_nowait(None)
            raise GivenUp("the input has ended")
        return line

    async def line_within(self, seconds: float) -> str | None:
        """Return the next line, None if none is typed within the time.

        Raises:
            GivenUp: there will be none.
        """
        try:
            return await asyncio.wait_for(self.line(), seconds)
        except TimeoutError:
            return None

    async def ask(self, question: str, usual: str, check: Callable[[str], T]) -> T:
        """Return an answer that ``check`` takes; an empty one is the usual.

        ``check`` raises ValueError with a kind word for what it does not take.
        """
        while True:
            self.prompt(f"{question} [{usual}]:" if usual else f"{question}:")
            try:
                return check(taken(await self.line()) or usual)
            except ValueError as fault:
                self.kindly(str(fault))

    async def choose(self, question: str, options: Sequence[str], usual: int = 0) -> int:
        """Return which of the options is chosen, from 0."""
        if question:
            self.say(question, "bold")
        for number, option in enumerate(options, 1):
            self.say(f"  {number}  {option}")

        def check(text: str) -> int:
            for number, option in enumerate(options):
                if text in {str(number + 1), option}:
                    return number
            raise ValueError(f"{text!r} is none of them: type a number from 1 to {len(options)}")

        return await self.ask("Which", str(usual + 1), check)

    async def agrees(self, question: str, *, usual: bool = True) -> bool:
        """Return whether the answer is yes."""

        def check(text: str) -> bool:
            word = text.lower()
            if word in {"y", "yes"}:
                return True
            if word in {"n", "no"}:
                return False
            raise ValueError(f"{text!r} is neither yes nor no")

        return await self.ask(question, "yes" if usual else "no", check)


def _typed() -> bytes:
    try:
        return os.read(_STANDARD_INPUT, 4096)
    except OSError:
        return b""  # the terminal is gone
