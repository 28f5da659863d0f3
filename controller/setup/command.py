"""``tablekeeper setup``: questions, then the file."""

import argparse
import asyncio
import signal
import tomllib
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

from controller.characters import columns, padded
from controller.doctor.machine import Machine
from controller.errors import SettingsError, UsageError
from controller.settings import USUAL_CONFIG, read_settings
from controller.setup import service
from controller.setup.answers import GivenUp, Person
from controller.setup.document import text_of
from controller.setup.interview import Document, Interview
from controller.setup.replace import replace, require_writable
from controller.terminal import Terminal

WRITTEN: Final = 0
NOT_WRITTEN: Final = 1


def add_setup(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``setup``."""
    command = commands.add_parser(
        "setup",
        help="write a table's configuration by questions and by pressing things",
        description="Ask for the table, its game and its devices, and write its configuration.",
        epilog="Exit 0: written; 1: given up, and nothing was changed.",
    )
    command.add_argument(
        "--config", type=Path, default=USUAL_CONFIG, metavar="FILE", help=f"({USUAL_CONFIG})"
    )
    command.add_argument(
        "--service",
        action="store_true",
        help=f"ask nothing: fit the service's unit to {USUAL_CONFIG}, after a change by hand",
    )
    command.add_argument("--root", type=Path, default=Path("/"), help=argparse.SUPPRESS)
    command.add_argument(
        "--simulated", type=Path, metavar="DIR", help="practise with the simulated devices there"
    )
    command.set_defaults(run=_setup)


def _setup(options: argparse.Namespace) -> int:
    file: Path = options.config.resolve()
    console = Terminal(soft_wrap=True)
    if options.service:
        if options.config != USUAL_CONFIG or options.simulated:
            raise UsageError(f"setup: --service is for {USUAL_CONFIG}, with no other option")
        _fit(Machine(options.root), console)
        return WRITTEN
    require_writable(file)
    document = None
    try:
        document = asyncio.run(_asked(file, options.simulated, console))
        # From here on it is a moment's work, and what is said after it must be what has happened.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except (KeyboardInterrupt, GivenUp):
        document = None
        console.print()
    if document is not None:
        _write(file, document, console)
        return WRITTEN
    stands = "is as it was" if file.exists() else "was not written"
    console.print(f"Nothing was changed: {file} {stands}.")
    return NOT_WRITTEN


async def _asked(file: Path, folder: Path | None, console: Terminal) -> Document | None:
    """Return the new configuration, None if it is not wanted in the end."""
    person = Person(console)
    person.say("tablekeeper setup", "bold")
    person.say(f"A few questions, then {file} is written; Enter takes what stands in [ ].")
    person.say("Ctrl-C at any moment: nothing is changed.", "dim")
    person.say()
    old, fault = read_old(file)
    if fault:
        person.kindly(f"{fault}; you begin afresh, and it is kept under its date")
    document = await Interview(person, old, folder).document()
    person.say()
    _show(person, document)
    return document if await person.agrees(f"Write {file}") else None


def read_old(file: Path) -> tuple[Document, str]:
    """Return the configuration that is there ({} if none), and what is wrong with it."""
    if not file.exists():
        return {}, ""
    try:
        read_settings(file)
        return tomllib.loads(file.read_text(encoding="utf-8"), parse_float=Decimal), ""
    except SettingsError as fault:
        return {}, str(fault)


def _show(person: Person, document: Document) -> None:
    table = document["table"]
    person.say(f"{table['name']} · {table['game']} · cards from {table['source']}", "bold")
    wide = max(columns(name) for name in document["devices"])
    for name, device in document["devices"].items():
        person.say(f"  {padded(name, wide)}  {device['driver']} at {device['port']}")


def _write(file: Path, document: Document, console: Terminal) -> None:
    now = datetime.now().astimezone()
    heading = (
        f"Written by tablekeeper setup on {now:%Y-%m-%d %H:%M}; it may be changed by hand, too.\n"
        "Every key that is not known is an error, so that a slip of the pen is not overlooked."
    )
    kept = replace(file, text_of(document, heading), now)
    console.print(f"{file} is written.", style="green")
    if kept is not None:
        console.print(f"The old one is {kept}")
    if file == USUAL_CONFIG.resolve() and service.is_installed(Machine()):
        _fit(Machine(), console)
    console.print(f"Look at it all: tablekeeper doctor --config {file}")
    console.print("Start the table with it: sudo systemctl restart tablekeeper")


def _fit(machine: Machine, console: Terminal) -> None:
    for said in service.fit(machine):
        console.print(said)
