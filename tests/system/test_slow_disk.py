"""A disk that takes its time: whoever is at the table is told to wait, and then all goes on.

The disk of the controller stands as long as we want, by a library that is loaded before its own.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.service.inbox import SLOW_AFTER
from tests.system.shims import SlowDisk, running_under
from tests.system.table import Running
from tests.system.talk import Talk

SLOW = "The disk is slow: the last event is not recorded yet. Wait."


@pytest.fixture
def disk(folder: Path) -> SlowDisk:
    return SlowDisk(folder)


@pytest.fixture
def table(folder: Path, disk: SlowDisk) -> Iterator[Running]:
    with running_under(folder, disk.environment) as it:
        yield it


def test_a_slow_disk_is_told_and_the_words_vanish_by_themselves(
    table: Running, disk: SlowDisk
) -> None:
    table.deal()
    layout, before = table.layout(), table.rows()
    with Talk(table.socket) as dealer:
        with disk.stands():
            sent = time.monotonic()
            dealer.send(json.dumps({"id": 5, "ask": {"do": "stand"}}).encode() + b"\n")
            table.watch.until(lambda view: view["trouble"] == SLOW, "the disk is slow")

            assert time.monotonic() - sent >= SLOW_AFTER, "an instant is not spoken of"
            assert table.layout() == layout, "nothing is shown that is not on disk"
            assert table.rows() == before
        assert dealer.answer(5)["accepted"]
    view = table.watch.until(lambda view: view["trouble"] == "", "the disk is well again")

    assert view["turn"] is None
    table.draw("8C")
    table.go_on()
    assert table.stop() == 0
