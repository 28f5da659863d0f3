"""A table's socket is its own: who answers is asked first, and nobody else's is taken away."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.system.processes import PATIENCE, PROGRAM, end, eventually, tablekeeper
from tests.system.table import Running, config, rows_of
from tests.system.talk import Talk

HELD, DO_NOT_START = 69, 78
AT_ONCE = 4


def identity(path: Path) -> tuple[int, int]:
    """Return what tells a file from every other one."""
    found = path.lstat()
    return found.st_dev, found.st_ino


def other(folder: Path, name: str = "other") -> Path:
    """Return a configuration with another state and the same socket."""
    file = folder / f"{name}.toml"
    ports = {"shoe": str(folder / f"{name}-shoe")}
    file.write_text(config(folder, ports, state=folder / f"{name}-state"))
    return file


def run(file: Path) -> "subprocess.CompletedProcess[str]":
    return tablekeeper("run", "--rehearsal", "--config", file)


def told(done: "subprocess.CompletedProcess[str]") -> str:
    """Return the one line that a controller which did not start said."""
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith("{")]
    assert line.startswith("tablekeeper: table.socket = ")
    return line


def is_refused(table: Running) -> None:
    """Check that a second controller is refused and the first has lost nothing by it."""
    before = identity(table.socket)
    done = run(other(table.folder))

    assert done.returncode == HELD, done.stderr
    assert f"process {table.controller.pid} has it" in told(done)
    assert "stop that controller first" in done.stderr
    assert identity(table.socket) == before
    assert not (table.folder / "other-state" / "log").exists()


def test_a_second_controller_with_another_state_does_not_get_the_socket(table: Running) -> None:
    table.deal()
    is_refused(table)

    with Talk(table.socket) as talk:
        assert talk.look()["turn"] == {"box": 2, "hand": 1}
    table.finish()


def test_a_table_that_stands_still_keeps_its_socket(table: Running) -> None:
    table.controller.send_signal(signal.SIGSTOP)
    try:
        is_refused(table)
    finally:
        table.controller.send_signal(signal.SIGCONT)
    table.deal()


def test_the_socket_is_kept_also_where_the_lock_beside_it_was_deleted(table: Running) -> None:
    table.socket.with_name("control.sock.lock").unlink()
    is_refused(table)


def test_nothing_is_left_of_the_place_and_the_next_may_have_it(table: Running) -> None:
    table.stop()

    assert not table.socket.exists()
    assert not table.socket.with_name("control.sock.lock").exists()
    table.start()


def test_a_socket_that_somebody_put_in_its_place_is_not_taken_away(table: Running) -> None:
    table.socket.unlink()
    with socket.socket(socket.AF_UNIX) as theirs:
        theirs.bind(str(table.socket))
        theirs.listen()
        before = identity(table.socket)
        assert table.stop() == 0

        assert identity(table.socket) == before


def a_file(path: Path) -> None:
    path.write_text("seven years of work")


def a_link_to_a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as theirs:
        theirs.bind(str(path.with_name("theirs.sock")))
    path.symlink_to(path.with_name("theirs.sock"))


def a_link_to_nowhere(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_socket_of_another_kind(path: Path) -> None:
    datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    datagrams.bind(str(path))
    KEPT.append(datagrams)


KEPT: list[socket.socket] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while KEPT:
        KEPT.pop().close()


@pytest.mark.parametrize(
    "put", [a_file, a_link_to_a_socket, a_link_to_nowhere, Path.mkdir, a_pipe,
            a_socket_of_another_kind],
)  # fmt: skip
def test_what_is_no_table_socket_stays_and_the_table_says_so(
    folder: Path, put: Callable[[Path], None]
) -> None:
    place = folder / "control.sock"
    put(place)
    before = identity(place)
    done = run(other(folder))

    assert done.returncode == DO_NOT_START, done.stderr
    assert "stands there" in told(done)
    assert identity(place) == before
    assert not (folder / "other-state" / "log").exists()


@contextlib.contextmanager
def all_at_once(files: list[Path]) -> "Iterator[list[subprocess.Popen[bytes]]]":
    started = [
        subprocess.Popen(
            [*PROGRAM, "run", "--rehearsal", "--config", str(file)],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for file in files
    ]
    try:
        yield started
    finally:
        for process in started:
            end(process)


@pytest.mark.parametrize("left", [False, True], ids=["nothing there", "a socket left there"])
def test_of_some_that_start_at_once_one_gets_the_socket(folder: Path, left: bool) -> None:
    place = folder / "control.sock"
    if left:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(place))
    with all_at_once([other(folder, f"n{number}") for number in range(AT_ONCE)]) as started:
        eventually(
            lambda: sum(process.poll() is None for process in started) <= 1, "all but one ended"
        )
        (running,) = [process for process in started if process.poll() is None]
        eventually(lambda: is_served_by(place, running.pid), "it answers")
        assert sorted(process.poll() or 0 for process in started) == [0, *[HELD] * (AT_ONCE - 1)]
        running.terminate()
        assert running.wait(PATIENCE) == 0
    logs = [state for state in folder.glob("n*-state") if (state / "log").exists()]
    assert len(logs) == 1
    assert rows_of(logs[0])[-1]["kind"] == "stopped"


def is_served_by(place: Path, pid: int) -> bool:
    with contextlib.suppress(OSError), Talk(place) as talk:
        told = talk.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        return int.from_bytes(told[:4], sys.byteorder) == pid
    return False


def test_a_demo_leaves_a_table_alone_that_listens_beside_its_state(table: Running) -> None:
    before = identity(table.socket)
    done = tablekeeper("demo", "--fast", "--rounds", "1", "--state", table.folder)

    assert done.returncode == HELD, done.stderr
    assert f"process {table.controller.pid}" in done.stderr
    assert identity(table.socket) == before
    table.deal()
