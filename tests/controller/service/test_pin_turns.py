"""Whose PIN is tried next, and that who has left keeps nobody waiting."""

import asyncio
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from controller.service.pin_turns import PinTurns
from tests.system.real import RealTable, real_table, sign_in
from tests.system.talk import Talk

MANY = 60
TIMES = 5
"""Behind those who have left nobody waits more than so many times what a PIN takes."""


async def tried(
    turns: PinTurns, uid: int, done: list[int], has_left: Callable[[], bool] = lambda: False
) -> None:
    async with turns.turn(uid, has_left):
        await asyncio.sleep(0)
        done.append(uid)


def test_users_take_turns_however_many_one_of_them_has() -> None:
    async def all_of_them() -> list[int]:
        turns, done = PinTurns(), list[int]()
        greedy = [tried(turns, 1, done) for _ in range(10)]
        await asyncio.gather(*greedy, tried(turns, 2, done), tried(turns, 3, done))
        return done

    assert asyncio.run(all_of_them())[:6] == [1, 1, 2, 3, 1, 1]


def test_who_has_left_is_passed_over_and_told_so() -> None:
    async def all_of_them() -> tuple[list[int], list[BaseException | None]]:
        turns, done = PinTurns(), list[int]()
        leaving = [tried(turns, 1, done, lambda: True) for _ in range(5)]
        told = await asyncio.gather(
            tried(turns, 2, done), *leaving, tried(turns, 1, done), return_exceptions=True
        )
        return done, told

    done, told = asyncio.run(all_of_them())
    assert done == [2, 1]
    assert [type(one) for one in told] == [type(None), *[ConnectionResetError] * 5, type(None)]


def test_a_turn_goes_on_though_whoever_has_it_or_waits_for_it_is_cancelled() -> None:
    async def all_of_them() -> list[int]:
        turns, done = PinTurns(), list[int]()
        holding = asyncio.create_task(tried(turns, 1, done))
        waiting = [asyncio.create_task(tried(turns, 2, done)) for _ in range(2)]
        last = asyncio.create_task(tried(turns, 3, done))
        await asyncio.sleep(0)
        holding.cancel()
        waiting[0].cancel()
        await asyncio.gather(holding, *waiting, last, return_exceptions=True)
        await tried(turns, 4, done)
        return done

    assert asyncio.run(all_of_them()) == [2, 3, 4]


def seconds(table: RealTable) -> float:
    """Return how long a sign-in takes."""
    with Talk(table.socket) as talk:
        began = time.monotonic()
        assert sign_in(talk)["ok"]
        return time.monotonic() - began


def test_nobody_waits_behind_the_attempts_of_those_who_have_left(folder: Path) -> None:
    with real_table(folder) as table:
        table.add()
        idle = statistics.median(seconds(table) for _ in range(5))
        before = len(table.rows("sign-in-refused"))
        for _ in range(MANY):
            with Talk(table.socket) as talk:
                talk.send(b'{"id": 1, "sign_in": {"name": "nobody", "pin": "48261739"}}\n')
        assert seconds(table) <= TIMES * idle
        tried = len(table.rows("sign-in-refused")) - before
        assert tried < MANY / 2


def test_who_says_nothing_more_and_listens_has_not_left(folder: Path) -> None:
    """As a shell that pipes a line into the socket and reads what comes."""
    with real_table(folder) as table:
        table.add()
        with Talk(table.socket) as busy, Talk(table.socket) as talk:
            line = b'{"id": 1, "sign_in": {"name": "nobody", "pin": "48261739"}}\n'
            busy.send(line)
            talk.send(line)
            talk.socket.shutdown(1)
            assert talk.line()["error"] == busy.line()["error"]
