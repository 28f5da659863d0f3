"""``tablekeeper say``: a word to a running table, around its round."""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.errors import UsageError
from controller.events import Ask
from controller.operators.pins import check_name
from controller.operators.typed import pin_of
from controller.scripts.house import HOUSE_WORDS, said
from controller.service.client import Client
from controller.service.nearest import nearest_socket
from controller.table.roles import ROLES

ACCEPTED: Final = 0
REFUSED: Final = 1


def add_say(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command ``say``."""
    lines = "\n".join(f"  {word} {told.usage}" for word, told in HOUSE_WORDS.items())
    command = commands.add_parser(
        "say",
        help="say a word to a running table: limits, restrictions, reserved boxes, ...",
        description="Say a word to a running table.  Amounts are dollars.",
        epilog=f"what can be said:\n{lines}\n\nroles:\n  {', '.join(ROLES)}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("words", nargs="+", metavar="WORD", help="what is said, as: limits 10 500")
    command.add_argument(
        "--as",
        dest="who",
        metavar="NAME",
        help="an operator: the PIN is asked for, or is a line of standard input; "
        "at a rehearsal a role will do",
    )
    command.add_argument("--socket", type=Path, metavar="PATH", help="the table's control socket")
    command.set_defaults(run=_say)


def _say(options: argparse.Namespace) -> int:
    try:
        ask = said(options.words)
    except ValueError as fault:
        raise UsageError(f"say: {fault}") from None
    _check_who(options.who)
    # Asked for before anything else waits: Ctrl-C has to end it.
    pin = pin_of(options.who) if options.who and options.who not in ROLES else None
    socket = options.socket or nearest_socket()
    answer, view = asyncio.run(_asked(socket, ask, options.who, pin))
    if not answer["ok"]:
        raise UsageError(f"say: {answer['error']}")
    if not answer["accepted"]:
        sys.stdout.write(f"refused by {answer['rule']}: {answer['why']}\n")
        return REFUSED
    sys.stdout.write(f"accepted\nthe dealer is told: {view['next']}\n")
    return ACCEPTED


def _check_who(who: str | None) -> None:
    """Make sure that it is a role or could be an operator.

    Raises:
        UsageError: it is neither.
    """
    if who is None or who in ROLES:
        return
    try:
        check_name(who)
    except UsageError as fault:
        what = f"an operator, or at a rehearsal a role: {', '.join(ROLES)}"
        raise UsageError(f"say: --as {who!r} is neither of {what} ({fault})") from None


async def _asked(
    socket: Path, ask: Ask, who: str | None, pin: str | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the table's answer, and its view after it; with a PIN ``who`` signs in first."""
    client = await Client.connect(socket)
    try:
        if who is not None and pin is not None:
            signed_in = await client.sign_in(who, pin)
            if not signed_in["ok"]:
                return signed_in, {}
        answer = await client.ask(msgspec.to_builtins(ask), who if pin is None else None)
        return answer, await client.view()
    finally:
        await client.close()
