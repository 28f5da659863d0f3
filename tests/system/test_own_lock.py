"""One table a log: also where its lock was deleted, replaced, or was never a file of its own."""

import contextlib
import fcntl
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.system.processes import eventually, tablekeeper
from tests.system.table import Running, config

HELD, DO_NOT_START = 69, 78


def second(table: Running) -> "subprocess.CompletedProcess[str]":
    """Run a second controller on the same state, with a socket of its own."""
    file = table.folder / "second.toml"
    text = config(table.folder, {"shoe": str(table.folder / "none")})
    file.write_text(text.replace("control.sock", "second.sock"))
    return tablekeeper("run", "--rehearsal", "--config", file)


def must_be_held(table: Running) -> None:
    done = second(table)
    assert done.returncode == HELD, done.stderr
    assert f"held by process {table.controller.pid};" in done.stderr
    assert not (table.folder / "second.sock").exists()


def lock_of(table: Running) -> Path:
    return table.state / "log" / "lock"


def is_locked(lock: Path) -> bool:
    fd = os.open(lock, os.O_RDWR)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def test_a_lock_that_was_deleted_lets_no_second_controller_onto_the_log(table: Running) -> None:
    table.deal()
    lock_of(table).unlink()
    must_be_held(table)
    table.finish()


def test_a_lock_that_was_made_anew_lets_no_second_controller_onto_the_log(table: Running) -> None:
    lock_of(table).unlink()
    lock_of(table).write_text("1\n")
    must_be_held(table)
    table.deal()


def test_a_running_table_makes_its_lock_anew_and_plays_on(table: Running) -> None:
    table.deal()
    lock_of(table).unlink()
    eventually(lambda: lock_of(table).exists() and is_locked(lock_of(table)), "it is locked again")

    assert lock_of(table).read_text().strip() == str(table.controller.pid)
    must_be_held(table)
    eventually(lambda: "taken away and is made anew" in table.errors.read_text(), "it is told")
    table.finish()
    assert table.stop() == 0
    table.start()


@contextlib.contextmanager
def locked_by_us(lock: Path) -> Iterator[None]:
    """Put a file with our lock in the place of a table's."""
    new = lock.with_name("new")
    fd = os.open(new, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        os.write(fd, f"{os.getpid()}\n".encode())
        new.rename(lock)
        yield
    finally:
        os.close(fd)


def test_a_table_whose_lock_another_has_ends_in_order_and_names_it(table: Running) -> None:
    table.deal()
    with locked_by_us(lock_of(table)):
        assert table.ended() == HELD

    assert f"held by process {os.getpid()};" in table.errors.read_text()
    assert "Traceback" not in table.errors.read_text()
    assert table.rows()[-1]["kind"] == "stopped"
    assert tablekeeper("log", "verify", table.state).returncode == 0


def a_link(lock: Path) -> None:
    lock.with_name("elsewhere").touch()
    lock.symlink_to("elsewhere")


def a_second_name(lock: Path) -> None:
    lock.with_name("precious").write_text("seven years of work")
    lock.hardlink_to(lock.with_name("precious"))


def a_pipe(lock: Path) -> None:
    os.mkfifo(lock)


WRONG = {"a link": a_link, "a file with two names": a_second_name, "no file": a_pipe}
TOLD = {
    "a link": "a link stands where the file should be",
    "a file with two names": "it has another name (a hard link)",
    "no file": "a pipe stands where the file should be",
}
"""How the start tells it, which looks at all files before it takes the lock."""


@pytest.mark.parametrize("what", WRONG)
def test_a_lock_that_is_no_file_of_its_own_is_refused(table: Running, what: str) -> None:
    table.stop()
    lock_of(table).unlink()
    put: Callable[[Path], None] = WRONG[what]
    put(lock_of(table))
    done = second(table)

    assert done.returncode == DO_NOT_START, done.stderr
    assert f"{lock_of(table)}: {TOLD[what]}" in done.stderr
    if what == "a file with two names":
        assert (table.state / "log" / "precious").read_text() == "seven years of work"


def test_a_lock_that_is_a_folder_is_refused(table: Running) -> None:
    table.stop()
    lock_of(table).unlink()
    lock_of(table).mkdir()
    done = second(table)

    assert done.returncode == DO_NOT_START, done.stderr
    assert "tablekeeper: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("what", WRONG)
def test_a_table_whose_lock_became_something_else_plays_on_and_tells_the_journal(
    table: Running, what: str
) -> None:
    lock_of(table).unlink()
    WRONG[what](lock_of(table))
    eventually(lambda: f"it is {what}" in table.errors.read_text(), "it is told")
    must_not_run = second(table)

    assert must_not_run.returncode == DO_NOT_START
    table.deal()
    table.finish()
    assert table.stop() == 0
