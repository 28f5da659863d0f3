"""A gaming day ends while the table runs: between two rounds, at the time that is configured.

The controller's wall clock is another than ours, by a library that is loaded before its own.
"""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from controller.eventlog.files import days_in, key_folder
from tests.controller.console.test_screen import drawn
from tests.system.processes import eventually, tablekeeper
from tests.system.shims import WallClock, running_under
from tests.system.table import Running

DAY = 24 * 3600
INTACT, NOT_CLOSED = 0, 3


@pytest.fixture
def clock(folder: Path) -> WallClock:
    return WallClock(folder)


@pytest.fixture
def table(folder: Path, clock: WallClock) -> Iterator[Running]:
    with running_under(folder, clock.environment) as it:
        yield it


def days(table: Running) -> int:
    return len(days_in(table.state / "log"))


def opened(table: Running) -> list[dict]:
    return [row["body"] for row in table.rows("day-opened")]


def test_a_new_day_begins_between_rounds_and_not_in_one(table: Running, clock: WallClock) -> None:
    table.deal()
    clock.set(DAY)
    table.watch.event("clock-stepped")
    assert days(table) == 1

    table.finish()
    eventually(lambda: days(table) == 2, "the next day begins when the round is over")
    table.deal()
    table.finish()

    first, second = opened(table)
    today = datetime.fromisoformat(first["date"]).date()
    assert datetime.fromisoformat(second["date"]).date() == today + timedelta(days=1)
    assert second["state"]["round"] == 2
    assert (first["table"], second["config"]) == ("Test 1", first["config"])
    assert second["who"]["user"] != ""
    assert [file.name for file in key_folder(table.state / "log").iterdir()] == ["day-0002.key"]
    assert tablekeeper("log", "verify", "--decide", table.state).returncode == NOT_CLOSED
    assert table.stop() == 0
    assert tablekeeper("log", "verify", "--decide", table.state).returncode == INTACT


def test_a_day_begins_at_a_table_where_nothing_happens(table: Running, clock: WallClock) -> None:
    before = table.watch.look()["round"]
    clock.set(DAY)

    eventually(lambda: days(table) == 2, "the next day begins by itself")
    assert table.watch.look()["round"] == before
    table.deal()
    table.finish()


def test_as_a_day_begins_there_is_a_line_to_write_down_until_a_card_is_dealt(
    table: Running, clock: WallClock
) -> None:
    table.deal()
    table.finish()
    clock.set(DAY)
    view = table.watch.until(lambda view: "day 2 (" in view["write_down"], "a line to write down")
    line = view["write_down"]
    assert line in drawn(view, 200)
    assert line in table.errors.read_text()  # the journal

    table.deal()
    assert table.watch.look()["write_down"] == ""
    table.finish()
    assert table.stop() == 0
    last = table.errors.read_text().partition("table closed")[2]
    for written in (line, last):
        done = tablekeeper("log", "verify", "--checkpoint", written, table.state)
        assert (done.returncode, "has the hash that was" in done.stdout) == (INTACT, True)


def test_a_table_killed_in_the_new_day_goes_on_from_that_days_file(
    table: Running, clock: WallClock
) -> None:
    clock.set(DAY)
    eventually(lambda: days(table) == 2, "the next day begins by itself")
    table.deal()
    before = table.layout()
    table.kill()
    for file in days_in(table.state / "log")[:1]:  # what is over may have been moved away
        for path in (file.path, file.checkpoints):
            path.rename(table.folder / path.name)

    table.start()
    assert table.layout() == before
    table.watch.must("confirm-layout")
    table.finish()
    assert table.stop() == 0
    alone = tablekeeper("log", "verify", "--json", table.state)
    assert json.loads(alone.stdout)["first_bad"]["what"] == "the file of day 1 is missing"


def test_a_table_opened_on_another_day_begins_that_day(table: Running, clock: WallClock) -> None:
    table.stop()
    clock.set(3 * DAY)
    table.start()
    table.watch.must("confirm-layout")
    table.deal()
    table.finish()

    first, second = opened(table)
    gone = datetime.fromisoformat(second["date"]) - datetime.fromisoformat(first["date"])
    assert gone == timedelta(days=3)


@pytest.mark.parametrize("wrong", ["6", "25:00", "06:00:00", "noon"])
def test_a_time_that_is_none_is_said(folder: Path, wrong: str) -> None:
    config = folder / "table.toml"
    config.write_text(
        f'[table]\nname = "T"\ngame = "pontoon-nsw"\nstate = "{folder}/s"\n'
        f'day_starts = "{wrong}"\n[devices.shoe]\ndriver = "angel-eye"\nport = "{folder}/p"\n'
    )
    done = tablekeeper("run", "--rehearsal", "--config", config)

    assert done.returncode == 78
    assert f'table.day_starts = "{wrong}" is no time: write it as 06:00' in done.stderr
