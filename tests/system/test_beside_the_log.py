"""What lies beside the log and does not answer, or is not what it should be: the table opens."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.folder import short_folder
from tests.system.shims import SlowDisk
from tests.system.table import Running
from tests.system.test_second_copy import in_step


@pytest.fixture
def copy() -> Iterator[Path]:
    """A folder for the second copy."""
    with short_folder() as folder:
        yield folder / "copy"


def with_copy(table: Running, copy: Path) -> None:
    """Close the table, and have its log copied from its next start."""
    table.stop()
    copy.mkdir()
    text = table.config.read_text()
    table.config.write_text(text.replace("[table]\n", f'[table]\nmirror = "{copy}"\n'))


def until_lost(table: Running, why: str) -> None:
    """Wait until the table tells that the copy is not kept."""
    table.watch.until(
        lambda view: any(why in str(alarm) for alarm in view["alarms"]), "the copy is not kept"
    )


def test_a_second_disk_that_does_not_answer_keeps_no_table_from_opening(
    table: Running, folder: Path, copy: Path
) -> None:
    with_copy(table, copy)
    disk = SlowDisk(folder, below=copy)
    table.environment |= disk.environment
    with disk.stands():
        table.start()
        table.watch.must("confirm-layout")
        table.deal()
        until_lost(table, "its disk does not answer")
        table.finish()
    in_step(table, copy)
    assert "Traceback" not in table.errors.read_text()
    assert table.stop() == 0


@pytest.mark.parametrize("name", ["public-keys", "witness", "day"])
def test_a_pipe_in_the_second_copy_hangs_nothing(table: Running, copy: Path, name: str) -> None:
    with_copy(table, copy)
    if name == "day":
        (day,) = (table.state / "log").glob("day-*.db")
        name = day.name
    os.mkfifo(copy / name)
    table.start()
    table.watch.must("confirm-layout")

    until_lost(table, "is a pipe, where a file belongs")
    table.deal()
    table.finish()
    (copy / name).unlink()
    in_step(table, copy)
    assert table.stop() == 0
