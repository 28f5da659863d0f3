"""Rounds without end on one table with a log on disk, and what the process holds meanwhile."""

import contextlib
import os
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Final, NamedTuple

from controller.cards import Card
from controller.events import NewShoe
from controller.scripts.direct import DirectTable
from controller.scripts.house import HOUSE_WORDS
from controller.scripts.perform import perform
from controller.scripts.script import Script
from tests.torture.alike import ROUNDS, script_of

GAME: Final = "pontoon-nsw"
"""The game with the most to it: doubles taken back, odds of 21, a jackpot button and prizes."""

LEAVES_TRACES: Final = HOUSE_WORDS.keys() | {
    "cutting-card", "fault", "unplug", "use", "new-shoe", "not-burned", "burned", "supervisor",
    "read", "meter", "error-card",
}  # fmt: skip
"""Steps after which the next round is not as on a fresh table."""

BURNED: Final = Card("2C")

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


class Held(NamedTuple):
    """What a process and its log hold: bytes of memory, open descriptors, bytes on disk."""

    memory: int
    descriptors: int
    disk: int


def held(state: Path) -> Held:
    """Look at this process and the log."""
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
    disk = sum(file.stat().st_size for file in (state / "log").iterdir())
    return Held(resident, len(list(Path("/proc/self/fd").iterdir())), disk)


async def scripts() -> list[Script]:
    """Return the scripts of the game that can be played one after the other on one table."""
    files = sorted((ROUNDS / GAME).rglob("*.yaml"))
    read = [script_of(str(file.relative_to(ROUNDS).with_suffix(""))) for file in files]
    first = next(script for script in read if script.game.pandemonium)
    return [
        script
        for script in read
        if script.game == first.game
        and script.source == first.source
        and LEAVES_TRACES.isdisjoint(step.word for step in script.steps)
        and await _leaves_a_clear_table(script)
    ]


async def _leaves_a_clear_table(script: Script) -> bool:
    with contextlib.closing(DirectTable(script, None, "torture")) as table:
        result = await perform(script, table)
        left = await table.view()
    return result.status == "complete" and not (left["alarms"] or left["undue"])


async def play_on(
    table: DirectTable, chosen: Sequence[Script], since: int, rounds: int
) -> list[str]:
    """Play so many rounds, the scripts in turn; return what came out otherwise than expected."""
    wrong = []
    for number, script in enumerate(islice(cycle(chosen), since, since + rounds), start=since):
        # Every script takes its cards from a whole pack.
        await table.ask(NewShoe())
        await table.card(BURNED)
        result = await perform(script, table)
        if result.failed or result.status != "complete":
            wrong.append(f"round {number + 1}, {script.title}: {result.status}, {result.failed}")
    return wrong
