"""The order in which the inbox takes what happened and what is asked."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controller.clock import utc_now
from controller.eventlog.store import EventLog
from controller.events import Asked, CardOut, Resume
from controller.service.inbox import Inbox
from controller.service.progress import Progress
from controller.table.owner import Table, Taken
from tests.controller.service.test_backlog import OneDay
from tests.controller.table.tale import PONTOON, opening

ASKED = 20


@pytest.fixture
def taken(tmp_path: Path) -> Iterator[list[Taken]]:
    """What was taken of an inbox in which many have asked when two cards come out."""
    with contextlib.closing(EventLog.open(tmp_path / "log")) as log:
        table = Table(log, utc_now)
        table.begin_day({"date": "2026-05-09", "table": "T"})
        for event in opening(PONTOON):
            table.take(event)
        acted: list[Taken] = []
        asyncio.run(_take(table, acted))
        yield acted


async def _take(table: Table, acted: list[Taken]) -> None:
    inbox = Inbox(table, acted.append, OneDay(), Progress(), lambda: None)
    asking = [asyncio.create_task(inbox.ask(Asked(ask=Resume()))) for _ in range(ASKED)]
    await asyncio.sleep(0.01)  # they wait now
    inbox.put(CardOut(device="shoe", card="7S"))
    inbox.put_behind(Asked(ask=Resume(), who="last"))
    inbox.put(CardOut(device="shoe", card="8D"))
    running = asyncio.create_task(inbox.run())
    await asyncio.gather(*asking)
    await inbox.ask(Asked(ask=Resume()))  # behind the one that nobody waits for
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def test_a_card_does_not_wait_behind_those_who_ask(taken: list[Taken]) -> None:
    rows = [one.rows[0] for one in taken]
    bodies = [msgspec.json.decode(row.body) for row in rows]

    assert [row.kind for row in rows] == ["card-out"] * 2 + ["asked"] * (ASKED + 2)
    assert [body["card"] for body in bodies[:2]] == ["7S", "8D"]
    assert [body["who"] for body in bodies[-2:]] == ["last", ""]


def test_the_times_of_what_is_taken_go_forward(taken: list[Taken]) -> None:
    times = [msgspec.json.decode(one.rows[0].body)["mono"] for one in taken]

    assert times == sorted(times)
    assert times[0] > 0
