"""Clients that flood the control socket: a card still comes to who watches, and the table lives.

Each flood is another process, bounded in time; the card comes from the simulated shoe over its
real port.  A table at which nobody floods is the measure, in the same run.
"""

import contextlib
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.processes import PROGRAM, end, eventually
from tests.system.table import Running

CARDS = 12
TIMES = 5
"""A card under a flood comes to who watches in at most so many times the idle median."""
NEVER_LATER = 1.0
PINGS_WITHIN = 3.0
WATCHDOG = 2.0
"""Seconds of a watchdog that is fed four times in them."""
OFTEN = 60.0
"""Seconds after which a flood that nobody has ended ends itself."""

FLOODS = {
    "views on one connection": ("views", 1),
    "views on twelve": ("views", 12),
    "watching again and again on twelve": ("watches", 12),
    "what is refused on twelve": ("asks", 12),
    "presses of long names on twelve": ("presses", 12),
    "no requests on twelve": ("nonsense", 12),
    "views on as many as one user may have": ("views", 56),
    "views that nobody reads on twelve": ("unread views", 12),
    "presses that mean nothing on twelve": ("meaningless", 12),
    "guesses of PINs on twelve": ("sign_ins", 12),
    "lines without an end on twelve": ("endless", 12),
    "coming and going": ("connecting", 1),
    "coming, asking and going": ("connecting asks", 1),
    "coming, guessing and going": ("connecting sign_ins", 1),
    "coming and staying": ("staying", 1100),
}


class Pings:
    """What the service manager hears: the longest time between two signs of life."""

    def __init__(self, path: Path) -> None:
        self.longest = 0.0
        self.count = 0
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._latest: float | None = None
        self._hearing = threading.Thread(target=self._hear, daemon=True)
        self._hearing.start()

    def _hear(self) -> None:
        with contextlib.suppress(OSError):
            while (heard := self._socket.recv(4096)) != b"over":
                if heard == b"WATCHDOG=1":
                    self._tick()

    def _tick(self) -> None:
        now = time.monotonic()
        if self._latest is not None:
            self.longest = max(self.longest, now - self._latest)
        self._latest = now
        self.count += 1

    def until_another(self) -> None:
        """Wait for the next sign of life."""
        before = self.count
        eventually(lambda: self.count > before, "a sign of life")

    def close(self, path: Path) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to:
            to.sendto(b"over", str(path))
        self._hearing.join()
        self._socket.close()


@contextlib.contextmanager
def pinged(folder: Path) -> Iterator[tuple[Running, Pings]]:
    """Run a table that is watched by a service manager."""
    address = folder / "notify"
    pings = Pings(address)
    table = Running(folder)
    table.environment = {
        "NOTIFY_SOCKET": str(address),
        "WATCHDOG_USEC": str(round(WATCHDOG * 1_000_000)),
    }
    try:
        with table:
            yield table, pings
    finally:
        pings.close(address)


@contextlib.contextmanager
def flooded(table: Running, kind: str, connections: int, *before: str) -> Iterator[None]:
    """Flood the table as long as the context lasts."""
    words = [table.socket, kind, connections, OFTEN]
    command = [*before, sys.executable, "-m", "tests.controller.service.flooding", *words]
    flood = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE)
    try:
        assert flood.stdout is not None
        assert flood.stdout.readline() == b"flooding\n"
        yield
        assert flood.poll() is None, "it floods no more"
    finally:
        end(flood)


def latencies(table: Running) -> list[float]:
    """Let cards come out one after the other; return the seconds until who watches is told."""
    took = []
    for _ in range(CARDS):
        began = time.monotonic()
        table.hands.ask("draw", device="shoe", card="7S")
        table.watch.event("card-out")
        took.append(time.monotonic() - began)
    return took


def add_ines(table: Running) -> None:
    """Add an operator whose PIN can be guessed at."""
    words = ("operators", "add", "ines", "game-supervisor", "--state", str(table.state))
    added = subprocess.run(
        [*PROGRAM, *words], input=b"83920174651\n", capture_output=True, check=False
    )
    assert added.returncode == 0, added.stderr
    table.watch.event("operator-added")


@pytest.mark.parametrize("name", FLOODS)
def test_a_card_comes_through_a_flood_and_the_watchdog_is_fed(folder: Path, name: str) -> None:
    with pinged(folder) as (table, pings):
        add_ines(table)
        before = latencies(table)
        pings.until_another()
        with flooded(table, *FLOODS[name]):
            under = latencies(table)
            pings.until_another()
        # Before and behind: what else runs on the machine comes and goes.
        idle = statistics.median([*before, *latencies(table)])

        assert statistics.median(under) <= TIMES * idle, (idle, under)
        assert max(under) <= NEVER_LATER, (idle, under)
        assert pings.longest < PINGS_WITHIN
        assert "Traceback" not in table.errors.read_text()
