"""What the program writes for people, on terminals and into pipes: text, and nothing but text.

Standard output and standard error write out what cannot be seen, whoever wrote it and wherever it
comes from (`controller.characters`).  Bytes written to their ``buffer`` stay as they are: those are
for programs.  What Rich draws goes through a console of its own that interprets no markup.
"""

import sys
from collections.abc import Iterable
from typing import Any, Final, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from controller.characters import printable

_LINES: Final = "\n"


class PlainText:
    """A stream that lets through only what can be seen, and ends of lines; else as it was."""

    def __init__(self, beneath: TextIO) -> None:
        self.beneath = beneath

    def write(self, text: str) -> int:
        """Write a text; what cannot be seen is written out."""
        self.beneath.write(printable(text, keep=_LINES))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)


def write_plain_text() -> None:
    """Let standard output and standard error write nothing else from now on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, PlainText):
            setattr(sys, name, PlainText(stream))


def beneath(stream: TextIO) -> TextIO:
    """Return the stream that a terminal's own commands are written to."""
    return cast(TextIO, getattr(stream, "beneath", stream))


def write_row(line: bytes) -> None:
    """Write a row of a log as JSON: its very bytes for a program, its values for a terminal."""
    if sys.stdout.isatty():
        sys.stdout.write(line.decode("utf-8", "surrogateescape") + _LINES)
    else:
        sys.stdout.buffer.write(line + b"\n")


class Terminal(Console):
    """Rich's console for standard output: a text is shown as it stands, markup and all."""

    def __init__(self, **how: Any) -> None:
        """Take what `rich.console.Console` takes."""
        plain: dict[str, Any] = {"markup": False, "emoji": False, "highlight": False}
        super().__init__(**{"file": beneath(sys.stdout), **plain, **how})

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render as Rich does; what cannot be seen is written out."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable(segment.text, keep=_LINES), segment.style)
