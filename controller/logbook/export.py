"""``tablekeeper log export``: the events as they were recorded, for other programs."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from controller.characters import printable
from controller.errors import UsageError
from controller.eventlog import Row, as_json_line
from controller.logbook.deliver import delivered
from controller.logbook.formats import FORMATS, check_parquet
from controller.logbook.reading import Gap, rows_and_gaps
from controller.logbook.show import round_number
from controller.logbook.when import ALLOWED, Span, span
from controller.logbook.which import CHECKS, PATH_HELP, judged, opened, tell_faults
from controller.terminal import write_row

PARQUET: Final = "parquet"
JSON_LINES: Final = "jsonl"


def add_export(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the action ``export``."""
    command = actions.add_parser(
        "export",
        help="every event as it was recorded",
        description="Every event as it was recorded: JSON lines, which anybody can check with "
        "FORMAT.md (a whole log, not a part), comma-separated values, or a Parquet file.",
        epilog=f"WHEN is {ALLOWED}, in this machine's time zone. {CHECKS}",
    )
    command.add_argument("--format", choices=tuple(FORMATS), default=JSON_LINES)
    command.add_argument("--since", metavar="WHEN", help="events of then or later")
    command.add_argument("--until", metavar="WHEN", help="events of then or earlier")
    command.add_argument("--round", type=round_number, metavar="N", help="events of this round")
    command.add_argument("--output", type=Path, metavar="FILE", help="a file that is not there yet")
    command.add_argument("--force", action="store_true", help="replace the file if it is there")
    command.add_argument("path", nargs="?", type=Path, metavar="PATH", help=PATH_HELP)
    command.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    when = span(options.since, options.until)
    if options.format == PARQUET:
        check_parquet()
        if options.output is None:
            raise UsageError("--format parquet needs --output FILE: it is no text for a terminal")
    with opened(options.path) as reader:
        altered = tell_faults(reader)
        taken = Taken(rows_and_gaps(reader), when, options.round)
        if options.output is None:
            _write_out(taken, options.format)
            sys.stdout.flush()
        else:
            with delivered(options.output, force=options.force) as out:
                FORMATS[options.format](taken, out)
            sys.stdout.write(f"{options.output}: {taken.count:,} events\n")
    return judged(reader, altered=altered or taken.altered)


def _write_out(taken: Iterable[Row], form: str) -> None:
    if form == JSON_LINES and sys.stdout.isatty():
        for row in taken:
            write_row(as_json_line(row))
    else:
        FORMATS[form](taken, sys.stdout.buffer)


class Taken(Iterable[Row]):
    """The rows that are wanted, counted; what can't be read is told on standard error."""

    def __init__(self, items: Iterator[Row | Gap], when: Span, round_: int | None) -> None:
        self._items = items
        self._when = when
        self._round = round_
        self.count = 0
        self.altered = False

    def __iter__(self) -> Iterator[Row]:
        """Yield them."""
        for item in self._items:
            if isinstance(item, Gap):
                self.altered = True
                sys.stderr.write(printable(item.words()) + "\n")
            elif self._when.holds(item.at) and self._round in {None, item.round}:
                self.count += 1
                yield item
