"""Shuffling devices on the bench."""

from drivers.reference_wire import FAULTS, Kind
from drivers.simulated import requests as ask
from drivers.simulated.benched import Answer, BenchedSerial, readable
from drivers.simulated.cable import Cable
from drivers.simulated.line import Place
from drivers.simulated.pack import Pack
from drivers.simulated.reference import SWITCHES
from drivers.simulated.refused import Refused
from drivers.simulated.shuffler import SimulatedShuffler

COLOUR = "blue"


class BenchedShuffler(BenchedSerial):
    """A shuffling device or multishuffler with its cards, on a pty."""

    beats_every = 1.0

    def __init__(self, place: Place, kind: Kind) -> None:
        """Take where it is to be found, which is its serial number too, and what it is."""
        super().__init__(place, Cable(copies=1))
        self._pack = Pack(place.state)
        self._shuffler = SimulatedShuffler(kind, place.path.name, self._pack)

    def _status(self) -> Answer:
        state = self._shuffler.state
        return {
            **self._counts(),
            "state": state.state,
            "colour": state.colour,
            "locked": state.locked,
            "serial": self._shuffler.hello.serial,
        }

    async def _answer(self, request: ask.Request) -> Answer:
        match request:
            case ask.Load(cards=cards, cutting_card=None, colour=colour):
                frames = self._shuffler.load(cards, colour or COLOUR)
                return {"sent": self._line.send(frames), **self._counts()}
            case ask.Load():
                raise Refused("there is no cutting card in a shuffling device")
            case ask.TakeOut(number=number):
                frames = self._shuffler.take_out(number)
                return {"sent": bool(frames) and self._line.send(frames), **self._counts()}
            case ask.Draw(card=card):
                return self._draw(card)
            case ask.TellAgain(card=card):
                again = self._shuffler.last_card if card is None else readable(card)
                return {"sent": self._line.send(self._shuffler.tell_again(again))}
            case ask.Fault():
                return {"sent": self._line.send(self._fail(request))}
            case ask.Clear(code=code):
                if code != self._shuffler.state.state:
                    raise Refused(f"the device is {self._shuffler.state.state}, not {code}")
                return {"sent": self._line.send(self._shuffler.clear())}
            case ask.Enter(state=state):
                return {"sent": self._line.send(self._shuffler.enter(state))}
            case ask.Restart():
                return {"sent": self._line.send(self._shuffler.restart())}
            case _:
                raise Refused("a shuffling device cannot do that")

    def _draw(self, card: str | None) -> Answer:
        if card is None:
            name, frames = self._shuffler.draw()
        else:
            name, frames = card, self._shuffler.card_out(readable(card))
        return {"card": name, "sent": self._line.send(frames), **self._counts()}

    def _fail(self, fault: ask.Fault) -> list[bytes]:
        if fault.code not in FAULTS:
            raise Refused(
                f"there is no fault {fault.code!r}; there are {', '.join(sorted(FAULTS))}"
            )
        card = None if fault.card is None else readable(fault.card)
        return self._shuffler.enter(
            fault.code, retry=fault.retry, expected=fault.expected, got=fault.got, card=card
        )

    def _counts(self) -> Answer:
        return {"left": self._pack.left, "drawn": self._pack.drawn}

    def _switches(self) -> dict[str, object]:
        return {**self._line.switches, **self._shuffler.switches}

    def _set(self, name: str, value: float | str | bool | None) -> None:  # noqa: FBT001
        if name in SWITCHES:
            self._shuffler.set(name, value)
        else:
            self._line.set(name, value)

    def _heartbeat(self) -> list[bytes]:
        return self._shuffler.heartbeat()

    def _received(self, data: bytes) -> None:
        self._line.send(self._shuffler.receive(data))
