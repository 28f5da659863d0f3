"""Scripts played in this process, and the scripts under ``tests/rounds``."""

import asyncio
import contextlib
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.scripts.direct import DirectTable
from controller.scripts.perform import perform
from controller.scripts.read import parse_script, read_script
from controller.scripts.result import Result
from controller.scripts.script import Script

ROUNDS: Final = Path(__file__).parents[2] / "rounds"
WIRE_ONLY: Final = ROUNDS / "wire"

_HEAD: Final = re.compile(r"# (status|refused|corrections|rows): *(\S+)")

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


class Head(NamedTuple):
    """What the comments above a script say that its result must show, beside ``expect``."""

    status: str = "complete"
    refused: int = 0
    """How many of its steps are refused."""
    corrections: int = 0
    rows: int | None = None
    """How many settlements there are; those that it expects if nothing is said."""


def head_of(path: Path) -> Head:
    """Return what the comments at the head of the script say; a wrong word in them is told."""
    said: dict[str, Any] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        if (told := _HEAD.fullmatch(line.strip())) is not None:
            word, value = told.groups()
            said[word] = value if word == "status" else int(value)
    return Head(**said)


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


def comes_to(result: Result, beside: Collection[str] = ()) -> dict[str, Any]:
    """Return what a script comes to but for what chance drew (18.14.6).

    ``beside`` are steps, or their first words, of which a refusal does not count.
    """
    rows = [
        {**row, "pays": None} if row["rule"] == "18.14.4" else row for row in result.settlements
    ]
    corrected = [
        {**row, "was": None, "now": None} if row["wager"] == "pandemonium" else row
        for row in result.corrections
    ]
    refused = [
        (one.step, one.rule)
        for one in result.refused
        if one.step not in beside and one.step.split()[0] not in beside
    ]
    return {
        "status": result.status,
        "source": result.source,
        "settlements": rows,
        "pending": result.pending,
        "corrections": corrected,
        "refused": refused,
    }
