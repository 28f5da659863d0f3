"""``tablekeeper between-rounds``: wait until the running table may be started anew.

The installer asks so before it puts another version in the place of the one that runs.  A table
that is ended in mid-round goes on where it was; it is only that nobody should have to wait for it
with cards in the hands.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from controller.errors import TableGone
from controller.service.client import Client
from controller.service.nearest import nearest_socket
from controller.table.view import is_between_rounds

BETWEEN: Final = 0
NOT_YET: Final = 1


def add_between_rounds(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``between-rounds``."""
    command = commands.add_parser(
        "between-rounds",
        help="wait until the running table is between two rounds",
        description="Wait until the running table is between two rounds, as an upgrade does. "
        "Exit status 0 then, or if the table ends meanwhile; 1 if it was not within the time.",
    )
    command.add_argument(
        "--within", type=float, metavar="SECONDS", help="wait no longer than so many seconds"
    )
    command.add_argument("--socket", type=Path, metavar="PATH", help="the table's control socket")
    command.set_defaults(run=_between_rounds)


def _between_rounds(options: argparse.Namespace) -> int:
    try:
        asyncio.run(_wait(options.socket or nearest_socket(), options.within, _say))
    except TimeoutError:
        _say(f"the round did not end within {options.within:g} s")
        return NOT_YET
    except KeyboardInterrupt:
        return NOT_YET
    return BETWEEN


async def _wait(socket: Path, within: float | None, say: Callable[[str], None]) -> None:
    """Wait for the end of the round, and say what is waited for each time that it changes.

    Raises:
        TableGone: no table is there to begin with.
        TimeoutError: it takes longer than ``within`` seconds.
    """
    client = await Client.connect(socket)
    try:
        async with asyncio.timeout(within):
            await _until_between(client, say)
    finally:
        await client.close()


async def _until_between(client: Client, say: Callable[[str], None]) -> None:
    said = ""
    try:
        table = await client.watch()
        while table.view["trouble"] or not is_between_rounds(table.view):
            if (words := _waits_for(table.view)) != said:
                say(words)
                said = words
            await table.next()
    except TableGone:
        say("the table has ended meanwhile")
        return
    say(f"{table.view['table']} is between two rounds")


def _waits_for(seen: dict[str, Any]) -> str:
    if seen["trouble"]:
        return f"waiting for the disk of {seen['table']}: it is slow or refuses"
    what = f"waiting for the end of round {seen['round']} at {seen['table']}"
    return f"{what} ({seen['state']}): {seen['next']}"


def _say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()
