"""A device's end of a USB cable: a unix socket that stands for the plug.

See `drivers.ports.simulated_wire` for what is said over it.
"""

import asyncio
import errno
from collections.abc import Callable, MutableMapping
from pathlib import Path

import msgspec

from drivers.ports import simulated_wire as say
from drivers.simulated.line_server import LineServer

TAKEN_WITHIN = 2.0
"""Seconds a host has to read a report, for those who want to know."""


class UsbEnd:
    """One unit with one interface; plugged in or not."""

    def __init__(
        self,
        path: Path,
        unit: say.Description,
        state: Callable[[], bytes],
        switches: MutableMapping[str, int],
    ) -> None:
        """Take the socket's path, what enumeration shows, the present report and the faults."""
        self._server = LineServer(path, self._serve, say.LONGEST_LINE)
        self._unit = unit
        self._state = state
        self._switches = switches
        self._owner: asyncio.StreamWriter | None = None
        self._kernel_driver = True
        self._sent = 0
        self._untaken: dict[int, asyncio.Future[bool]] = {}

    @property
    def plugged(self) -> bool:
        """Whether there is a node."""
        return self._server.is_open

    @property
    def has_host(self) -> bool:
        """Whether a host has the interface."""
        return self._owner is not None

    async def plug(self) -> None:
        """Make the node; whoever looks for units sees this one from now on."""
        if not self._server.is_open:
            self._kernel_driver = True
            await self._server.open()

    def unplug(self) -> None:
        """Take the node away and cut every connection."""
        self._server.close()
        self._disown()

    async def send(self, report: bytes) -> bool:
        """Send one report; return whether a host took it, False at once if there is none."""
        if self._owner is None:
            return False
        self._sent += 1
        taken = asyncio.get_running_loop().create_future()
        self._untaken[self._sent] = taken
        for _ in range(self._switches.pop("stall", 0)):
            _say(self._owner, say.Report(0, errno=errno.EPIPE))
        _say(self._owner, say.Report(self._sent, report))
        try:
            return await asyncio.wait_for(taken, TAKEN_WITHIN)
        except TimeoutError:
            return False

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        questions = msgspec.json.Decoder(say.Question)
        try:
            while line := await reader.readline():
                question = questions.decode(line)
                if isinstance(question, say.Took):
                    self._take(question.number)
                else:
                    _say(writer, self._answer(question, writer))
        finally:
            if self._owner is writer:
                self._disown()

    def _take(self, number: int) -> None:
        taken = self._untaken.pop(number, None)
        if taken is not None and not taken.done():
            taken.set_result(True)

    def _disown(self) -> None:
        """Nobody has the interface any more; what was not taken never will be."""
        self._owner = None
        for taken in self._untaken.values():
            if not taken.done():
                taken.set_result(False)
        self._untaken.clear()

    def _answer(self, question: say.Question, host: asyncio.StreamWriter) -> say.Answer:
        match question:
            case say.Describe():
                return say.Answer(description=self._unit)
            case say.KernelDriver(then):
                return self._kernel(then)
            case say.Claim():
                return self._claim(host)
            case say.Release():
                if self._owner is host:
                    self._disown()
                return say.Answer()
            case say.Control():
                return self._control(question)
            case _:
                return say.Answer()

    def _kernel(self, then: str) -> say.Answer:
        if self._switches.get("denied"):
            return say.Answer(errno=errno.EACCES, why="Access denied")
        if then != "look":
            self._kernel_driver = then == "attach"
        return say.Answer(value=int(self._kernel_driver))

    def _claim(self, host: asyncio.StreamWriter) -> say.Answer:
        if self._switches.get("busy") or self._kernel_driver or self._owner not in {None, host}:
            return say.Answer(errno=errno.EBUSY, why="Resource busy")
        self._owner = host
        return say.Answer()

    def _control(self, question: say.Control) -> say.Answer:
        match (question.kind, question.request):
            case say.GET_REPORT if not self._switches.get("no-state"):
                return say.Answer(data=self._state())
            case say.SET_PROTOCOL:
                return say.Answer()
            case _:
                return say.Answer(errno=errno.EPIPE, why="Pipe error")


def _say(host: asyncio.StreamWriter, telling: say.Telling) -> None:
    host.write(msgspec.json.encode(telling) + b"\n")
