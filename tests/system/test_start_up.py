"""Whatever happens to the devices while a table starts: it opens, and plays when they are there."""

import random
import select
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.system.processes import eventually
from tests.system.table import DRIVERS, Running
from tests.system.test_garbage import TOLD, answered, counters, noise, say

MOMENTS = 8
"""Moments of a start at which a cable is pulled, spread from its beginning to the table's play."""

BETWEEN_PRESSES = 0.2
"""Seconds from one press to the next."""

A_START = 0.9
"""Seconds over which they are spread: a start takes about so long on a machine that is not busy."""


@contextmanager
def pulled(table: Running, device: str, after: float) -> Iterator[None]:
    """Pull a cable so many seconds from now; it is out at the end."""
    pulling = threading.Timer(after, lambda: table.hands.ask("unplug", device=device))
    pulling.start()
    yield
    pulling.join()


@pytest.mark.parametrize("device", DRIVERS)
def test_a_device_unplugged_at_any_moment_of_a_start_is_told_and_taken_up_again(
    table: Running, device: str
) -> None:
    for moment in range(MOMENTS):
        table.stop()
        with pulled(table, device, moment * A_START / MOMENTS):
            table.start(online=False)
        table.watch.until(
            lambda view: not view["devices"][device]["online"], f"{device} is told to be away"
        )
        table.until_online(*(one for one in DRIVERS if one != device))
        table.hands.ask("plug", device=device)
        table.until_online(*DRIVERS)
    plays(table)


@pytest.mark.parametrize("seed", range(4))
def test_cables_pulled_and_put_back_all_through_a_start_leave_a_table_that_plays(
    table: Running, seed: int
) -> None:
    luck = random.Random(seed)
    table.stop()
    over = threading.Event()

    def pull_and_put_back() -> None:
        while not over.wait(luck.uniform(0, 0.08)):
            device = luck.choice(list(DRIVERS))
            table.hands.ask("unplug", device=device)
            over.wait(luck.uniform(0, 0.08))
            table.hands.ask("plug", device=device)

    pulling = threading.Thread(target=pull_and_put_back)
    pulling.start()
    try:
        table.start(online=False)
        over.wait(A_START)
    finally:
        over.set()
        pulling.join()
    plays(table)


def plays(table: Running) -> None:
    """Play a round, once all devices are there and are heard."""
    table.until_online(*DRIVERS)
    for device, control in (("pedal", "right"), ("keys", "F")):
        until_heard(table, device, control)
    table.watch_anew()
    table.watch.must("confirm-layout")
    table.deal()
    table.finish()
    assert "Traceback" not in table.errors.read_text()


def until_heard(table: Running, device: str, control: str) -> None:
    """Press until it is heard: a press just when a cable is taken up again may be lost.

    At the pace of a foot: what is let go for a moment only is a bounce.
    """
    before = len(presses(table, device))

    def heard() -> bool:
        table.hands.ask("press", device=device, control=control)
        select.select([], [], [], BETWEEN_PRESSES)
        return len(presses(table, device)) > before

    eventually(heard, f"{device} is heard")


def presses(table: Running, device: str) -> list[dict]:
    return [row for row in table.rows("pressed") if row["body"]["device"] == device]


def test_floods_of_garbage_on_all_ports_at_once_leave_a_table_that_plays(table: Running) -> None:
    table.deal()
    layout, before = table.layout(), table.rows()[-1]["seq"]
    for size in (1, 2, 3, 5, 7):
        for device in ("pedal", "keys"):
            for seed in range(10):
                report = noise(size, list(range(256)), seed)
                table.hands.ask("raw", device=device, hex=report.hex())
        say(table, "shoe", noise(40_000, list(range(256)), seed=size))
    eventually(lambda: counters(table, "shoe")["bytes_skipped"] > 1_000, "garbage is counted")
    for device in ("pedal", "keys"):
        assert sum(counters(table, device).values()) > 0

    answered(table, before)
    assert table.layout() == layout
    table.finish()


def test_garbage_on_all_ports_from_the_start_on_opens_no_round(table: Running) -> None:
    table.stop()
    over = threading.Event()

    def flood() -> None:
        for seed in range(10_000):
            if over.is_set():
                return
            table.hands.ask("raw", device="shoe", hex=noise(500, list(range(256)), seed).hex())
            for device in ("pedal", "keys"):
                table.hands.ask("raw", device=device, hex=noise(3, list(range(256)), seed).hex())

    flooding = threading.Thread(target=flood)
    flooding.start()
    try:
        table.start(online=False)
        eventually(lambda: counters(table, "shoe")["bytes_skipped"] > 1_000, "garbage is counted")
    finally:
        over.set()
        flooding.join()
    assert table.rows("card-out", "pressed") == []
    select.select([], [], [], TOLD)
    plays(table)
