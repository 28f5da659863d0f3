"""The command ``tablekeeper``.

What a command stands on is imported when it is asked for: they have little in common, and who asks
for one should not wait for all.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final, TypeAlias

from controller.ending import end_as_by_ctrl_c
from controller.errors import (
    OutcomesDiffer,
    OutputLost,
    SettingsError,
    TableError,
    TableGone,
    TableHeld,
    UsageError,
)
from controller.eventlog.errors import EventLogError, LogHeld, NotALog
from controller.streams import take_over
from controller.terminal import write_plain_text
from controller.zone import check_zone

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001 - it has no public name

BAD_USAGE = 2
OUTPUT_LOST = 74
INTERRUPTED = 130
"""As a shell has it for Ctrl-C."""
EXIT = {
    LogHeld: 69,
    TableHeld: 69,
    OutcomesDiffer: 70,
    OutputLost: OUTPUT_LOST,
    UsageError: BAD_USAGE,
    NotALog: BAD_USAGE,
    TableGone: BAD_USAGE,
}
DO_NOT_START = 78


def program() -> int:
    """Run the command of this process, with its standard streams, and return its exit status."""
    take_over()
    return main()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    write_plain_text()
    status = None
    try:
        try:
            status = _carry_out(arguments)
        except (TableError, EventLogError) as fault:
            return _told(fault)
        finally:
            sys.stdout.flush()  # here, where what cannot be written can still be told
    except OutputLost as lost:
        return status if lost.reader_left and status is not None else _told(lost)
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _carry_out(arguments: Sequence[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    options = _parser(words).parse_args(words)
    check_zone()
    try:
        return int(options.run(options))
    except OutputLost as lost:
        if lost.reader_left:
            return int(options.without_reader)
        raise


def _told(fault: TableError | EventLogError) -> int:
    """Say what is wrong and return the exit status that says whose fault it is."""
    if not (isinstance(fault, OutputLost) and fault.reader_left):
        sys.stderr.write(f"tablekeeper: {fault}\n")
    return EXIT.get(type(fault), DO_NOT_START)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser for these words; it knows all commands where they name none of them."""
    parser = argparse.ArgumentParser(
        prog="tablekeeper", description="The controller under a Blackjack or Pontoon table."
    )
    parser.add_argument("--version", action="version", version=version("tablekeeper"))
    # Whoever reads our output may have had enough of it; only not of a verdict.
    parser.set_defaults(without_reader=0)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for word in words[:1] if words and words[0] in _COMMANDS else _COMMANDS:
        _COMMANDS[word](commands)
    return parser


def _add_run(commands: Commands) -> None:
    command = commands.add_parser("run", help="run a table until it is told to stop")
    command.add_argument("--config", type=Path, required=True, metavar="FILE")
    command.add_argument(
        "--rehearsal",
        action="store_true",
        help="accept simulated ports, root and claimed roles; no real money",
    )
    command.add_argument(
        "--capture", type=Path, metavar="FILE", help="keep every byte of each device in FILE.DEVICE"
    )
    command.add_argument("--until-stdin-closes", action="store_true", help=argparse.SUPPRESS)
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from controller.custody import Custodian
    from controller.journal import to_standard_error
    from controller.service.run import run
    from controller.settings import read_settings, require_own

    settings = read_settings(options.config, None if options.rehearsal else Custodian())
    if not options.rehearsal:
        require_own(settings)
    to_standard_error()
    try:
        run(
            settings,
            rehearsal=options.rehearsal,
            capture=options.capture,
            until_stdin_closes=options.until_stdin_closes,
        )
    except NotALog as fault:
        raise SettingsError(str(fault)) from None
    except OutcomesDiffer as difference:
        way_out = f"tablekeeper recover --config {options.config}"
        raise OutcomesDiffer(
            f"{difference}; a casino supervisor says how it goes on: {way_out}"
        ) from difference
    return 0


def _add_play(commands: Commands) -> None:
    command = commands.add_parser("play", help="play round scripts on the real controller")
    command.add_argument("paths", nargs="+", type=Path, metavar="FILE_OR_DIR")
    command.add_argument("--over", choices=("wire", "direct"), default="wire")
    command.add_argument("--json", action="store_true", help="one JSON object a script")
    command.add_argument("--state", type=Path, metavar="DIR", help="keep the table's state there")
    command.add_argument("--trace", action="store_true", help="show bytes, events and clauses")
    command.set_defaults(run=_play)


def _play(options: argparse.Namespace) -> int:
    from controller.scripts import play

    end_as_by_ctrl_c()
    how = play.Options(options.over, options.json, options.state, options.trace)
    return play.play(options.paths, how)


