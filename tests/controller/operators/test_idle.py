"""A sign-in in which nothing is asked for long is over; time by the machine's own clock."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.clock import utc_now
from controller.eventlog.memory import MemoryLog
from controller.game.options import PONTOON_NSW
from controller.operators.roll import Roll
from controller.operators.store import Store
from controller.service.inbox import Inbox
from controller.service.people import IDLE_MS, Authority, NotYou, Peer, People, Seat
from controller.service.progress import Progress
from controller.settings import read_game
from controller.table.owner import Table, Taken
from tests.controller.table.tale import opening

PIN = "83920174651"
INES = Authority("game-supervisor", "ines")


class OneDay:
    """A gaming day that does not end."""

    def is_due(self, _state: object) -> bool:
        return False


class Desk:
    """A seat at which ines is signed in, and the clock that her table goes by."""

    def __init__(self, folder: Path) -> None:
        self.mono = 5_000_000
        self.told: list[dict[str, Any]] = []
        self.log = MemoryLog()
        self.store = Store(folder)
        self.seat = Seat(Peer(pid=42, uid=7), self.told.append)

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[People]:
        table = Table(self.log, utc_now)
        roll = Roll()

        def act(taken: Taken) -> None:
            for row in taken.rows:
                roll.take(row)

        inbox = Inbox(table, act, OneDay(), Progress(), lambda: None)
        owner = asyncio.create_task(inbox.run())
        try:
            await inbox.ask(opening(read_game(PONTOON_NSW, {}))[0])
            people = People(self.store, inbox, roll, rehearsal=False, now=lambda: self.mono)
            await people.sign_in(self.seat, "ines", PIN)
            yield people
        finally:
            owner.cancel()
            await asyncio.gather(owner, return_exceptions=True)

    def ended(self) -> list[str]:
        """Return why each sign-in that the log has seen ended."""
        rows = [row for row in self.log.rows() if row.kind == "signed-out"]
        return [str(msgspec.json.decode(row.body)["why"]) for row in rows]


Play = Callable[[Desk, People], Awaitable[None]]


@pytest.fixture
def at_desk(tmp_path: Path) -> Callable[[Play], Desk]:
    """Let something happen at a desk."""
    desk = Desk(tmp_path)
    desk.store.add("ines", "game-supervisor", PIN)

    def play(what: Play) -> Desk:
        async def run() -> None:
            async with desk.open() as people:
                await what(desk, people)

        asyncio.run(run())
        return desk

    return play


AtDesk = Callable[[Play], Desk]


def test_a_sign_in_lasts_while_something_is_asked(at_desk: AtDesk) -> None:
    async def ask_now_and_then(desk: Desk, people: People) -> None:
        for _ in range(5):
            desk.mono += IDLE_MS - 1
            await people.look()
            assert await people.authority(desk.seat, None) == INES

    assert at_desk(ask_now_and_then).ended() == []


def test_it_ends_by_itself_and_is_told(at_desk: AtDesk) -> None:
    async def be_away(desk: Desk, people: People) -> None:
        desk.mono += IDLE_MS
        await people.look()
        assert desk.told == [{"signed_out": {"name": "ines", "why": "idle"}}]
        assert await people.authority(desk.seat, None) == Authority("dealer")

    assert at_desk(be_away).ended() == ["idle"]


def test_what_is_asked_too_late_is_not_carried_out(at_desk: AtDesk) -> None:
    async def ask_late(desk: Desk, people: People) -> None:
        desk.mono += IDLE_MS
        with pytest.raises(NotYou, match="ines was signed out"):
            await people.authority(desk.seat, None)

    assert at_desk(ask_late).ended() == ["idle"]


def test_who_comes_back_signs_in_again(at_desk: AtDesk) -> None:
    async def come_back(desk: Desk, people: People) -> None:
        desk.mono += IDLE_MS
        await people.look()
        await people.sign_in(desk.seat, "ines", PIN)
        assert await people.authority(desk.seat, None) == INES

    assert at_desk(come_back).ended() == ["idle"]
