"""What clients make the controller keep: bounded for each user, however long they flood it."""

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.service.connection import MOST_ANSWERS, MOST_UNREAD
from controller.service.places import MOST_OF_USER
from controller.service.requests import LONGEST_LINE
from tests.controller.service.test_floods import add_ines, flooded
from tests.system.processes import PROC
from tests.system.table import Running, running

ROUNDS = 8
SECONDS = 2.5
"""Of a round."""
SETTLED = 4
"""Rounds after which heap and caches have settled."""
GROWTH = 1.2
"""From then on the peak is so many times what it was at most, whoever is let go meanwhile."""
OFTEN = 0.02
SPARE = 16 * 1024 * 1024
"""Bytes for what the program itself needs more while it works hard."""

TOGETHER = {
    "answers that nobody reads": (("unread views", 8), ("unread watches", 8)),
    "requests": (("views", 6), ("asks", 6), ("meaningless", 6), ("sign_ins", 6), ("endless", 6)),
    "connections": (("connecting asks", 1), ("staying", 300)),
}
"""Floods that come at the same time."""


def resident(table: Running) -> int:
    """Return how many bytes of memory the controller has."""
    status = (PROC / str(table.controller.pid) / "status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024


class Peak:
    """The most memory that the controller had since it was looked at last."""

    def __init__(self, table: Running) -> None:
        self._table = table
        self._most = 0
        self._over = threading.Event()
        self._looking = threading.Thread(target=self._look, daemon=True)
        self._looking.start()

    def _look(self) -> None:
        while not self._over.wait(OFTEN):
            self._most = max(self._most, resident(self._table))

    def take(self) -> int:
        most, self._most = self._most, 0
        return most

    def close(self) -> None:
        self._over.set()
        self._looking.join()


@pytest.fixture
def peak(table: Running) -> Iterator[Peak]:
    with contextlib.closing(Peak(table)) as it:
        yield it


@pytest.mark.parametrize("name", TOGETHER)
def test_a_long_flood_makes_the_controller_no_bigger(table: Running, peak: Peak, name: str) -> None:
    add_ines(table)
    peaks = []
    for _ in range(ROUNDS):
        peak.take()
        with contextlib.ExitStack() as stack:
            for kind, connections in TOGETHER[name]:
                stack.enter_context(flooded(table, kind, connections))
            time.sleep(SECONDS)
        peaks.append(peak.take())

    assert max(peaks[SETTLED:]) <= GROWTH * max(peaks[:SETTLED]), peaks


@pytest.fixture
def bound(folder: Path) -> Iterator[tuple[Running, int]]:
    """A table, and how many bytes more all connections of a user may cost it."""
    with running(folder) as table:
        table.deal()
        view = len(table.watch.raw[-1])
        each = MOST_ANSWERS + 3 * LONGEST_LINE  # what is read is twice a line, and one is decoded
        yield table, MOST_OF_USER * each + MOST_UNREAD * view + SPARE


def test_all_connections_of_a_user_that_read_nothing_cost_no_more_than_is_said(
    bound: tuple[Running, int],
) -> None:
    table, most = bound
    idle = resident(table)
    with contextlib.closing(Peak(table)) as peak:
        for kind in ("unread views", "unread watches"):
            with flooded(table, kind, MOST_OF_USER - 1):
                time.sleep(2 * SECONDS)
        assert peak.take() - idle <= most
