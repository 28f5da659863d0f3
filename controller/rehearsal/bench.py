"""A rehearsal's two processes, wired together: devices at one end, the controller at the other."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from controller.errors import TableGone
from controller.game.options import OPTIONS, Game
from controller.rehearsal.process import READY_WITHIN, Child
from controller.rehearsal.simulator import Simulator
from controller.service.client import Client

DRIVERS: Final[Mapping[str, str]] = {
    "shoe": "angel-eye",
    "shuffler-1": "reference-shuffler",
    "shuffler-2": "reference-shuffler",
    "multishuffler": "reference-multishuffler",
    "buttons": "reference-buttons",
    "pedal": "pcsensor",
    "keys": "boot-keyboard",
    "meter": "alpha",
}
"""Every device that can be simulated, with its driver."""

_OPTIONS: Final[Mapping[str, Mapping[str, str]]] = {"meter": {"framing": "8N1"}}
"""A virtual serial port knows no parity: the simulated sign strips it by itself."""

LOOK_AGAIN: Final = 0.02


class Setup(NamedTuple):
    """What stands at a rehearsal's table."""

    name: str
    game: Game
    devices: Sequence[str]
    source: str = "shoe"
    capture: Path | None = None
    """Where every byte of the devices is kept, if it is."""


class Bench:
    """The simulated devices and the controller of one table.

    ``state`` is what lasts; ``scratch`` is a short path for nodes and sockets.
    """

    def __init__(self, setup: Setup, state: Path, scratch: Path) -> None:
        self.setup = setup
        self.state = state
        self.socket = scratch / "control.sock"
        self._scratch = scratch
        self._config = scratch / "table.toml"
        self._controller: Child | None = None
        self._devices: Child | None = None
        self.simulator: Simulator | None = None

    @property
    def controller(self) -> Child:
        """The controller's process; it must have been started."""
        assert self._controller is not None
        return self._controller

    @property
    def devices(self) -> Child:
        """The simulated devices' process; it must have been started."""
        assert self._devices is not None
        return self._devices

    @property
    def hands(self) -> Simulator:
        """The simulated devices' control socket; they must have been started."""
        assert self.simulator is not None
        return self.simulator

    async def start(self) -> None:
        """Start both processes; the devices are there when this returns, the table soon after."""
        arguments = ["drivers.simulated", str(self._scratch / "dev"), "--until-stdin-closes"]
        arguments += [
            "--devices",
            ",".join(self.setup.devices),
            "--state",
            str(self.state / "pack.json"),
        ]
        self._devices = await Child.start("devices", arguments, self.state / "devices.err")
        ready = await self._devices.ready()
        self.simulator = await Simulator.connect(Path(str(ready["control"])))
        ports = ready["ports"]
        assert isinstance(ports, dict)
        self._config.write_text(_table_toml(self.setup, self.state, self.socket, ports))
        await self.start_controller()

    async def start_controller(self) -> None:
        """Start the controller (again)."""
        arguments = ["controller", "run", "--rehearsal", "--until-stdin-closes"]
        arguments += ["--config", str(self._config)]
        if self.setup.capture is not None:
            arguments += ["--capture", str(self.setup.capture)]
        errors = self.state / "controller.err"
        self._controller = await Child.start("the controller", arguments, errors)

    async def connect(self) -> Client:
        """Return a connection to the table as soon as it answers.

        Raises:
            TableGone: the controller ended instead; says its last words.
        """
        ended = asyncio.ensure_future(self.controller.ended())
        try:
            async with asyncio.timeout(READY_WITHIN):
                while not ended.done():
                    with contextlib.suppress(TableGone):
                        return await Client.connect(self.socket)
                    await asyncio.sleep(LOOK_AGAIN)
        except TimeoutError:
            raise TableGone("the controller does not answer") from None
        finally:
            ended.cancel()
        raise TableGone(self.controller.last_words())

    async def end(self) -> None:
        """End both processes."""
        for child in (self._controller, self._devices):
            if child is not None:
                await child.end()
        if self.simulator is not None:
            await self.simulator.close()


@contextlib.asynccontextmanager
async def bench(setup: Setup, state: Path, scratch: Path) -> AsyncIterator[Bench]:
    """Start a rehearsal and end it, whatever happens in between."""
    it = Bench(setup, state, scratch)
    try:
        await it.start()
        yield it
    finally:
        await it.end()


def _table_toml(setup: Setup, state: Path, socket: Path, ports: Mapping[str, object]) -> str:
    """Write the table's configuration; strings in JSON's quotes are TOML as well."""
    lines = [
        "[table]",
        f"name = {_quoted(setup.name)}",
        f"game = {_quoted(setup.game.name)}",
        f"source = {_quoted(setup.source)}",
        f"state = {_quoted(str(state))}",
        f"socket = {_quoted(str(socket))}",
        "cards_ready = true",
        "[game]",
        *(f"{key} = {_written(getattr(setup.game, key), key)}" for key in OPTIONS),
    ]
    for device in setup.devices:
        lines += [
            f"[devices.{device}]",
            f"driver = {_quoted(DRIVERS[device])}",
            f"port = {_quoted(str(ports[device]))}",
            f"[devices.{device}.options]",
            *(f"{key} = {_quoted(to)}" for key, to in _OPTIONS.get(device, {}).items()),
        ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()


def _written(value: Any, key: str) -> str:
    """Write an option as its file would have it: amounts in dollars."""
    if key in {"minimum", "maximum", "smallest_chip", "side_wager"}:
        return f"{value // 100}.{value % 100:02d}"
    return _quoted(value) if isinstance(value, str) else str(value).lower()
