"""The second copy of the log at a running table: in step, missed, and brought up to date."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.eventlog import LogReader, NotALog
from tests.logs import database
from tests.system.folder import short_folder
from tests.system.processes import eventually, tablekeeper
from tests.system.table import Running, rows_of
from tests.system.test_recover import start_again

DO_NOT_START = 78


@pytest.fixture
def copy() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder / "copy"


@pytest.fixture
def mirrored(table: Running, copy: Path) -> Running:
    """A table whose log is copied, as from its next start."""
    table.stop()
    copy.mkdir()
    text = table.config.read_text()
    table.config.write_text(text.replace("[table]\n", f'[table]\nmirror = "{copy}"\n'))
    table.start()
    table.watch.must("confirm-layout")
    return table


def in_step(table: Running, copy: Path) -> None:
    def same() -> bool:
        with contextlib.suppress(NotALog):  # its file is just being made
            return rows_of(copy) == table.rows()
        return False

    eventually(same, "the copy has all rows")


def test_the_copy_is_in_step_and_verified_by_itself(mirrored: Running, copy: Path) -> None:
    mirrored.deal()
    in_step(mirrored, copy)
    mirrored.finish()
    in_step(mirrored, copy)

    assert mirrored.stop() == 0
    mirrored.start()  # which brings it up to date
    in_step(mirrored, copy)
    assert "intact" in tablekeeper("log", "verify", copy).stdout


def test_a_copy_that_is_gone_is_an_alarm_and_play_goes_on(mirrored: Running, copy: Path) -> None:
    mirrored.deal()
    copy.rename(copy.with_name("pulled"))
    mirrored.go_on()
    view = mirrored.watch.until(lambda view: view["alarms"], "an alarm")
    assert view["alarms"][0].startswith("The second copy of the log is not kept: ")
    mirrored.draw("8C")
    mirrored.go_on()

    copy.mkdir()
    in_step(mirrored, copy)
    eventually(lambda: bool(mirrored.rows("copy-kept")), "it is told that the copy is back")
    assert len(mirrored.rows("copy-lost")) == len(mirrored.rows("copy-kept")) == 1


def test_a_log_put_back_to_an_earlier_state_does_not_start(
    mirrored: Running, copy: Path, folder: Path
) -> None:
    """Database, checkpoints, witness and key are those of an earlier moment; the copy is not."""
    mirrored.stop()
    earlier = shutil.copytree(
        mirrored.state, folder / "earlier", ignore=shutil.ignore_patterns("*.sock")
    )
    mirrored.start()
    mirrored.watch.must("confirm-layout")
    mirrored.deal()
    in_step(mirrored, copy)
    mirrored.stop()
    shutil.rmtree(mirrored.state)
    shutil.move(earlier, mirrored.state)
    assert tablekeeper("log", "verify", mirrored.state).returncode == 0

    done = start_again(mirrored)

    assert done.returncode == DO_NOT_START
    assert "cut off: the second copy has" in done.stderr
    assert str(database(copy)) in done.stderr


def emptied(copy: Path) -> int:
    for file in copy.iterdir():
        file.unlink()
    return 0


def alarm_of_set_back(table: Running) -> str:
    view = table.watch.until(
        lambda view: any("lacks what it has had" in one for one in view["alarms"]), "an alarm"
    )
    return next(one for one in view["alarms"] if "lacks what it has had" in one)


def in_step_and_told(table: Running, copy: Path) -> int:
    """Wait until the copy has all, and the log says how far it has come; return that."""
    eventually(lambda: bool(table.rows("copy-follows")), "the log says how far the copy has come")
    in_step(table, copy)
    return int(table.rows("copy-follows")[-1]["body"]["seq"])


@pytest.mark.parametrize("running", [True, False])
def test_a_copy_that_was_emptied_is_told_before_it_is_filled_again(
    mirrored: Running, copy: Path, running: bool
) -> None:
    had = in_step_and_told(mirrored, copy)
    if not running:
        mirrored.stop()
    emptied(copy)
    if running:
        mirrored.watch.must("wager", box=2, player="ann", main=1000)
    else:
        mirrored.start()

    assert "it is empty" in alarm_of_set_back(mirrored)
    in_step(mirrored, copy)  # it is filled again
    (row,) = mirrored.rows("copy-set-back")
    assert row["body"]["has"] == 0
    assert row["body"]["had"] >= had
    with contextlib.closing(LogReader.open(copy)) as reader:
        assert row["seq"] <= reader.head.seq
    assert mirrored.stop() == 0
    assert "intact" in tablekeeper("log", "verify", copy).stdout


def test_a_copy_put_back_to_an_earlier_state_is_told(
    mirrored: Running, copy: Path, folder: Path
) -> None:
    in_step_and_told(mirrored, copy)
    mirrored.stop()
    earlier = shutil.copytree(copy, folder / "earlier")
    mirrored.start()
    mirrored.watch.must("confirm-layout")
    mirrored.deal()
    eventually(lambda: len(mirrored.rows("copy-follows")) > 1, "the log says it of each run")
    mirrored.stop()
    shutil.rmtree(copy)
    shutil.move(earlier, copy)
    mirrored.start()

    assert "it has " in alarm_of_set_back(mirrored)
    in_step(mirrored, copy)


def test_a_copy_that_only_lags_is_filled_without_a_word(mirrored: Running, copy: Path) -> None:
    in_step_and_told(mirrored, copy)
    copy.rename(copy.with_name("pulled"))
    mirrored.deal()
    eventually(lambda: bool(mirrored.rows("copy-lost")), "its absence is told")
    mirrored.kill()
    copy.with_name("pulled").rename(copy)
    mirrored.start()

    in_step(mirrored, copy)
    mirrored.stop()
    assert mirrored.rows("copy-set-back") == []
