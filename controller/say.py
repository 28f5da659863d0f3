"""``tablekeeper say``: a word to a running table, around its round."""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.demo.run import nearest_socket
from controller.errors import TableGone, UsageError
from controller.events import Ask
from controller.scripts.house import HOUSE_WORDS, said
from controller.service.client import Client
from controller.table.roles import DEALER, ROLES

ACCEPTED: Final = 0
REFUSED: Final = 1


def add_say(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``say``."""
    lines = "\n".join(f"  {word} {told.usage}" for word, told in HOUSE_WORDS.items())
    command = commands.add_parser(
        "say",
        help="say a word to a running table: limits, restrictions, reserved boxes, ...",
        description="Say a word to a running table.  Amounts are dollars.",
        epilog=f"what can be said:\n{lines}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("words", nargs="+", metavar="WORD", help="what is said, as: limits 10 500")
    command.add_argument(
        "--as", dest="role", choices=ROLES, default=DEALER, metavar="ROLE", help=", ".join(ROLES)
    )
    command.add_argument("--socket", type=Path, metavar="PATH", help="the table's control socket")
    command.set_defaults(run=_say)


def _say(options: argparse.Namespace) -> int:
    try:
        ask = said(options.words)
    except ValueError as fault:
        raise UsageError(f"say: {fault}") from None
    answer, view = asyncio.run(_asked(options.socket or nearest_socket(), ask, options.role))
    if not answer["ok"]:
        raise TableGone(f"the table does not understand it: {answer['error']}")
    if not answer["accepted"]:
        sys.stdout.write(f"refused by {answer['rule']}: {answer['why']}\n")
        return REFUSED
    sys.stdout.write(f"accepted\nthe dealer is told: {view['next']}\n")
    return ACCEPTED


async def _asked(socket: Path, ask: Ask, role: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the table's answer, and its view after it."""
    client = await Client.connect(socket)
    try:
        answer = await client.ask(msgspec.to_builtins(ask), role)
        return answer, await client.view()
    finally:
        await client.close()
