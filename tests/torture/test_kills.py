"""The controller is killed at any moment of rounds at ports: each ends as if nothing had been.

``TORTURE=full`` makes it a thousand kills; ``TORTURE_SEED`` other ones.
"""

import asyncio
import random
from pathlib import Path
from typing import Final

import pytest

from controller.errors import TableGone
from controller.scripts.perform import perform
from controller.scripts.script import Script
from tests.system.folder import short_folder
from tests.system.processes import tablekeeper
from tests.torture.alike import differences, script_of, undisturbed
from tests.torture.extent import FULL, SEED, done_before, extent, keep
from tests.torture.killing import KilledTable, faults_of
from tests.torture.report import Figure, Stopwatch

SCRIPTS: Final = (
    "pontoon-nsw/18.14-pandemonium/won-with-pontoon",
    "malfunction/17.2-transfer/after-a-double",
    "pontoon-nz/11-odds/split",
    "blackjack-nsw/12-splitting/three-hands",
    "devices/two-jackpots",
    "malfunction/17.3-replace/one-damaged-card",
    "pontoon-nsw/18.9.5-forfeit/on-a-split-hand",
    "pontoon-nz/seven-boxes-five-decks",
    "malfunction/17.4-terminated/pontoon-jackpot-drawn",
    "blackjack-nsw/5-wagers/a-full-table-of-nine-boxes",
    "pontoon-nsw/18.14-pandemonium/one-draw-for-the-box",
    "malfunction/17.5-dealing-shoe/one-leaves",
    "pontoon-nz/16.2-error-cards/refused-and-accepted-by-the-next",
    "blackjack-nsw/devices/shoe-unplugged",
)
"""Rounds of all three games, with prizes, with rule 17 and with a cable pulled."""

KILLS: Final = extent(10, 1000)
PART: Final = extent(10, 25)
"""Kills in one test."""

NAME: Final = "kill -9 of the controller in a round"


@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(KILLS // PART))
def test_a_round_ends_as_if_the_controller_had_never_been_killed(part: int, figure) -> None:
    name = f"kills-{part}-of-{PART}"
    if (before := done_before(name)) is not None:
        figure.keep(before)
        return
    luck = random.Random(f"{SEED} kills {part}")
    with Stopwatch(figure(NAME)) as counted:
        number = 0
        while counted.done < PART:
            script = SCRIPTS[(part * PART + number) % len(SCRIPTS)]
            play(script, f"{SEED} {part} {number} {luck.random()}", counted, part)
            number += 1
        counted.beside.append(f"seed {SEED}")
    keep(name, counted)
    counted.must_be_right()


def play(name: str, seed: str, counted: Figure, part: int) -> None:
    """Play a script with kills; count them, and once what came out wrong."""
    script = script_of(name)
    with short_folder() as folder:
        state = folder / "state"
        state.mkdir()
        wrong, table = asyncio.run(
            _killed(script, folder, random.Random(seed), PART - counted.done)
        )
        counted.done += len(table.moments)
        if not wrong:
            wrong = faults_of(table, state)
        verified = tablekeeper("log", "verify", state)
        if verified.returncode:
            wrong.append(f"log verify ended with {verified.returncode}: {verified.stdout}")
        errors = (state / "controller.err").read_text()
        if "Traceback" in errors:
            wrong.append(errors)
    if wrong:
        setting = "TORTURE=full " if FULL else ""
        again = f"{setting}TORTURE_SEED={SEED} pytest tests/torture/test_kills.py -k '[{part}]'"
        counted.fail(f"{name}, killed {table.moments}: {'; '.join(wrong)}", again)


async def _killed(
    script: Script, folder: Path, luck: random.Random, most: int
) -> tuple[list[str], KilledTable]:
    """Play over the wire with kills; return what came out otherwise than without them."""
    direct = await undisturbed(script)
    async with KilledTable.set_up(script, folder / "state", folder) as wire:
        assert isinstance(wire, KilledTable)
        table = wire.cut_by(luck, most)
        try:
            result = await perform(script, table)
        except (TableGone, TimeoutError) as gone:
            return [f"it could not be played to its end: {gone!r}"], table
    return differences(direct, result), table
