"""Scripts played in this process, and the scripts under ``tests/rounds``."""

import asyncio
import contextlib
from pathlib import Path
from typing import Final

from controller.scripts.direct import DirectTable
from controller.scripts.perform import perform
from controller.scripts.read import parse_script, read_script
from controller.scripts.result import Result
from controller.scripts.script import Script

ROUNDS: Final = Path(__file__).parents[2] / "rounds"
WIRE_ONLY: Final = ROUNDS / "wire"
STATUS: Final = "# status: "

GOOD = """\
title: a round
game: blackjack-nsw
options: {decks: 6}
bets:
  - {box: 1, player: ann, main: 10}
play:
  - cards TS 9D 9S
  - stand
  - cards TD
expect:
  - {box: 1, player: ann, wager: main, result: stand-off}
"""

TITLE, GAME, OPTION, BET, STAND, EXPECT = 1, 2, 3, 5, 8, 11
"""Lines of the good script."""


def changed(line: int, text: str) -> str:
    """Return the good script with another line in place of one of its own."""
    lines = GOOD.splitlines()
    lines[line - 1] = text
    return "\n".join(lines) + "\n"


def scripts() -> list[Path]:
    """Return every script under ``tests/rounds``, by name."""
    return sorted(ROUNDS.rglob("*.yaml"))


def name_of(path: Path) -> str:
    """Return how a script is called in a test's name."""
    return str(path.relative_to(ROUNDS).with_suffix(""))


def status_of(path: Path) -> str:
    """Return the status that the script ends with: ``complete`` unless its first line says."""
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix(STATUS) if first.startswith(STATUS) else "complete"


def play_script(script: Script) -> Result:
    """Play a script on a fresh table in this process."""
    with contextlib.closing(DirectTable(script, None, "test")) as table:
        return asyncio.run(perform(script, table))


def play_file(path: Path) -> Result:
    """Play the script in a file."""
    return play_script(read_script(path))


def play_text(text: str) -> Result:
    """Play the script that the text is."""
    return play_script(parse_script(text.encode()))
