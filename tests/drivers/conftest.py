"""What the tests of the drivers share: simulated devices, real ptys, and a watch that listens."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from drivers.attend import Attended
from drivers.events import CardOut, DeviceEvent
from drivers.reference_wire import Kind
from drivers.registry import find_driver
from drivers.simulated.client import Client
from drivers.simulated.pack import Pack
from drivers.simulated.shuffler import SimulatedShuffler

FDS = Path("/proc/self/fd")

PATIENCE = 10.0
"""Seconds after which what did not happen is not going to happen, even on a busy machine."""


class Program:
    """``python -m drivers.simulated``, with a client at its control socket."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "drivers.simulated", str(folder), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._client: Client | None = None
        self.ready: dict[str, Any] = {}

    def wait_until_ready(self) -> "Program":
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.stderr.read().decode())
        self.ready = json.loads(line)
        self._client = Client(Path(self.ready["control"]))
        return self

    def port(self, device: str) -> str:
        return self.ready["ports"][device]

    def ask(self, do: str, **fields: object) -> dict[str, Any]:
        return self._client.ask(do, **fields)

    def end(self) -> None:
        if self._client is not None:
            self._client.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


@pytest.fixture
def open_files() -> Callable[[], int]:
    """Returns a count of this process's open files."""
    return lambda: len(list(FDS.iterdir()))


@pytest.fixture
def start_program(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """Starts the program; what the test leaves running is ended."""
    started: list[Program] = []

    def start(*arguments: str, folder: Path = tmp_path / "bench") -> Program:
        started.append(Program(folder, *arguments))
        return started[-1]

    yield start
    for program in started:
        program.end()


@pytest.fixture
def bench(start_program: Callable[..., Program]) -> Program:
    """A running program with all devices."""
    return start_program().wait_until_ready()


@pytest.fixture(scope="session")
def full_bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """A running program with all kinds of devices, for tests that leave it as it was."""
    devices = "shoe,bee-tek-shoe,shuffler-1,shuffler-2,multishuffler,buttons,meter,pedal,keys"
    program = Program(tmp_path_factory.mktemp("full") / "bench", "--devices", devices)
    try:
        yield program.wait_until_ready()
    finally:
        program.end()


@pytest.fixture(scope="session")
def steady_bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """A running program for tests that leave it as it was."""
    program = Program(tmp_path_factory.mktemp("steady") / "bench")
    try:
        yield program.wait_until_ready()
    finally:
        program.end()


class Watch:
    """Attends devices on the running loop, keeps what they tell, and waits for more."""

    def __init__(self) -> None:
        self.told: list[tuple[str, DeviceEvent]] = []
        self._news = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._devices: list[Attended] = []

    def tell(self, name: str, event: DeviceEvent) -> None:
        self.told.append((name, event))
        self._news.set()

    def attend(
        self, name: str, driver: Any, port: str, capture: Path | None = None, **options: object
    ) -> Attended:
        known = find_driver(driver) if isinstance(driver, str) else driver
        device = Attended(name, known, port, options, capture=capture)
        self._tasks.append(asyncio.create_task(device.run(self.tell)))
        self._devices.append(device)
        return device

    def of(self, name: str) -> list[DeviceEvent]:
        return [event for teller, event in self.told if teller == name]

    def kinds(self, name: str) -> list[str]:
        return [type(event).__name__ for event in self.of(name)]

    def cards(self, name: str) -> list[str | None]:
        return [event.card for event in self.of(name) if isinstance(event, CardOut)]

    async def a_moment(self, seconds: float = 0.2) -> None:
        """Give what must not happen the time to happen."""
        await asyncio.sleep(seconds)

    async def until(self, true: Callable[[], bool], why: str = "") -> None:
        """Wait until *true*, looking again with each event and every few milliseconds."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not true():
                    self._news.clear()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(0.02):
                            await self._news.wait()
        except TimeoutError:
            health = [(each.name, each.health()) for each in self._devices]
            raise AssertionError(
                f"did not happen: {why}; told at last: {self.told[-20:]}; {health}"
            ) from None

    async def count(self, name: str, kind: type, number: int = 1) -> list[DeviceEvent]:
        """Wait until *name* has told *number* events of *kind*; return these."""

        def found() -> list[DeviceEvent]:
            return [event for event in self.of(name) if isinstance(event, kind)]

        await self.until(lambda: len(found()) >= number, f"{number} {kind.__name__} of {name}")
        return found()

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()


class Talk:
    """A codec and a simulated device of the reference protocol, without a line, in no time at all.

    ``to_host`` and ``to_device`` may lose or change what is on its way.
    """

    STEP = 0.05

    def __init__(self, codec: Any, device: Any) -> None:
        self.codec = codec
        self.device = device
        self.now = 100.0
        self.told: list[DeviceEvent] = []
        self.greeting: list[DeviceEvent] = []
        self.sent: list[bytes] = []
        self.to_host: Callable[[bytes], bytes] = lambda data: data
        self.to_device: Callable[[bytes], bytes] = lambda data: data
        self._beat_at = self.now + 1.0
        codec.greet(self.now)

    def hear(self, frames: list[bytes]) -> None:
        for each in frames:
            self.told += self.codec.feed(self.to_host(each), self.now)

    def run(self, seconds: float) -> "Talk":
        """Let time go by, both sides doing what they do."""
        end = self.now + seconds
        while self.now < end - 1e-9:
            self.told += self.codec.tick(self.now)
            if data := self.codec.pending(self.now):
                self.sent.append(data)
                self.hear(self.device.receive(self.to_device(data)))
            else:
                self.now += self.STEP
            if self.now >= self._beat_at:
                self._beat_at += 1.0
                self.hear(self.device.heartbeat())
        return self

    def command(self, command: Any, command_id: int | None = None) -> None:
        self.codec.encode(command, command_id)

    def news(self) -> list[DeviceEvent]:
        """What was told since this was asked last."""
        told, self.told = self.told, []
        return told


@pytest.fixture
def talk() -> type[Talk]:
    """Lets a codec and a device talk."""
    return Talk


@pytest.fixture
def shuffling() -> Callable[..., Talk]:
    """A shuffler with four cards, greeted, and its greeting's events taken."""

    def make(**options: object) -> Talk:
        device = SimulatedShuffler(Kind.SHUFFLER, "S-1", Pack())
        device.load(["7S", "TD", "AH", "KC"], "blue")
        codec = find_driver("reference-shuffler").codec({"commands": True, **options})
        both = Talk(codec, device).run(0.5)
        both.greeting = both.news()
        return both

    return make


def _device_threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith("device ")]


@pytest.fixture
def watching() -> Iterator[Callable[[Callable[[Watch], Any]], None]]:
    """Runs ``story(watch)`` on a loop of its own; afterwards no thread of a device is left."""

    def run(story: Callable[[Watch], Any]) -> None:
        async def whole() -> None:
            watch = Watch()
            try:
                await story(watch)
            finally:
                await watch.end()

        asyncio.run(whole())

    yield run
    for thread in _device_threads():
        thread.join(PATIENCE)
    assert _device_threads() == []
