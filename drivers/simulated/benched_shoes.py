"""Card-reading shoes on the bench."""

from abc import abstractmethod

from drivers.simulated import requests as ask
from drivers.simulated.bee_tek import SimulatedBeeTek
from drivers.simulated.benched import Answer, BenchedSerial, readable
from drivers.simulated.cable import Cable
from drivers.simulated.line import Place
from drivers.simulated.pack import Pack
from drivers.simulated.refused import Refused
from drivers.simulated.shoe import SimulatedShoe


class _BenchedPack(BenchedSerial):
    """What all shoes have in common: cards are put in and drawn."""

    def __init__(self, place: Place, cable: Cable) -> None:
        super().__init__(place, cable)
        self._pack = Pack(place.state)

    def _draw(self, card: str | None) -> Answer:
        if card is not None:
            read = readable(card)
            self._pack.count_extra()
            return {"card": card, "sent": self._line.send(self._out(read)), **self._counts()}
        taken = self._pack.take()
        if taken is None:
            return {"cutting_card": True, "sent": self._cutting_card(), **self._counts()}
        return {"card": taken, "sent": self._line.send(self._out(taken)), **self._counts()}

    def _counts(self) -> Answer:
        return {"left": self._pack.left, "drawn": self._pack.drawn}

    def _load(self, request: ask.Load) -> Answer:
        self._pack.load(request.cards, request.cutting_card)
        return self._counts()

    @abstractmethod
    def _out(self, card: str | None) -> list[bytes]:
        """Return what is sent when a card leaves; None cannot be read."""

    @abstractmethod
    def _cutting_card(self) -> bool:
        """Let the cutting card out; return whether anybody was told."""


class BenchedShoe(_BenchedPack):
    """The Angel Eye shoe with its cards, on a pty."""

    def __init__(self, place: Place) -> None:
        """Take where it is to be found."""
        super().__init__(place, Cable())
        self._shoe = SimulatedShoe()

    def _status(self) -> Answer:
        faults = sorted(self._shoe.faults)
        return {**self._counts(), "locked": self._shoe.locked, "faults": faults}

    async def _answer(self, request: ask.Request) -> Answer:
        match request:
            case ask.Load():
                return self._load(request)
            case ask.Draw(card=card):
                if self._shoe.locked:
                    raise Refused("the shoe is locked")
                return self._draw(card)
            case ask.CuttingCard():
                return {"cutting_card": True, "sent": self._cutting_card()}
            case ask.Restart():
                return {"sent": self._line.send(self._shoe.restart())}
            case ask.TellAgain(card=card):
                again = self._shoe.last_card if card is None else readable(card)
                return {"sent": self._line.send(self._shoe.tell_again(again))}
            case ask.Fault(code=code):
                return {"sent": self._line.send(self._shoe.fault(code))}
            case ask.Clear(code=code):
                return {"sent": self._line.send(self._shoe.clear(code))}
            case _:
                raise Refused("a shoe cannot do that")

    def _set(self, name: str, value: float | str | bool | None) -> None:  # noqa: FBT001
        if name == "seq-skip" and isinstance(value, int):
            self._shoe.skip(value)
        else:
            self._line.set(name, value)

    def _out(self, card: str | None) -> list[bytes]:
        return self._shoe.card_out(card)

    def _cutting_card(self) -> bool:
        return self._line.send(self._shoe.cutting_card())

    def _received(self, data: bytes) -> None:
        answers, frames = self._shoe.receive(data)
        if answers:
            self._line.send_raw(answers)
        self._line.send(frames)


class BenchedBeeTek(_BenchedPack):
    """The Bee-Tek shoe with its cards, on a pty."""

    def __init__(self, place: Place) -> None:
        """Take where it is to be found."""
        super().__init__(place, Cable(copies=1, wrong_check=None))
        self._shoe = SimulatedBeeTek()

    def _status(self) -> Answer:
        return {**self._counts(), "burning": self._shoe.burning}

    async def _answer(self, request: ask.Request) -> Answer:
        match request:
            case ask.Load():
                return self._load(request)
            case ask.Draw(card=card):
                return self._draw(card)
            case ask.Fault(code=code):
                return {"sent": self._line.send(self._shoe.fault(code))}
            case _:
                raise Refused("a bee-tek shoe cannot do that")

    def _set(self, name: str, value: float | str | bool | None) -> None:  # noqa: FBT001
        if name == "burn-cards":
            self._shoe.burning = bool(value)
        else:
            self._line.set(name, value)

    def _out(self, card: str | None) -> list[bytes]:
        return self._shoe.card_out(card)

    def _cutting_card(self) -> bool:
        return False  # this shoe has no word for it

    def _received(self, data: bytes) -> None:
        """Take no notice: the shoe only talks."""
