"""What is pressed, on the bench: pedals, keypads and button boxes."""

import asyncio
from collections.abc import Mapping

from drivers.ports.simulated_wire import Description
from drivers.simulated import requests as ask
from drivers.simulated.benched import Answer, Benched, BenchedSerial, bytes_in, require_hold
from drivers.simulated.buttons import SimulatedButtons
from drivers.simulated.cable import Cable
from drivers.simulated.keyboard import SimulatedKeyboard
from drivers.simulated.line import Place
from drivers.simulated.reference import SWITCHES
from drivers.simulated.refused import Refused
from drivers.simulated.usb_end import UsbEnd


class BenchedKeyboard(Benched):
    """A pedal or keypad, on a USB socket."""

    def __init__(self, place: Place, unit: Description, usages: Mapping[str, int]) -> None:
        """Take where it is to be found, what enumeration shows, and its controls.

        Raises:
            Refused: a serial port is asked for.

        """
        if place.port is not None:
            raise Refused("a USB device cannot be simulated at a serial port")
        path = place.path.with_name(place.path.name + ".usb")
        self.port = f"simulated:{path}"
        self._keyboard = SimulatedKeyboard(usages)
        self._end = UsbEnd(path, unit, self._keyboard.state, self._keyboard.switches)

    async def plug(self) -> None:
        """Make the node."""
        await self._end.plug()

    def unplug(self) -> None:
        """Take the node away."""
        self._end.unplug()

    def status(self) -> Answer:
        """Return how it is."""
        return {
            "plugged": self._end.plugged,
            "host": self._end.has_host,
            "down": self._keyboard.down,
            "switches": {name: value for name, value in self._keyboard.switches.items() if value},
        }

    async def answer(self, request: ask.Request) -> Answer:
        """Do what is asked.

        Raises:
            Refused: it cannot be done, or not with what is pressed.

        """
        match request:
            case ask.Press(control=control, hold=hold):
                return {"taken": await self._press(control, hold)}
            case ask.Down(control=control):
                return {"taken": await self._send(self._keyboard.press(control))}
            case ask.Up(control=control):
                return {"taken": await self._send(self._keyboard.let_go(control))}
            case ask.Raw(hex=text):
                return {"taken": await self._end.send(bytes_in(text))}
            case ask.Switch(name=name, value=value):
                self._keyboard.set(name, value)
                return {}
            case _:
                raise Refused("only a shoe can do that")

    async def _press(self, control: str, hold: float) -> bool:
        require_hold(hold)
        await self._send(self._keyboard.press(control))
        await asyncio.sleep(hold)
        return await self._send(self._keyboard.let_go(control))

    async def _send(self, reports: list[bytes]) -> bool:
        taken = [await self._end.send(report) for report in reports]
        return all(taken) and bool(taken)


class BenchedButtons(BenchedSerial):
    """A button box, on a pty."""

    beats_every = 1.0

    def __init__(self, place: Place) -> None:
        """Take where it is to be found, which is its serial number too."""
        super().__init__(place, Cable(copies=1))
        self._buttons = SimulatedButtons(place.path.name)

    def _status(self) -> Answer:
        return {
            "down": self._buttons.down,
            "lit": self._buttons.lit,
            "armed": self._buttons.armed,
            "serial": self._buttons.hello.serial,
        }

    async def _answer(self, request: ask.Request) -> Answer:
        match request:
            case ask.Press(control=control, hold=hold):
                require_hold(hold)
                self._line.send(self._buttons.press(control))
                await asyncio.sleep(hold)
                return {"sent": self._line.send(self._buttons.let_go(control))}
            case ask.Down(control=control):
                return {"sent": self._line.send(self._buttons.press(control))}
            case ask.Up(control=control):
                return {"sent": self._line.send(self._buttons.let_go(control))}
            case ask.Restart():
                return {"sent": self._line.send(self._buttons.restart())}
            case _:
                raise Refused("a button box cannot do that")

    def _switches(self) -> dict[str, object]:
        bounce = {"bounce": self._buttons.bounce} if self._buttons.bounce else {}
        return {**self._line.switches, **self._buttons.switches, **bounce}

    def _set(self, name: str, value: float | str | bool | None) -> None:  # noqa: FBT001
        if name == "bounce" and (value is None or isinstance(value, int)):
            self._buttons.bounce = int(value or 0)
        elif name in SWITCHES:
            self._buttons.set(name, value)
        else:
            self._line.set(name, value)

    def _heartbeat(self) -> list[bytes]:
        return self._buttons.heartbeat()

    def _received(self, data: bytes) -> None:
        self._line.send(self._buttons.receive(data))
