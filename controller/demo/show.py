"""What a person sees of a demo: the live screen, plain lines, or the log's own JSON lines."""

import contextlib
import sys
from pathlib import Path
from typing import Any, Protocol

from rich.live import Live

from controller.console.lines import lines
from controller.console.screen import screen
from controller.eventlog.errors import NotALog
from controller.eventlog.read import LogReader
from controller.eventlog.row import as_json_line
from controller.terminal import Terminal, write_row


class Show(Protocol):
    """Somebody who is told of every event that is on disk."""

    def tell(self, rows: list[dict[str, Any]], view: dict[str, Any]) -> None:
        """Show the rows and the view of an event."""

    def say(self, words: str) -> None:
        """Show what became of something that was typed."""

    def close(self) -> None:
        """Show what is still to be shown, and leave the terminal as it was."""


class Screen:
    """The table as it stands, redrawn in place."""

    def __init__(self, console: Terminal) -> None:
        self._live = Live(console=console, auto_refresh=False, vertical_overflow="crop")
        self._live.start()
        self._note = "Ctrl-C ends the demo; type unplug shoe, fault shuffler-1 jam, ..."

    def say(self, words: str) -> None:
        """Show it under the table."""
        self._note = words

    def tell(self, rows: list[dict[str, Any]], view: dict[str, Any]) -> None:
        """Draw the table as it is now."""
        self._live.update(screen(view, self._note), refresh=True)

    def close(self) -> None:
        """Leave the last picture standing."""
        self._live.stop()


class Lines:
    """One line an event, for pipes and files."""

    def tell(self, rows: list[dict[str, Any]], view: dict[str, Any]) -> None:
        """Write what happened."""
        for line in lines(rows):
            sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def say(self, words: str) -> None:
        """Write it as a line of its own."""
        sys.stdout.write(words + "\n")

    def close(self) -> None:
        """Nothing is held back."""


class JsonLines:
    """The log's own rows, read from the log itself: what is printed is on disk."""

    def __init__(self, state: Path, since: int) -> None:
        self._state = state
        self._last = since
        self._reader: LogReader | None = None

    def tell(self, rows: list[dict[str, Any]], view: dict[str, Any]) -> None:
        """Print every row that was not printed yet."""
        self._print_new()

    def _print_new(self) -> None:
        if self._reader is None:
            self._reader = LogReader.open(self._state)
        for row in self._reader.rows(since=self._last):
            write_row(as_json_line(row))
            self._last = row.seq
        sys.stdout.flush()

    def say(self, words: str) -> None:
        """Write it where it disturbs no line of the log."""
        sys.stderr.write(words + "\n")

    def close(self) -> None:
        """Print what the controller recorded last."""
        with contextlib.suppress(NotALog):  # no table was opened
            self._print_new()
        if self._reader is not None:
            self._reader.close()
