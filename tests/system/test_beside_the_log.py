"""What lies beside the log and does not answer, or is not what it should be: the table opens."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.logs import database
from tests.system.folder import short_folder
from tests.system.processes import eventually
from tests.system.shims import SlowDisk
from tests.system.table import Running
from tests.system.test_second_copy import in_step
from tests.torture.disk import FailingDisk, built


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


def a_file(copy: Path) -> None:
    copy.rmdir()
    copy.write_text("no folder")


def another_text(copy: Path) -> None:
    (copy / "day-0001-2020-01-01.db").write_text("Dear sirs,")


NOT_A_COPY: dict[str, tuple[Callable[[Path], None], str]] = {
    "a file": (a_file, "it is no folder: move it away"),
    "another's folder": (another_text, "two files for day 1"),
}


@pytest.mark.parametrize("kind", NOT_A_COPY)
def test_what_is_no_folder_for_a_copy_keeps_no_table_from_opening(
    table: Running, copy: Path, kind: str
) -> None:
    with_copy(table, copy)
    make, why = NOT_A_COPY[kind]
    if kind == "another's folder":
        shutil.copy(database(table.state / "log"), copy)
    make(copy)
    table.start()
    table.watch.must("confirm-layout")
    until_lost(table, why)
    table.deal()
    table.finish()
    if copy.is_dir():
        (copy / "day-0001-2020-01-01.db").unlink()
    else:
        copy.unlink()
        copy.mkdir()
    in_step(table, copy)
    assert "Traceback" not in table.errors.read_text()
    assert table.stop() == 0


def test_a_disk_of_the_copy_that_refuses_everything_ends_no_table(
    table: Running, folder: Path, copy: Path
) -> None:
    with_copy(table, copy)
    with FailingDisk(built(folder), folder / "faults", copy) as disk:
        disk.refuse_reads_too(looks=True)
        table.environment |= disk.environment
        disk.fail(errno.EACCES, first=1)
        table.start()
        table.watch.must("confirm-layout")
        until_lost(table, "not permitted; check owner and rights of the folder")
        table.deal()
        disk.mend()
        in_step(table, copy)
        disk.fail(errno.EIO, first=1)
        table.finish()
        eventually(lambda: len(table.rows("copy-lost")) > 1, "it is told again")
        assert "the disk did not take the data" in table.rows("copy-lost")[-1]["body"]["why"]
        disk.mend()
        in_step(table, copy)
        assert table.stop() == 0
    assert "Traceback" not in table.errors.read_text()


def test_an_altered_copy_is_an_alarm_and_stays_as_it_is(table: Running, copy: Path) -> None:
    with_copy(table, copy)
    table.start()
    table.watch.must("confirm-layout")
    table.deal()
    in_step(table, copy)
    table.stop()
    file = database(copy)
    was = file.read_bytes()
    file.write_bytes(was.replace(b"the game begins", b"the game BEGINS"))
    assert (altered := file.read_bytes()) != was
    table.start()
    table.watch.must("confirm-layout")
    until_lost(table, "it was altered: ")
    assert file.read_bytes() == altered
    assert table.stop() == 0
