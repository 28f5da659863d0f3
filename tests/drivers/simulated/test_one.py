"""One device with a prompt, on a line of its own or on one that is there already."""

import os
import select
import signal
import subprocess
import sys
import threading
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drivers.events import CardOut, DeviceState, Gap, Lost, Online, Press

ENDS_WITHIN = 10


class Prompt:
    """``python -m drivers.simulated --one``, typed at by a test."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "drivers.simulated", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def type(self, line: str) -> str:
        """Type a line and return the line that answers it."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


@pytest.fixture
def start() -> Iterator[Callable[..., Prompt]]:
    started: list[Prompt] = []

    def new(*arguments: str) -> Prompt:
        started.append(Prompt(*arguments))
        return started[-1]

    yield new
    for prompt in started:
        prompt.end()


@pytest.fixture
def shuffler(start) -> tuple[Prompt, str]:
    """A shuffler with a prompt, and the path of its line."""
    prompt = start("--one", "shuffler-1")
    ready = prompt.process.stdout.readline()
    assert ready.startswith("shuffler-1 is at /")
    assert ready.endswith("; help shows what can be done\n")
    return prompt, ready.split()[3].removesuffix(";")


def test_an_integrator_plays_with_a_shuffler(shuffler, watching) -> None:
    prompt, port = shuffler

    async def story(watch) -> None:
        watch.attend("shuffler", "reference-shuffler", port)
        await watch.count("shuffler", DeviceState)
        assert prompt.type("load 1") == "sent: yes, left: 52, drawn: 0"
        assert prompt.type("draw").startswith("card: ")
        assert prompt.type("draw ??") == "card: ??, sent: yes, left: 50, drawn: 2"
        await watch.count("shuffler", CardOut, 2)
        assert prompt.type("jam 2") == "sent: yes"
        assert prompt.type("draw") == "no: no card leaves while the device is jam"
        assert prompt.type("clear jam") == "sent: yes"
        assert prompt.type("garbage") == "sent: yes"
        assert prompt.type("switch silent true") == "done"
        assert prompt.type("draw").startswith("card: ")
        assert prompt.type("switch silent") == "done"
        await watch.count("shuffler", Gap)
        assert prompt.type("unplug") == "done"
        await watch.count("shuffler", Lost)
        assert prompt.type("plug") == "done"
        await watch.count("shuffler", Online, 2)
        assert prompt.type("wave") == "no: 'wave' is not understood; help shows what is"
        assert prompt.type("press x") == "no: a shuffling device cannot do that"
        assert "shuffler-1" in prompt.type("status")
        assert prompt.type("help").startswith("press CONTROL")

    watching(story)


@pytest.mark.parametrize("how", ["quit", "exit", "end", "signal"])
def test_it_ends_when_told_to_and_leaves_nothing(shuffler, how) -> None:
    prompt, port = shuffler
    folder = Path(port).parent
    assert folder.is_dir()
    if how == "signal":
        prompt.process.send_signal(signal.SIGTERM)
    elif how == "end":
        prompt.process.stdin.close()
    else:
        prompt.process.stdin.write(how + "\n")
        prompt.process.stdin.flush()

    assert prompt.process.wait(ENDS_WITHIN) == 0
    assert not folder.exists()


def test_lines_that_were_piped_in_are_all_done(start) -> None:
    prompt = start("--one", "buttons")
    out, _ = prompt.process.communicate(
        "press surrender-1\n\npress surrender-2\nstatus", ENDS_WITHIN
    )
    assert out.splitlines()[1:3] == ["sent: yes", "sent: yes"]
    assert out.splitlines()[3].startswith("devices: ")


@pytest.fixture
def null_modem() -> Iterator[tuple[str, str]]:
    """Two lines that are there already, each other's far ends."""
    ends = [os.openpty() for _ in range(2)]
    for _, slave in ends:
        tty.setraw(slave)
    (one, _), (other, _) = ends
    stop_read, stop_write = os.pipe()

    def carry(here: int, there: int) -> None:
        while True:
            ready, _, _ = select.select([here, stop_read], [], [])
            if stop_read in ready:
                return
            os.write(there, os.read(here, 4096))

    threads = [
        threading.Thread(target=carry, args=pair, name="null modem")
        for pair in ((one, other), (other, one))
    ]
    for thread in threads:
        thread.start()
    yield os.ttyname(ends[0][1]), os.ttyname(ends[1][1])
    os.write(stop_write, b"x")
    for thread in threads:
        thread.join(10)
    for descriptor in (*ends[0], *ends[1], stop_read, stop_write):
        os.close(descriptor)


def test_a_device_can_be_served_at_a_port_that_is_there_already(
    start, null_modem, watching
) -> None:
    device, host = null_modem
    prompt = start("--one", "buttons", "--port", device, "--baud", "19200")
    assert prompt.process.stdout.readline().startswith(f"buttons is at {device};")

    async def story(watch) -> None:
        watch.attend("buttons", "reference-buttons", host, silent_ms=1500)
        await watch.count("buttons", Online)
        assert prompt.type("press surrender-3") == "sent: yes"
        assert await watch.count("buttons", Press) == [Press("surrender-3", held=False)]
        assert prompt.type("unplug") == "done"
        assert prompt.type("press surrender-3") == "sent: no"
        await watch.count("buttons", Lost)
        assert prompt.type("plug") == "done"
        await watch.count("buttons", Online, 2)

    watching(story)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--one", "toaster"], "no device toaster; there are shoe, bee-tek-shoe, shuffler"),
        (["--one", "pedal", "--port", "/dev/null"], "cannot be simulated at a serial port"),
        (["--one", "shoe", "--port", "/no/such/port"], "/no/such/port cannot be opened"),
        (["--one", "shoe", "--port", "/dev/null"], "/dev/null cannot be opened"),
        ([], "a folder, or --one NAME"),
        (["DIR", "--port", "/dev/null"], "--port is for --one NAME"),
        (["DIR", "--playback", "nofile"], "is not NAME=FILE"),
        (["DIR", "--playback", "x=/no/such/file"], "/no/such/file"),
        (["DIR", "--devices", "shoe,shoe"], "two devices of one name: shoe, shoe"),
    ],
)
def test_what_cannot_be_started_says_why(start, tmp_path, arguments, why) -> None:
    prompt = start(*[str(tmp_path / "dir") if each == "DIR" else each for each in arguments])
    _, err = prompt.process.communicate(timeout=ENDS_WITHIN)

    assert prompt.process.returncode == 2
    assert why in err
    assert not (tmp_path / "dir").exists()
