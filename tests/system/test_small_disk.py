"""A disk that is nearly full: told in time; a table that could not record a day does not open."""

import contextlib
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.processes import PROGRAM, started, tablekeeper
from tests.system.table import Running, running

SIZE_MB, ROOM_MB = 150, 100
LITTLE_MB = 70


@pytest.fixture
def small_disk(folder: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A real disk of its own for the table's state, a small one."""
    options = getattr(request, "param", f"size={SIZE_MB}m")
    state = folder / "state"
    state.mkdir()
    mounted = subprocess.run(
        ["/usr/bin/mount", "-t", "tmpfs", "-o", options, "tmpfs", str(state)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"a small disk needs the right to mount one: {mounted.stderr.strip()}")
    try:
        yield state
    finally:
        subprocess.run(["/usr/bin/umount", "--lazy", str(state)], timeout=30, check=True)


@pytest.fixture
def table(folder: Path, small_disk: Path) -> Iterator[Running]:
    with running(folder) as it:
        yield it


def test_a_disk_that_is_nearly_full_is_told_while_play_goes_on(table: Running) -> None:
    view = table.watch.until(lambda view: view["warning"], "the warning")

    assert view["warning"].startswith("The disk of the table is nearly full: 1")
    assert view["warning"].endswith("MB left; free space or move sealed days away")
    assert view["trouble"] == ""
    table.deal()
    table.finish()


def test_watch_shows_it_in_a_pipe(table: Running, folder: Path) -> None:
    table.watch.until(lambda view: view["warning"], "the warning")
    command = [*PROGRAM, "watch", "--socket", table.socket]
    with started(command, errors=folder / "watch.err") as watching:
        assert watching.stdout is not None

        assert b"The disk of the table is nearly full" in watching.stdout.readline()


def test_a_table_that_could_not_record_a_day_does_not_open(
    table: Running, small_disk: Path
) -> None:
    table.stop()
    before = table.rows()
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\1" * (LITTLE_MB * 1_000_000))
    text = table.config.read_text()
    table.config.write_text(text.replace("[table]\n", f"[table]\nroom = {ROOM_MB}\n"))
    refused = tablekeeper("run", "--rehearsal", "--config", table.config)

    assert refused.returncode == 78
    (said,) = refused.stderr.splitlines()
    assert f"{small_disk}: " in said
    assert f"only with {ROOM_MB} MB (table.room)" in said
    assert "free space or move sealed days away" in said
    assert table.rows() == before
    ballast.unlink()
    table.start()
    table.go_on()
    table.deal()


def ask_for(table: Running, room_mb: int) -> None:
    """Let the table ask for so much room from its next start on."""
    text = table.config.read_text()
    table.config.write_text(text.replace("[table]\n", f"[table]\nroom = {room_mb}\n"))


@pytest.fixture
def filled(table: Running, small_disk: Path) -> Path:
    """A disk that filled up while ann's hand was in turn and the controller was dead."""
    ask_for(table, ROOM_MB)
    table.deal()
    table.kill()
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"\1" * (LITTLE_MB * 1_000_000))
    table.start()
    return ballast


def test_in_mid_round_it_opens_and_plays_to_the_rounds_end(table: Running, filled: Path) -> None:
    told = table.watch.look()
    assert "MB left" in told["warning"]
    assert any(
        check["name"] == "disk" and not check["ok"] and "played to its end" in check["words"]
        for check in told["self_test"]
    )
    table.go_on()  # as shown
    view = table.finish()

    assert "No new round yet" in view["next"]
    assert f"only with {ROOM_MB} MB (table.room)" in view["next"]
    assert "free space or move sealed days away" in view["next"]
    refused = table.watch.ask("wager", box=2, player="ann", main=1000)
    assert not refused["accepted"]
    assert "No new round yet" in refused["why"]
    assert len(table.rows("disk-low")) == 1

    filled.unlink()
    table.watch.until(lambda view: "No new round" not in view["next"], "play goes on by itself")
    table.deal()
    table.finish()
    assert tablekeeper("log", "verify", "--decide", table.state).returncode == 3
    assert len(table.rows("disk-low", "disk-enough")) == 2


def test_between_two_rounds_it_does_not_open(table: Running, filled: Path) -> None:
    table.go_on()
    table.finish()
    table.kill()
    refused = tablekeeper("run", "--rehearsal", "--config", table.config)

    assert (refused.returncode, "only with" in refused.stderr) == (78, True)
    filled.unlink()
    table.start()
    assert table.watch.look()["next"].startswith("Is the layout as shown?")
    assert len(table.rows("disk-enough")) == 1


def test_a_disk_that_is_full_altogether_is_waited_for(table: Running, small_disk: Path) -> None:
    ask_for(table, ROOM_MB)
    layout = table.deal() and table.layout()
    table.kill()
    ballast = small_disk / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    room_again = threading.Timer(1.0, ballast.unlink)
    room_again.start()
    table.start()

    assert table.layout() == layout
    table.go_on()
    table.finish()


FEW = 90
"""Files in all: fewer than a table needs to open."""


@pytest.mark.parametrize("small_disk", [f"size=3g,nr_inodes={FEW}"], indirect=True)
def test_a_disk_on_which_few_files_can_be_made_is_told_while_play_goes_on(table: Running) -> None:
    view = table.watch.until(lambda view: view["warning"], "the warning")

    assert view["warning"].startswith("The disk of the table is nearly full: only ")
    assert "more files (inodes) can be made" in view["warning"]
    table.deal()
    table.finish()


@pytest.mark.parametrize("small_disk", [f"size=3g,nr_inodes={FEW}"], indirect=True)
def test_a_table_that_could_not_make_a_days_files_does_not_open(
    table: Running, small_disk: Path
) -> None:
    table.stop()
    before = table.rows()
    text = table.config.read_text()
    table.config.write_text(text.replace("[table]\n", "[table]\nroom_files = 100\n"))
    refused = tablekeeper("run", "--rehearsal", "--config", table.config)

    assert refused.returncode == 78
    (said,) = refused.stderr.splitlines()
    assert "files can be made on this disk (inodes)" in said
    assert "only with 100 (table.room_files)" in said
    assert table.rows() == before
    table.config.write_text(text.replace("[table]\n", "[table]\nroom_files = 10\n"))
    table.start()
    table.go_on()
    table.deal()


@pytest.mark.parametrize("small_disk", ["size=3g,nr_inodes=0"], indirect=True)
def test_a_disk_without_a_number_of_files_opens(table: Running) -> None:
    table.stop()
    text = table.config.read_text()
    table.config.write_text(text.replace("[table]\n", "[table]\nroom_files = 1000000\n"))
    table.start()

    assert table.watch.look()["warning"] == ""
