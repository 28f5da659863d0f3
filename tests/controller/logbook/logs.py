"""Real logs: scripts played on the real table, several rounds after one another in one log."""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from controller.cards import parse_card
from controller.cli import main
from controller.events import Ask as Ask_
from controller.scripts.direct import DirectTable
from controller.scripts.perform import perform
from controller.scripts.read import parse_script, read_script
from controller.scripts.result import Result
from controller.scripts.script import Script
from tests.controller.scripts.playing import ROUNDS

WON: Final = """\
title: ann wins 3 to 2 and bob loses on two boxes
game: blackjack-nsw
options: {decks: 6}
bets:
  - {box: 1, player: ann, main: 12.50}
  - {box: 3, player: bob, main: 20}
play:
  - no-more-bets
  - cards AS 9D 9S KS TC
  - stand
  - cards TD
"""

CORRECTED: Final = """\
title: a card was misread and the dealer is past a payment
game: blackjack-nsw
options: {decks: 6}
bets:
  - {box: 2, player: cam, main: 10}
play:
  - no-more-bets
  - cards TS 9D 7S
  - stand
  - cards TD
  - supervisor inspector void-round
  - amend 3 TH
"""

VOID: Final = """\
title: a supervisor voids the round
game: blackjack-nsw
options: {decks: 6}
bets:
  - {box: 2, player: dee, main: 30, voucher: true}
play:
  - no-more-bets
  - cards TS 9D
  - supervisor casino-supervisor void-round
"""

OPEN: Final = """\
title: nobody has decided yet
game: blackjack-nsw
options: {decks: 6}
bets:
  - {box: 5, player: eve, main: 40}
play:
  - no-more-bets
  - cards TS 9D 7S
"""

TEXTS: Final = (WON, CORRECTED, VOID, OPEN)


class Said(NamedTuple):
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str

    def json(self) -> list[dict[str, Any]]:
        """Return the JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


class Ask:
    """``tablekeeper log`` as an auditor types it."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object) -> Said:
        """Run it to its end."""
        self._capsys.readouterr()
        try:
            status = main(["log", *map(str, words)])
        except SystemExit as end:  # as argparse ends
            status = int(end.code or 0)
        out, err = self._capsys.readouterr()
        return Said(status, out, err)


def play(scripts: Sequence[Script], state: Path) -> list[Result]:
    """Play scripts of one game at one table, each in a round of its own."""

    async def all_of_them(table: DirectTable) -> list[Result]:
        return [await perform(script, table) for script in scripts]

    with contextlib.closing(DirectTable(scripts[0], state, "test")) as table:
        return asyncio.run(all_of_them(table))


def play_texts(texts: Sequence[str], state: Path) -> list[Result]:
    """Play scripts as they are written here."""
    return play([parse_script(text.encode()) for text in texts], state)


def play_file(name: str, state: Path) -> Result:
    """Play one script of ``tests/rounds``."""
    (result,) = play([read_script(ROUNDS / f"{name}.yaml")], state)
    return result


def play_asks(state: Path, asks: Sequence[Ask_], cards: str) -> None:
    """Ask for what no script can say, and then let cards leave the shoe."""

    async def all_of_them(table: DirectTable) -> None:
        for ask in asks:
            told = await table.ask(ask)
            assert told.refused is None
        for card in cards.split():
            await table.card(parse_card(card))

    script = parse_script(WON.encode())
    with contextlib.closing(DirectTable(script, state, "test")) as table:
        asyncio.run(all_of_them(table))


@contextlib.contextmanager
def altered(state: Path) -> Iterator[sqlite3.Connection]:
    """Open a log for somebody who owns the file: its guards are taken away."""
    (file,) = (state / "log").glob("*.db")
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        guards = db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for (name,) in guards:
            db.execute(f"DROP TRIGGER {name}")
        yield db


def part(said: str, title: str) -> list[str]:
    """Return the lines of one part of a story."""
    lines = said.splitlines()
    (at,) = (at for at, line in enumerate(lines) if line.startswith(title))
    rest = lines[at + 1 :]
    return rest[: rest.index("")] if "" in rest else rest
