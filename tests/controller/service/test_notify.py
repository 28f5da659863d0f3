"""What systemd is told by a table that runs, read at the other end of the socket it names."""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.service.notify import Systemd
from tests.system.processes import PATIENCE, PROGRAM, started
from tests.system.table import Running, config
from tests.system.talk import Talk


class Manager:
    """The service manager's end."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.settimeout(PATIENCE)
        self.socket.bind(address)

    def next(self) -> str:
        """Return what is told next."""
        return self.socket.recv(4096).decode()

    def until(self, wanted: str) -> list[str]:
        """Wait until it is told; return all that was told before."""
        before = []
        while not (line := self.next()).startswith(wanted):
            before.append(line)
        return before


@contextlib.contextmanager
def manager(address: str) -> Iterator[Manager]:
    """Listen at an address; afterwards nobody does."""
    listening = Manager(address)
    try:
        yield listening
    finally:
        listening.socket.close()


@contextlib.contextmanager
def told(folder: Path, **more: str) -> Iterator[tuple[Manager, "subprocess.Popen[bytes]"]]:
    """Run a table whose devices are away, and listen to what it tells."""
    file = folder / "table.toml"
    file.write_text(config(folder, {"shoe": str(folder / "shoe")}))
    address = folder / "notify"
    command = [*PROGRAM, "run", "--rehearsal", "--config", file]
    environment = {"NOTIFY_SOCKET": str(address), **more}
    with (
        manager(str(address)) as listening,
        started(command, errors=folder / "err", environment=environment) as controller,
    ):
        yield listening, controller


def test_it_tells_ready_when_the_table_answers_and_stopping_before_it_ends(folder: Path) -> None:
    with told(folder) as (systemd, controller):
        before = systemd.until("READY=1")
        with Talk(folder / "control.sock") as talk:  # at once, without trying again
            assert talk.look()["state"] == "wagers"
        assert all(line.startswith(("STATUS=", "EXTEND_TIMEOUT_USEC=")) for line in before)
        controller.send_signal(signal.SIGTERM)
        systemd.until("STOPPING=1")
        assert controller.wait(PATIENCE) == 0


def test_it_tells_where_the_round_is_and_what_is_not_there(folder: Path) -> None:
    with told(folder) as (systemd, _controller):
        systemd.until("STATUS=round 1, wagers; not there: shoe")


def test_it_gives_signs_of_life_as_long_as_it_lives(folder: Path) -> None:
    with told(folder, WATCHDOG_USEC="200000") as (systemd, controller):
        systemd.until("READY=1")
        for _ in range(3):
            systemd.until("WATCHDOG=1")
        controller.send_signal(signal.SIGSTOP)
        with contextlib.suppress(TimeoutError):
            systemd.socket.settimeout(1.0)
            while systemd.next():
                pass
        controller.send_signal(signal.SIGCONT)
        systemd.socket.settimeout(PATIENCE)
        systemd.until("WATCHDOG=1")


def test_the_watchdog_of_another_process_is_not_fed(folder: Path) -> None:
    other = {"WATCHDOG_USEC": "200000", "WATCHDOG_PID": "1"}

    assert Systemd.from_environment(other).watchdog is None
    assert Systemd.from_environment({**other, "WATCHDOG_PID": str(os.getpid())}).watchdog == 0.2


@pytest.mark.parametrize("micro", ["", "0", "soon", "-5"])
def test_a_watchdog_that_is_none_is_not_fed(micro: str) -> None:
    assert Systemd.from_environment({"WATCHDOG_USEC": micro}).watchdog is None


def test_without_systemd_nothing_is_told_and_nothing_is_missing(table: Running) -> None:
    assert "NOTIFY_SOCKET" not in os.environ
    table.deal()
    table.finish()
    assert "systemd" not in table.errors.read_text()


def test_a_manager_that_is_away_is_no_trouble_of_the_table(folder: Path) -> None:
    Systemd(str(folder / "nobody")).ready()


def test_an_abstract_address_is_understood() -> None:
    name = f"tablekeeper-test-{os.getpid()}"
    with manager(f"\0{name}") as listening:
        Systemd(f"@{name}").status("two\nlines  become one")
        assert listening.next() == "STATUS=two lines become one"
