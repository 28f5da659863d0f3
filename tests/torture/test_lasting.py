"""Tens of thousands of rounds in one run: each comes out right, and the process stays as it is."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from statistics import linear_regression
from typing import Final

import pytest

from controller.eventlog import verify
from controller.scripts.direct import DirectTable
from tests.torture.extent import extent
from tests.torture.lasting import Held, held, play_on, scripts
from tests.torture.report import Figure, Stopwatch

ROUNDS: Final = extent(1000, 50_000)
LOOKS: Final = 40
"""How often the process is looked at."""

WARM: Final = LOOKS // 5
"""Looks until everything is loaded that is ever needed."""

GROWS_AT_MOST: Final = 3 * 2**20
"""Bytes that memory may grow from then to the last look, by the straight line through all."""


@pytest.mark.timeout(4 * 3600)
def test_many_rounds_in_one_run_take_no_more_memory_and_descriptors(tmp_path: Path, figure) -> None:
    state = tmp_path / "state"
    with Stopwatch(figure("rounds in one run, one log on disk")) as counted:
        looks = asyncio.run(_play(state, counted))
    warm = looks[WARM:]
    slope = linear_regression(range(len(warm)), [look.memory for look in warm]).slope
    growth = slope * (len(warm) - 1)
    counted.beside += [
        f"memory {warm[0].memory / 2**20:.1f} to {warm[-1].memory / 2**20:.1f} MiB after warm-up",
        f"slope {slope * LOOKS / ROUNDS:+.1f} bytes a round",
        f"{warm[0].descriptors} to {warm[-1].descriptors} descriptors",
        f"log {looks[-1].disk / 2**20:.0f} MiB",
    ]
    verdict = verify(state)
    assert verdict.ok, verdict
    assert growth < GROWS_AT_MOST, [look.memory for look in warm]
    assert len({look.descriptors for look in warm}) == 1, [look.descriptors for look in warm]
    _must_grow_evenly(looks)
    counted.must_be_right()


async def _play(state: Path, counted: Figure) -> list[Held]:
    chosen = await scripts()
    table = DirectTable(chosen[0], state, "torture")
    looks = []
    for at in range(LOOKS):
        since = at * ROUNDS // LOOKS
        rounds = (at + 1) * ROUNDS // LOOKS - since
        for wrong in await play_on(table, chosen, since, rounds):
            counted.fail(wrong, "the rounds are always the same")
        counted.done += rounds
        looks.append(held(state))
    table.close()
    return looks


def _must_grow_evenly(looks: Sequence[Held]) -> None:
    """The log must take as much for the latest rounds as for the first: rows do not get longer."""
    middle = (WARM + len(looks)) // 2
    first, second = looks[middle].disk - looks[WARM].disk, looks[-1].disk - looks[middle].disk
    looks_first, looks_second = middle - WARM, len(looks) - 1 - middle
    assert second / looks_second < 1.2 * first / looks_first, [look.disk for look in looks]
