"""A PIN from somebody who types it, or from a pipe: never from a command line."""

import getpass
import sys
from typing import Final

from controller.characters import printable
from controller.errors import UsageError

LONGEST: Final = 64
"""Characters read of a line that should be a PIN."""


def pin_of(name: str) -> str:
    """Return the PIN of somebody who signs in: asked for without echo, or a line of a pipe.

    Raises:
        UsageError: there is none.
    """
    return _asked(f"PIN of {printable(name)}: ") if sys.stdin.isatty() else _line()


def new_pin_of(name: str) -> str:
    """Return a new PIN, typed the same twice, or once where a pipe gives it.

    Raises:
        UsageError: there is none, or the two differ.
    """
    if not sys.stdin.isatty():
        return _line()
    pin = _asked(f"new PIN of {printable(name)}: ")
    if _asked("the same again: ") != pin:
        raise UsageError("the two PINs differ: nothing was changed")
    return pin


def _asked(prompt: str) -> str:
    try:
        return getpass.getpass(prompt)
    except (EOFError, KeyboardInterrupt):
        raise UsageError("no PIN was typed") from None


def _line() -> str:
    line = sys.stdin.readline(LONGEST).rstrip("\r\n")
    if not line:
        raise UsageError("no PIN was given: type it, or give it as a line of standard input")
    return line