def _add_demo(commands: Commands) -> None:
    from controller.demo.run import SOURCES

    command = commands.add_parser("demo", help="rounds of Pontoon on simulated hardware")
    command.add_argument("--rounds", type=_count, metavar="N", help="play N more rounds and end")
    command.add_argument("--fast", action="store_true", help="without the human pace")
    command.add_argument("--seed", type=int, metavar="S", help="repeat cards, wagers, decisions")
    command.add_argument("--state", type=Path, metavar="DIR", help="where log and pack are kept")
    command.add_argument("--json", action="store_true", help="each new event as a JSON line")
    command.add_argument(
        "--source", choices=SOURCES, default="shoe", help="where the cards come from"
    )
    command.set_defaults(run=_demo)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rounds")
    return int(text)


def _demo(options: argparse.Namespace) -> int:
    from controller.demo import run as demo

    how = demo.Options(
        options.rounds, options.fast, options.seed, options.state, options.json, options.source
    )
    return demo.demo(how)


def _add_watch(commands: Commands) -> None:
    command = commands.add_parser("watch", help="show a running table and type the dealer's keys")
    command.add_argument("--socket", type=Path, metavar="PATH", help="the table's control socket")
    command.set_defaults(run=_watch)


def _watch(options: argparse.Namespace) -> int:
    import asyncio

    from controller.console.watch import watch
    from controller.scripts.house import said
    from controller.service.nearest import nearest_socket

    end_as_by_ctrl_c()
    try:
        return asyncio.run(watch(options.socket or nearest_socket(), said))
    except KeyboardInterrupt:
        return 0


def _add_log(commands: Commands) -> None:
    from controller.logbook.checkpoint import add_checkpoint
    from controller.logbook.export import add_export
    from controller.logbook.rounds import add_rounds
    from controller.logbook.show import add_show
    from controller.logbook.verify import add_keys, add_verify

    command = commands.add_parser("log", help="ask, show, verify or export an event log")
    actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
    add_rounds(actions)
    add_show(actions)
    add_verify(actions)
    add_keys(actions)
    add_checkpoint(actions)
    add_export(actions)


def _add_simulate_device(commands: Commands) -> None:
    command = commands.add_parser(
        "simulate-device", help="one simulated device with a prompt, to try a host against"
    )
    command.add_argument("name", metavar="NAME", help="shoe, shuffler-1, buttons, meter, ...")
    command.add_argument("--port", metavar="PATH", help="serve this serial port instead of its own")
    command.set_defaults(run=_simulate_device)


def _simulate_device(options: argparse.Namespace) -> int:
    import subprocess

    # Simulated devices are a program of their own: nothing of them is imported here.
    port = ["--port", options.port] if options.port else []
    program = [sys.executable, "-m", "drivers.simulated", "--one", options.name, *port]
    return subprocess.run(program, check=False).returncode


def _add_operators(commands: Commands) -> None:
    from controller.operators.command import add_operators

    add_operators(commands)


def _add_recover(commands: Commands) -> None:
    from controller.recover import add_recover

    add_recover(commands)


def _add_rules(commands: Commands) -> None:
    from controller.rulebook.command import add_rules

    add_rules(commands)


def _add_say(commands: Commands) -> None:
    from controller.say import add_say

    add_say(commands)


def _add_signs(commands: Commands) -> None:
    from controller.signs import add_signs

    add_signs(commands)


def _add_between_rounds(commands: Commands) -> None:
    from controller.upgrade import add_between_rounds

    add_between_rounds(commands)


def _add_doctor(commands: Commands) -> None:
    from controller.doctor.command import add_doctor

    add_doctor(commands)


def _add_devices(commands: Commands) -> None:
    from controller.devices.command import add_devices

    add_devices(commands)


def _add_setup(commands: Commands) -> None:
    from controller.setup.command import add_setup

    add_setup(commands)


_COMMANDS: Final[Mapping[str, Callable[[Commands], None]]] = {
    "run": _add_run,
    "play": _add_play,
    "demo": _add_demo,
    "watch": _add_watch,
    "simulate-device": _add_simulate_device,
    "log": _add_log,
    "operators": _add_operators,
    "recover": _add_recover,
    "rules": _add_rules,
    "say": _add_say,
    "signs": _add_signs,
    "between-rounds": _add_between_rounds,
    "doctor": _add_doctor,
    "devices": _add_devices,
    "setup": _add_setup,
}
"""What each command adds to the parser, in the order of the help."""
