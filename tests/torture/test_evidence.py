"""A log that is not as it was left stays as it lies: whoever looks at it spoils no evidence.

Behind a spoilt frame of the write-ahead log lie rows that SQLite does not read any more and
somebody else still can.
"""

import random
from pathlib import Path
from typing import Final

import pytest

from tests.system.processes import tablekeeper
from tests.system.table import config
from tests.torture.extent import SEED
from tests.torture.forging import killed_log

ROUND: Final = "pontoon-nsw/18.14-pandemonium/one-draw-for-the-box"

BOOK_KEEPING: Final = ("lock", "-shm")
"""What every reader may write into: who reads, and where in the write-ahead log."""


@pytest.fixture
def spoilt(tmp_path: Path) -> Path:
    """The state folder of a killed controller with one bit of its latest rows turned round."""
    state = killed_log(tmp_path, [ROUND])
    wal = max((state / "log").glob("*-wal"), key=lambda file: file.stat().st_size)
    data = bytearray(wal.read_bytes())
    data[random.Random(SEED).randrange(len(data) // 2, len(data))] ^= 1
    wal.write_bytes(data)
    return state


def evidence(state: Path) -> dict[str, bytes]:
    return {
        file.name: file.read_bytes()
        for file in (state / "log").iterdir()
        if not file.name.endswith(BOOK_KEEPING)
    }


def test_log_verify_changes_nothing_of_a_log_that_was_altered(spoilt: Path) -> None:
    before = evidence(spoilt)
    assert tablekeeper("log", "verify", spoilt).returncode == 1
    assert evidence(spoilt) == before


def test_a_controller_that_does_not_start_changes_nothing_of_a_log_that_was_altered(
    spoilt: Path,
) -> None:
    before = evidence(spoilt)
    (spoilt.parent / "table.toml").write_text(config(spoilt.parent, {"shoe": "/dev/null"}))
    started = tablekeeper("run", "--rehearsal", "--config", spoilt.parent / "table.toml")
    assert started.returncode == 78
    assert "altered" in started.stderr
    after = evidence(spoilt)
    assert after.keys() == before.keys()
    assert after == before
