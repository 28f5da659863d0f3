"""``tablekeeper devices``: the list, for people or as JSON."""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Final

import msgspec

from controller.characters import printable_as
from controller.devices.gather import Gathered, gather
from controller.devices.show import show
from controller.settings import USUAL_CONFIG, USUAL_SOCKET, read_settings
from controller.terminal import Terminal

WIDE_ENOUGH: Final = 140
"""Columns where nobody's terminal says how wide it is."""


def add_devices(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``devices``."""
    command = commands.add_parser(
        "devices",
        help="what is plugged in, what is configured, and how it does",
        description="List the devices of the table and of the machine.  Opens none of them.",
    )
    command.add_argument(
        "--config", type=Path, metavar="FILE", help=f"the table's ({USUAL_CONFIG}, if it is there)"
    )
    command.add_argument("--socket", type=Path, metavar="PATH", help="the table's control socket")
    command.add_argument(
        "--simulated", type=Path, metavar="DIR", help="look at the simulated devices there, too"
    )
    command.add_argument("--json", action="store_true", help="one JSON object")
    command.set_defaults(run=_devices)


def _devices(options: argparse.Namespace) -> int:
    file = options.config or (USUAL_CONFIG if USUAL_CONFIG.exists() else None)
    settings = None if file is None else read_settings(file)
    socket = options.socket or (settings.socket if settings else USUAL_SOCKET)
    found = asyncio.run(gather(settings, socket, options.simulated))
    gathered = printable_as(found, Gathered)
    if options.json:
        sys.stdout.write(msgspec.json.encode(gathered).decode() + "\n")
        return 0
    console = Terminal()
    show(gathered, console if console.is_terminal else Terminal(width=WIDE_ENOUGH))
    return 0
