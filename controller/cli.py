"""The command ``tablekeeper``."""

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from controller.errors import OutcomesDiffer, TableError, UsageError
from controller.eventlog.errors import EventLogError, LogHeld
from controller.journal import to_standard_error
from controller.scripts import play
from controller.service.run import run
from controller.settings import read_settings

BAD_USAGE = 2
EXIT = {LogHeld: 69, OutcomesDiffer: 70, UsageError: BAD_USAGE}
DO_NOT_START = 78


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (TableError, EventLogError) as fault:
        sys.stderr.write(f"tablekeeper: {fault}\n")
        return EXIT.get(type(fault), DO_NOT_START)
    except BrokenPipeError:
        # Whoever read our output has had enough of it.
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tablekeeper", description="The controller under a Blackjack or Pontoon table."
    )
    parser.add_argument("--version", action="version", version=version("tablekeeper"))
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_run(commands)
    _add_play(commands)
    return parser


def _add_run(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("run", help="run a table until it is told to stop")
    command.add_argument("--config", type=Path, required=True, metavar="FILE")
    command.add_argument(
        "--rehearsal", action="store_true", help="accept simulated ports and root; no real money"
    )
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    settings = read_settings(options.config)
    to_standard_error()
    run(settings, rehearsal=options.rehearsal)
    return 0


def _add_play(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    command = commands.add_parser("play", help="play round scripts on the real controller")
    command.add_argument("paths", nargs="+", type=Path, metavar="FILE_OR_DIR")
    command.add_argument("--over", choices=("wire", "direct"), default="wire")
    command.add_argument("--json", action="store_true", help="one JSON object a script")
    command.add_argument("--state", type=Path, metavar="DIR", help="keep the table's state there")
    command.add_argument("--trace", action="store_true", help="show bytes, events and clauses")
    command.set_defaults(run=_play)


def _play(options: argparse.Namespace) -> int:
    how = play.Options(options.over, options.json, options.state, options.trace)
    return play.play(options.paths, how)
