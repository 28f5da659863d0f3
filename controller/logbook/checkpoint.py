"""``tablekeeper log checkpoint``: one line to write down; and what was written down, read back."""

import argparse
import contextlib
import os
import sys
from pathlib import Path
from typing import Final

import msgspec

from controller.characters import printable
from controller.errors import UsageError
from controller.eventlog import EventLogError, Head, LogReader
from controller.eventlog.checkpoints import DAY_OPENED
from controller.eventlog.row import UNREADABLE
from controller.eventlog.writtendown import (
    EXAMPLE,
    FEWEST,
    NotWrittenDown,
    WrittenDown,
    line_to_write_down,
)
from controller.logbook.which import PATH_HELP, judged, opened, tell_faults

LARGEST_FILE: Final = 1_000_000
"""Bytes of a file of checkpoints or keys: nobody has kept more."""


class _Day(msgspec.Struct, frozen=True):
    """What tells a person which day's row a checkpoint is."""

    table: str = ""
    day: int = 0
    date: str = ""


def add_checkpoint(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the action to ``tablekeeper log``."""
    command = actions.add_parser(
        "checkpoint",
        help="one line to write down or photograph: how far the log goes now",
        description="One line to write down or photograph: how far the log goes now. Whoever kept"
        " it finds later (log verify --checkpoint) whether the log was cut off before that event,"
        " or rewritten up to it, even by somebody who has all its files and keys.",
    )
    command.add_argument("path", nargs="?", type=Path, metavar="PATH", help=PATH_HELP)
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    with opened(options.path) as checked:
        altered = tell_faults(checked)
        head = checked.reader.head
        if not head.seq:
            raise UsageError("this log has no events yet: there is nothing to write down")
        sys.stdout.write(printable(line_of(checked.reader, head)) + "\n")
        return judged(checked, altered=altered)


def line_at(path: Path, head: Head) -> str:
    """Return the line to write down of the log at a path, at one of its events."""
    with contextlib.suppress(EventLogError), contextlib.closing(LogReader.open(path)) as reader:
        return line_of(reader, head)
    return line_to_write_down(head)


def line_of(reader: LogReader, head: Head) -> str:
    """Return the line to write down of a log, at one of its events."""
    found = _Day()
    for day in reader.days():
        if day.first is not None and day.first <= head.seq:
            found = _day_of(day.fetch("SELECT kind, body FROM event ORDER BY seq LIMIT 1"))
    return line_to_write_down(head, found.table, found.day, found.date)


def _day_of(rows: list[tuple[str, str]]) -> _Day:
    for kind, body in rows:
        # A first row that cannot be read is for the verification to complain of.
        with contextlib.suppress(*UNREADABLE, UnicodeEncodeError):
            return msgspec.json.decode(body, type=_Day) if kind == DAY_OPENED else _Day()
    return _Day()


def checkpoints_of(text: str) -> list[WrittenDown]:
    """Return what an option gives: a checkpoint, or a file with one in each line.

    Raises:
        UsageError: it is neither, or one was mistyped.
    """
    found = _in(text, f"--checkpoint {_short(text)}")
    return [found] if found else _in_file(text)


def _in_file(text: str) -> list[WrittenDown]:
    where = f"--checkpoint {_short(text)}"
    what = f"neither SEQ:HASH as log checkpoint prints it ({EXAMPLE}) nor a file of them"
    otherwise = f"{what}; of the hash at least {FEWEST} digits"
    if not _is_file(text):
        raise UsageError(f"{where}: {otherwise}")
    lines = kept_lines(text, where, otherwise)
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        one = _in(line, f"{where}, line {number}")
        if one is None:
            raise UsageError(f"{where}, line {number}: there is no checkpoint, as {EXAMPLE}")
        found.append(one)
    if not found:
        raise UsageError(f"{where}: there is no checkpoint in this file, as {EXAMPLE}")
    return found


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def kept_lines(text: str, where: str, otherwise: str) -> list[str]:
    """Return the lines of a file that somebody kept; ``otherwise`` is said of what is none.

    Of a pipe that nobody writes to there are none, and of a device no more than of a file.

    Raises:
        UsageError: it is no file, is too large, or can't be read.
    """
    try:
        fd = os.open(text, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            os.set_blocking(fd, True)
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as fault:  # also a name that no file can have
        raise UsageError(f"{where}: {otherwise}: {fault}") from None
    if len(data) > LARGEST_FILE:
        raise UsageError(f"{where}: this is too large for what one keeps of a log")
    try:
        return data.decode().splitlines()
    except UnicodeDecodeError as fault:
        raise UsageError(f"{where}: it can't be read: {fault}") from None


def _in(line: str, where: str) -> WrittenDown | None:
    try:
        return WrittenDown.find(line)
    except NotWrittenDown as fault:
        raise UsageError(f"{where}: {fault}") from None


def _short(text: str) -> str:
    longest = 80
    return printable(text if len(text) <= longest else f"{text[:longest]}…")
