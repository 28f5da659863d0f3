"""The bonus meter on the bench."""

import asyncio

from drivers.simulated import requests as ask
from drivers.simulated.benched import Answer, BenchedSerial
from drivers.simulated.cable import Cable
from drivers.simulated.line import Place
from drivers.simulated.refused import Refused
from drivers.simulated.sign import SWITCHES, SimulatedSign


def wrong_sum(packet: bytes) -> bytes:
    """Return *packet* with another last digit of its sum."""
    return packet[:-2] + (b"0" if packet[-2:-1] != b"0" else b"1") + packet[-1:]


class BenchedSign(BenchedSerial):
    """An Alpha sign, on a pty."""

    def __init__(self, place: Place) -> None:
        """Take where it is to be found."""
        super().__init__(place, Cable(copies=1, wrong_check=wrong_sum))
        self._sign = SimulatedSign()

    def _status(self) -> Answer:
        return {
            "displayed": self._sign.displayed(),
            "lost": self._sign.lost,
            "layouts": self._sign.layouts,
        }

    async def _answer(self, request: ask.Request) -> Answer:
        if not isinstance(request, ask.Restart):
            raise Refused("a meter cannot do that")
        self._sign.restart(_now())
        return {}

    def _switches(self) -> dict[str, object]:
        return {**self._line.switches, **self._sign.switches}

    def _set(self, name: str, value: float | str | bool | None) -> None:  # noqa: FBT001
        if name == "wipe":
            self._sign.wipe()
        elif name in SWITCHES:
            self._sign.set(name, value, _now())
        else:
            self._line.set(name, value)

    def _received(self, data: bytes) -> None:
        self._line.send(self._sign.receive(data, _now()))


def _now() -> float:
    return asyncio.get_running_loop().time()
