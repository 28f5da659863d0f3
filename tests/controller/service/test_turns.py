"""Turns and budgets: how much of the table's time one connection gets, and what a view costs."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from controller.clock import mono_ms
from controller.service.claim import Claim
from controller.service.control import SAME_FOR, Control
from controller.service.turns import AT_ONCE, EACH_SECOND, Budget, Turns
from tests.system.table import Running
from tests.system.talk import Talk

OTHERS = 20
LOOK = b'{"id": 1, "view": true}\n'


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_budget_is_spent_at_once_and_then_as_fast_as_it_fills() -> None:
    clock = Clock()
    budget = Budget(clock)

    assert [budget.spend() for _ in range(AT_ONCE)] == [0.0] * AT_ONCE
    assert budget.spend() == pytest.approx(1 / EACH_SECOND)
    clock.now += 1 / EACH_SECOND
    assert budget.spend() == pytest.approx(1 / EACH_SECOND)


def test_a_budget_fills_up_while_nothing_is_asked_and_never_beyond() -> None:
    clock = Clock()
    budget = Budget(clock)
    for _ in range(AT_ONCE):
        budget.spend()
    clock.now += 3600

    waits = [budget.spend() for _ in range(AT_ONCE + 1)]
    assert waits[:-1] == [0.0] * AT_ONCE
    assert waits[-1] > 0


def test_who_has_waited_longest_is_next() -> None:
    async def take(turns: Turns, who: int, times: int, taken: list[int]) -> None:
        for _ in range(times):
            await turns.next()
            taken.append(who)

    async def all_of_them() -> list[int]:
        turns, taken = Turns(), list[int]()
        await asyncio.gather(take(turns, 1, 30, taken), take(turns, 2, 3, taken))
        return taken

    assert asyncio.run(all_of_them())[:6] == [1, 2, 1, 2, 1, 2]


def test_what_is_beyond_the_budget_waits_and_nobody_else_does(table: Running) -> None:
    more = EACH_SECOND
    with Talk(table.socket) as greedy, Talk(table.socket) as other:
        began = time.monotonic()
        greedy.send(LOOK * (AT_ONCE + more))
        for _ in range(OTHERS):
            assert other.look()["table"] == "Test 1"
        others = time.monotonic() - began
        for _ in range(AT_ONCE + more):
            assert greedy.line()["ok"]
        took = time.monotonic() - began

    assert took >= 0.9 * more / EACH_SECOND
    assert others < took


def test_a_view_is_made_once_for_all_who_look_at_the_same_moment() -> None:
    made: list[int] = []

    def view() -> dict[str, Any]:
        made.append(mono_ms())
        return {"number": len(made)}

    control = Control(Claim(Path("unused")), {}, None, None, view, ())  # type: ignore[arg-type]
    seen = [bytes(control._view_now()) for _ in range(100)]
    assert seen[0] == b'{"number":1}'
    assert len(made) == len(set(seen)) <= 3

    time.sleep(SAME_FOR)
    control._view_now()
    before = len(made)
    control.tell_view()  # something has changed
    assert bytes(control._view_now()) == b'{"number":%d}' % (before + 1)
