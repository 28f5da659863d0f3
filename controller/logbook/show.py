"""``tablekeeper log show``: a round told as a story, or the log line by line."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from controller.characters import printable
from controller.errors import UsageError
from controller.eventlog import Readable, lines
from controller.logbook.find import find_round
from controller.logbook.reading import Gap, rows_and_gaps
from controller.logbook.story import story_of
from controller.logbook.telling import told
from controller.logbook.which import ALTERED, CHECKS, INTACT, PATH_HELP, judged, opened, tell_faults

USAGE: Final = (
    "log show ROUND [PATH] tells a round, log show [--round N] [PATH] gives one line an event"
)


class Meant(NamedTuple):
    """What is to be shown: a round's story, or lines (of a round, if one is named)."""

    story: int | None
    lines_of: int | None
    path: Path | None


def add_show(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the action ``show``."""
    command = actions.add_parser(
        "show",
        help="tell a round: what happened, why, what was paid; or one line an event",
        description="With a ROUND: what happened in it, why, and what was paid. Without: the log "
        "as it is, one line an event.",
        epilog=CHECKS,
    )
    command.add_argument(
        "--round", type=round_number, metavar="N", help="one line an event, of this round only"
    )
    command.add_argument(
        "what", nargs="*", metavar="ROUND|PATH", help=f"a round's number; {PATH_HELP}"
    )
    command.set_defaults(run=_show)


def round_number(text: str) -> int:
    """Return the number of a round; argparse says so if it is none."""
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of a round")
    return int(text)


def _show(options: argparse.Namespace) -> int:
    what = meant(options.what, options.round)
    with opened(what.path) as reader:
        altered = tell_faults(reader)
        try:
            if what.story is not None:
                status = _tell(reader, what.story)
            else:
                status = _list(reader, what.lines_of)
            altered = altered or status == ALTERED
        except UsageError as fault:
            if not altered and not reader.altered:
                raise
            sys.stderr.write(f"tablekeeper: {printable(str(fault))}\n")  # it may have been there
    return judged(reader, altered=altered)


def meant(words: Sequence[str], lines_of: int | None) -> Meant:
    """Tell the round's number from the path, whichever comes first.

    Raises:
        UsageError: there are too many of either; says how it is written.
    """
    numbers = [word for word in words if word.isascii() and word.isdigit()]
    paths = [word for word in words if word not in numbers]
    if len(numbers) > 1 or len(paths) > 1:
        raise UsageError(f"log show: one round and one path: {USAGE} (a folder 12 is ./12)")
    if numbers and lines_of is not None:
        raise UsageError(f"log show: a round twice: {USAGE}")
    story = int(numbers[0]) if numbers else None
    return Meant(story, lines_of, Path(paths[0]) if paths else None)


def _tell(reader: Readable, number: int) -> int:
    story = story_of(number, find_round(reader, number))
    for line in told(story):
        sys.stdout.write(printable(line) + "\n")
    sys.stdout.flush()
    return ALTERED if story.damaged else INTACT


def _list(reader: Readable, round_: int | None) -> int:
    status = INTACT
    for item in rows_and_gaps(reader):
        if isinstance(item, Gap):
            status = ALTERED
            _say([printable(item.words())])
        elif round_ is None or item.round == round_:
            _say(lines([item]))
    sys.stdout.flush()
    return status


def _say(said: Iterator[str] | Sequence[str]) -> None:
    for line in said:
        sys.stdout.write(line + "\n")
