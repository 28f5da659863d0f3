"""A backlog through the inbox and the owner, onto a log on disk: worked off once."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

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

CARDS: Final = 1500
"""As many as five packs: each face comes out some twenty times more often than it can."""

MOST_BYTES_A_ROW: Final = 4096


class OneDay:
    """Days that never end."""

    def is_due(self, _state: TableState | None) -> bool:
        return False


@contextlib.contextmanager
def worked_off(folder: Path) -> Iterator[tuple[EventLog, Table, list[Taken]]]:
    """A log and its table after the cards, which all wait before the first of them is taken."""
    with contextlib.closing(EventLog.open(folder / "log")) as log:
        table = Table(log, utc_now)
        table.begin_day({"date": "2026-05-09", "table": "T"})
        for event in opening(PONTOON):
            table.take(event)
        acted: list[Taken] = []
        asyncio.run(_work_off(table, acted))
        yield log, table, acted


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
def backlog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, ...]]:
    folder = tmp_path_factory.mktemp("backlog")
    with worked_off(folder) as (log, table, acted):
        yield folder, [*log.rows()], table, acted, resume(log)


def _kinds(rows: list[Row]) -> Counter[str]:
    return Counter(row.kind for row in rows)


def test_the_state_is_kept_once_for_so_many_rows(backlog: tuple[Any, ...]) -> None:
    _, rows, _, acted, _ = backlog
    kinds = _kinds(rows)
    assert kinds["card-out"] == CARDS
    assert kinds["state-due"] == kinds["state-kept"] == len(rows) // KEEP_STATE_AFTER >= 2
    assert sum(one.rows[0].kind == "state-due" for one in acted) == kinds["state-due"]
    kept = [row.seq for row in rows if row.kind in {"round-opened", "state-kept"}]
    between = [later - earlier for earlier, later in pairwise(kept)]
    longest_event = 8
    assert all(KEEP_STATE_AFTER <= gap < KEEP_STATE_AFTER + longest_event for gap in between)


def test_the_log_grows_with_the_rows(backlog: tuple[Any, ...]) -> None:
    folder, rows, *_ = backlog
    size = sum(file.stat().st_size for file in (folder / "log").iterdir())
    assert size < MOST_BYTES_A_ROW * len(rows), f"{size / len(rows):.0f} bytes a row"


def test_3_1_the_same_alarm_is_told_at_growing_counts_and_can_be_counted(
    backlog: tuple[Any, ...],
) -> None:
    _, rows, table, _, _ = backlog
    copies = Counter(one["card"] for one in _bodies(rows, "card-out"))
    assert len(table.state.alarms) == len(copies)
    for alarm in table.state.standing:
        assert isinstance(alarm, StandingAlarm)
        out = copies[alarm.cause.removeprefix("card ")]
        assert alarm.times == out - PONTOON.decks
        assert f"came out {out} times" in alarm.what
    told = [one.get("times", 1) for one in _bodies(rows, "alarm")]
    assert sorted(set(told)) == [n for n in range(1, max(told) + 1) if is_told(n)]


def test_what_was_worked_off_is_decided_alike_again(backlog: tuple[Any, ...]) -> None:
    _, rows, table, _, resumed = backlog
    assert resumed == table.state
    assert decide_again(rows).differences == ()


def _bodies(rows: list[Row], kind: str) -> list[dict[str, Any]]:
    return [msgspec.json.decode(row.body) for row in rows if row.kind == kind]
