"""The prize, the button and the meter, over their ports: stored, then shown, then read back."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from controller.cards import Card
from controller.game.moves import PressJackpot, Surrender
from controller.scripts.read import parse_script
from controller.scripts.wire import WireTable
from drivers.capture import read_capture

PATIENCE = 30.0

SCRIPT = b"""
title: a prize on the meter
game: pontoon-nsw
options: {source: shuffler-1}
bets:
  - {box: 1, player: ann, main: 25, pandemonium: 5}
  - {box: 2, player: bob, main: 10}
play:
  - press jackpot 1
  - surrender 2
"""


def of_meter(row: dict[str, Any]) -> bool:
    return bool(row["kind"] == "command-done" and row["body"]["device"] == "meter")


def shows_prize(row: dict[str, Any]) -> bool:
    return bool(row["kind"] == "command" and row["body"]["what"]["do"] == "show-prize")


async def until(table: WireTable, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    assert table._watch is not None
    return (await table._watch.event(wanted, PATIENCE))[0]


async def play(state: Path, scratch: Path) -> None:
    script = parse_script(SCRIPT)
    async with WireTable.set_up(script, state, scratch) as table:
        for wager in script.wagers:
            await table.ask(wager)
        for card in ["AS", "9D", "KC", "KS", "9H"]:
            told = await table.card(Card(card))
            assert told.rows[0]["body"]["device"] == "shuffler-1"

        surrendered = await table.ask(Surrender(2))
        assert surrendered.rows[0]["body"]["control"] == "surrender-2"
        assert "surrender marker" in (await table.view())["next"]

        pressed = await table.ask(PressJackpot(1))
        drawn = next(row for row in pressed.rows if row["kind"] == "drawn")
        shown = next(row for row in pressed.rows if shows_prize(row))
        assert drawn["seq"] < shown["seq"], "stored before it is shown"
        number = shown["body"]["id"]
        done = await until(table, lambda row: of_meter(row) and row["body"]["id"] == number)
        assert done["seq"] > shown["seq"]
        sign = (await table._bench.hands.do("status"))["devices"]["meter"]
        assert shown["body"]["what"]["text"] in str(sign), "the sign shows what was read back"


def test_18_14_6_a_prize_is_stored_then_shown_and_read_back_from_the_meter(tmp_path: Path) -> None:
    state, scratch = tmp_path / "state", tmp_path / "s"
    state.mkdir()
    scratch.mkdir()
    asyncio.run(play(state, scratch))


def test_a_capture_keeps_every_byte_of_each_device(tmp_path: Path) -> None:
    state, scratch, file = tmp_path / "state", tmp_path / "s", tmp_path / "kept"
    state.mkdir()
    scratch.mkdir()

    async def draw() -> str:
        script = parse_script(SCRIPT.replace(b"{source: shuffler-1}", b"{}"))
        async with WireTable.set_up(script, state, scratch, capture=file) as table:
            told = await table.card(Card("7S"))
            return str(told.rows[0]["body"]["raw"])

    raw = asyncio.run(draw())
    came = b"".join(bytes.fromhex(line.hex) for line in read_capture(tmp_path / "kept.shoe"))
    assert bytes.fromhex(raw) in came
    assert (tmp_path / "kept.pedal").exists()
