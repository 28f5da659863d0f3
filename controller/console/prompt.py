"""What somebody types below the table: a name and a PIN, or a word to the table.

While a prompt is open no key reaches the table: a PIN must never become presses in the log.
"""

import contextlib
from typing import Final, NamedTuple, Protocol

from controller.characters import taken

ENTER: Final = frozenset({"\r", "\n"})
_BACKSPACE: Final = frozenset({"\x7f", "\b"})


class Credentials(NamedTuple):
    """Who wants to sign in; an empty name signs out."""

    name: str
    pin: str


class Words(NamedTuple):
    """What is said to the table."""

    words: tuple[str, ...]


class Prompt(Protocol):
    """Something that is typed key by key."""

    @property
    def words(self) -> str:
        """What is asked, and what may be shown of the answer."""
        ...

    def feed(self, key: str) -> Credentials | Words | None:
        """Take a key; return what was typed when it is all."""
        ...


class SignInPrompt:
    """Asks for an operator's name, then for the PIN, of which nothing is shown."""

    def __init__(self, signed_in: str = "") -> None:
        self._signed_in = signed_in
        self._name = ""
        self._pin: str | None = None

    @property
    def words(self) -> str:
        """What is asked."""
        if self._pin is not None:
            return f"PIN of {self._name} (it is not shown), then Enter:"
        alone = f"signs {self._signed_in} out" if self._signed_in else "goes back"
        return f"operator's name (Enter alone {alone}): {self._name}_"

    def feed(self, key: str) -> Credentials | None:
        """Take a key; return name and PIN when both were typed."""
        if self._pin is None:
            if key in ENTER and not self._name:
                return Credentials("", "")
            if key in ENTER:
                self._pin = ""
            else:
                self._name = _typed(self._name, key)
            return None
        if key in ENTER:
            return Credentials(self._name, self._pin)
        self._pin = _typed(self._pin, key)
        return None


class SayPrompt:
    """Asks for a word to the table, as ``tablekeeper say`` takes it."""

    def __init__(self) -> None:
        self._line = ""

    @property
    def words(self) -> str:
        """What is asked."""
        return f"say, as limits 10 500 (Enter alone goes back): {self._line}_"

    def feed(self, key: str) -> Words | None:
        """Take a key; return the words when they are all there."""
        if key in ENTER:
            return Words(tuple(self._line.split()))
        self._line = _typed(self._line, key)
        return None


def _typed(text: str, key: str) -> str:
    if key in _BACKSPACE:
        return text[:-1]
    with contextlib.suppress(ValueError):
        return taken(text + key)
    return text
