"""What is typed in a demo's terminal: trouble for the simulated devices, to see what comes of it.

A line is what hands or bad luck do: ``unplug shoe``, ``plug shoe``, ``fault shuffler-1 jam``,
``clear shuffler-1 jam``, ``raw shoe 0541``, ``press pedal left``, ``switch shoe junk 4154``.
"""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from controller.errors import TableGone
from controller.rehearsal.simulator import Simulator

_FIELDS: Final = {
    "unplug": (),
    "plug": (),
    "fault": ("code",),
    "clear": ("code",),
    "raw": ("hex",),
    "press": ("control",),
    "switch": ("name", "value"),
}
"""The words that follow the device, by what is done."""


def request_of(line: str) -> tuple[str, dict[str, Any]]:
    """Return what a typed line asks of the simulated devices.

    Raises:
        ValueError: nothing of the kind; says what can be typed.
    """
    what, *words = line.split()
    if what not in _FIELDS:
        raise ValueError(f"type one of {', '.join(_FIELDS)}, then the device")
    fields = ("device", *_FIELDS[what])
    optional = 1 if what == "switch" else 0
    if not len(fields) - optional <= len(words) <= len(fields):
        raise ValueError(f"type {what} {' '.join(field.upper() for field in fields)}")
    asked: dict[str, Any] = dict(zip(fields, words, strict=False))
    if "value" in asked:
        asked["value"] = _value(asked["value"])
    elif what == "switch":
        asked["value"] = True
    return what, asked


def _value(text: str) -> bool | int | str:
    if text in {"on", "off"}:
        return text == "on"
    return int(text) if text.isascii() and text.isdigit() else text


@contextlib.asynccontextmanager
async def typing(simulator: Simulator, say: Callable[[str], None]) -> AsyncIterator[None]:
    """Carry out what is typed, a line each, while the demo plays; ``say`` tells what became of it.

    Only in a terminal: otherwise standard input is left alone.
    """
    if not sys.stdin.isatty():
        yield
        return
    loop = asyncio.get_running_loop()
    doing: set[asyncio.Task[None]] = set()

    def line_typed() -> None:
        line = ""
        with contextlib.suppress(OSError):
            line = sys.stdin.readline()
        if not line:  # the terminal was closed, and would be ready to be read for ever
            loop.remove_reader(sys.stdin)
            return
        task = asyncio.ensure_future(_carry_out(line, simulator, say))
        doing.add(task)
        task.add_done_callback(doing.discard)

    loop.add_reader(sys.stdin, line_typed)
    try:
        yield
    finally:
        loop.remove_reader(sys.stdin)
        for task in doing:
            task.cancel()


async def _carry_out(line: str, simulator: Simulator, say: Callable[[str], None]) -> None:
    if not line.strip():
        return
    try:
        what, fields = request_of(line)
        await simulator.do(what, **fields)
    except (ValueError, TableGone) as fault:
        say(str(fault))
    else:
        say(f"done: {line.strip()}")
