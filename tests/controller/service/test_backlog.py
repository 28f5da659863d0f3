"""A backlog through the inbox and the owner, onto a log on disk: worked off once."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple

import msgspec
import pytest

from controller.cards import pack
from controller.clock import utc_now
from controller.eventlog.row import Row
from controller.eventlog.store import EventLog
from controller.events import CardOut
from controller.service.inbox import Inbox
from controller.service.progress import Progress
from controller.table.alarms import is_told
from controller.table.owner import KEEP_STATE_AFTER, Table, Taken
from controller.table.redecide import decide_again
from controller.table.resume import resume
from controller.table.state import StandingAlarm, TableState
from tests.controller.table.tale import PONTOON, opening

CARDS: Final = 1200
"""As many as four packs: each face comes out some twenty times more often than it can."""

LONGEST_EVENT: Final = 8
"""Rows of one event at most, of those here."""

MOST_BYTES_A_ROW: Final = 4096


class OneDay:
    """Days that never end."""

    def is_due(self, _state: TableState | None) -> bool:
        return False


class Backlog(NamedTuple):
    """What a table came to that had all the cards waiting before it took the first."""

    rows: list[Row]
    bytes: int
    state: TableState
    resumed: TableState | None
    acted: list[Taken]

    def bodies(self, kind: str) -> list[dict[str, Any]]:
        return [msgspec.json.decode(row.body) for row in self.rows if row.kind == kind]


async def _work_off(table: Table, acted: list[Taken]) -> None:
    inbox = Inbox(table, acted.append, OneDay(), Progress(), lambda: None)
    faces = pack(1, tens=False)
    cards = [CardOut(device="shoe", card=faces[n % len(faces)]) for n in range(CARDS)]
    for card in cards[:-2]:
        inbox.put(card)
    running = asyncio.create_task(inbox.run())
    await inbox.ask(cards[-2])
    await inbox.ask(cards[-1])  # behind whatever the others have asked for
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


@pytest.fixture(scope="module")
def backlog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backlog]:
    folder = tmp_path_factory.mktemp("backlog") / "log"
    with contextlib.closing(EventLog.open(folder)) as log:
        table = Table(log, utc_now)
        table.begin_day({"date": "2026-05-09", "table": "T"})
        for event in opening(PONTOON):
            table.take(event)
        acted: list[Taken] = []
        asyncio.run(_work_off(table, acted))
        assert table.state is not None
        size = sum(file.stat().st_size for file in folder.iterdir())
        yield Backlog([*log.rows()], size, table.state, resume(log), acted)


def test_the_state_is_kept_once_for_so_many_rows(backlog: Backlog) -> None:
    kinds = Counter(row.kind for row in backlog.rows)
    assert kinds["card-out"] == CARDS
    assert kinds["state-due"] == kinds["state-kept"] == len(backlog.rows) // KEEP_STATE_AFTER >= 2
    acted_on = Counter(one.rows[0].kind for one in backlog.acted)
    assert acted_on == {"card-out": CARDS, "state-due": kinds["state-due"]}
    carrying = [row.seq for row in backlog.rows if row.kind in {"round-opened", "state-kept"}]
    for earlier, later in pairwise(carrying):
        assert KEEP_STATE_AFTER <= later - earlier < KEEP_STATE_AFTER + LONGEST_EVENT


def test_the_log_grows_with_the_rows(backlog: Backlog) -> None:
    a_row = backlog.bytes / len(backlog.rows)
    assert a_row < MOST_BYTES_A_ROW, f"{a_row:.0f} bytes a row"


def test_3_1_the_same_alarm_is_told_at_growing_counts_and_can_be_counted(backlog: Backlog) -> None:
    copies = Counter(one["card"] for one in backlog.bodies("card-out"))
    assert len(backlog.state.alarms) == len(copies)
    for alarm in backlog.state.standing:
        assert isinstance(alarm, StandingAlarm)
        out = copies[alarm.cause.removeprefix("card ")]
        assert alarm.times == out - PONTOON.decks
        assert f"came out {out} times" in alarm.what
    told: dict[str, list[int]] = {}
    for one in backlog.bodies("alarm"):
        told.setdefault(one["cause"], []).append(one.get("times", 1))
    assert len(told) == len(copies)
    for times in told.values():
        assert times == [n for n in range(1, times[-1] + 1) if is_told(n)]


def test_what_was_worked_off_is_decided_alike_again(backlog: Backlog) -> None:
    assert backlog.resumed == backlog.state
    assert decide_again(backlog.rows).differences == ()
