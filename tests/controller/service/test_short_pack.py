"""A pack that is short, at a running table: the shuffling device says it over its port (3.1)."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from controller.cards import pack
from controller.events import AnswerAlarm, ConfirmLayout, Use
from controller.scripts.read import parse_script
from controller.scripts.wire import WireTable
from controller.table.roles import WHO_ANSWERS

PATIENCE = 30.0

SCRIPT = b"""
title: a short pack
game: pontoon-nsw
options: {source: shuffler-1}
bets:
  - {box: 1, player: ann, main: 25}
play:
  - cards AS
"""
PACK = pack(6, tens=False)
SHORT = "shuffler-1 holds 272 cards, 288 should be inside: 16 are missing. Count the cards"


async def _load(table: WireTable, number: int, device: str = "shuffler-1") -> None:
    await table._bench.hands.do("load", device=device, cards=PACK[:number])
    await _reported(table, device)


async def _reported(table: WireTable, device: str) -> None:
    def ready(row: dict[str, dict[str, object]]) -> bool:
        body = row["body"]
        return (row["kind"], body.get("device"), body.get("state")) == (
            "device-reports",
            device,
            "ready",
        )

    assert table._watch is not None
    await table._watch.event(ready, PATIENCE)


async def _alarms(table: WireTable) -> Sequence[str]:
    alarms: list[str] = (await table.view())["alarms"]
    return alarms


async def _tale(state: Path, scratch: Path) -> None:
    script = parse_script(SCRIPT)
    async with WireTable.set_up(script, state, scratch) as table:
        await table.ask(script.wagers[0])
        await _load(table, 272)
        assert await _alarms(table) == [SHORT]

        told = await table.ask(AnswerAlarm("nothing"))
        assert told.refused is not None
        assert WHO_ANSWERS in told.refused["why"]
        await table.power_cut()
        assert await _alarms(table) == [SHORT], "it stands, and the same report is nothing new"
        await table.ask(ConfirmLayout())
        told = await table.ask(AnswerAlarm("one deck is short"), "game-supervisor")
        assert (told.refused, await _alarms(table)) == (None, [])

        await table.unplug("shuffler-1")
        gone = await _alarms(table)
        assert gone == ["shuffler-1 went away with 272 cards inside"]
        await table.plug("shuffler-1")
        await _reported(table, "shuffler-1")
        await table.ask(ConfirmLayout())
        assert await _alarms(table) == gone, "the answer stands"

        await _load(table, 288)
        await _load(table, 288, "shuffler-2")
        left = "288 cards left in shuffler-2, which is not in use: take them out and count"
        assert await _alarms(table) == [*gone, left]
        await table.ask(Use("shuffler-2"))
        assert await _alarms(table) == [
            *gone,
            left,
            "288 cards left in shuffler-1, which is not in use: take them out and count",
        ]


def test_3_1_a_pack_that_is_short_is_told_before_the_round_is_dealt(tmp_path: Path) -> None:
    state, scratch = tmp_path / "state", tmp_path / "s"
    state.mkdir()
    scratch.mkdir()
    asyncio.run(_tale(state, scratch))
