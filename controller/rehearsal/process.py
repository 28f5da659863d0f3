"""Processes that are started here, watched here and ended here."""

import asyncio
import contextlib
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from controller.errors import TableGone

READY_WITHIN: Final = 30.0
END_WITHIN: Final = 10.0


class Child:
    """One child process; what it prints on standard error is kept in a file."""

    def __init__(self, name: str, process: Process, errors: Path) -> None:
        self.name = name
        self._process = process
        self._errors = errors

    @classmethod
    async def start(cls, name: str, arguments: Sequence[str], errors: Path) -> "Child":
        """Start ``python -m`` with the arguments.  It ends with us: its input is ours to close."""
        with errors.open("ab") as err:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", *arguments, stdin=PIPE, stdout=PIPE, stderr=err,
                start_new_session=True,
            )  # fmt: skip
        return cls(name, process, errors)

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    async def ready(self) -> dict[str, object]:
        """Return the JSON line that the child prints when it is ready.

        Raises:
            TableGone: it ended instead, or said nothing for too long.
        """
        assert self._process.stdout is not None
        try:
            line = await asyncio.wait_for(self._process.stdout.readline(), READY_WITHIN)
            said: dict[str, object] = msgspec.json.decode(line)
        except (TimeoutError, msgspec.DecodeError):
            raise TableGone(f"{self.name} did not start: {self.last_words()}") from None
        return said

    def last_words(self) -> str:
        """Return the last line that the child wrote on standard error."""
        lines = self._errors.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    async def ended(self) -> int:
        """Wait until it ends; return its exit status (negative: the signal that ended it)."""
        return await self._process.wait()

    def kill(self) -> None:
        """End it at once, as a power cut does."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def end(self) -> None:
        """End it in an orderly way, or at once if that takes too long."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)
            if self._process.stdin is not None:
                self._process.stdin.close()
            try:
                await asyncio.wait_for(self._process.wait(), END_WITHIN)
            except TimeoutError:
                self.kill()
        await self._process.wait()
