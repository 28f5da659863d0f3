"""Every script's round is told as it was: payments, status and sums, decided again the same."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controller.eventlog import Readable
from controller.logbook.find import find_round
from controller.logbook.payments import settled
from controller.logbook.rounds import Counted, line_of, tallies
from controller.logbook.story import story_of
from controller.logbook.telling import told
from controller.scripts.direct import DirectTable
from controller.scripts.perform import perform
from controller.scripts.read import read_script
from controller.scripts.result import Result
from tests.controller.scripts.playing import WIRE_ONLY, name_of, scripts

HERE = [path for path in scripts() if WIRE_ONLY not in path.parents]


@contextlib.contextmanager
def played(path: Path) -> Iterator[tuple[Result, Readable, int]]:
    """Play a script; give its result, its log, and the round that the result is of."""

    async def play(table: DirectTable) -> tuple[Result, int]:
        result = await perform(script, table)
        return result, (await table.view())["round"]

    script = read_script(path)
    with contextlib.closing(DirectTable(script, None, "test")) as table:
        result, last = asyncio.run(play(table))
        cleared = result.status in {"complete", "void"}
        yield result, table._log, last - 1 if cleared else last


@pytest.mark.parametrize("path", HERE, ids=name_of)
def test_a_round_is_told_as_it_was(path: Path) -> None:
    with played(path) as (result, log, number):
        story = story_of(number, find_round(log, number))
        lines = list(told(story))
        rounds = [line_of(one) for one in tallies(log) if isinstance(one, Counted)]
    (line,) = (line for line in rounds if line.round == number)

    assert (story.again.fault, story.damaged) == ("", False)
    rows = [msgspec.to_builtins(row) for row in settled(story.outcomes())]
    assert sorted(map(repr, rows)) == sorted(map(repr, result.settlements))
    assert line.status == story.line.status == result.status
    assert line.paid == sum(row["pays"] or 0 for row in result.settlements)
    assert line.returned == sum(row["returns"] or 0 for row in result.settlements)
    wagered = [*result.settlements, *result.pending]
    assert line.staked == sum(row["stake"] or 0 for row in wagered)
    loud = [text for text in lines if "!!!" in text or "not in the rule index" in text]
    assert loud == []


def test_the_payments_come_in_the_order_of_the_boxes() -> None:
    path = next(one for one in HERE if one.stem == "seven-boxes-five-decks")
    with played(path) as (result, log, number):
        lines = list(told(story_of(number, find_round(log, number))))
    (head,) = (at for at, line in enumerate(lines) if line.startswith("PAYMENTS"))
    players = [line.split()[1] for line in lines[head + 2 : head + 2 + len(result.settlements)]]

    assert players == [row["player"] for row in result.settlements]
