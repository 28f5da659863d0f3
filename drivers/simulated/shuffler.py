"""A shuffling device's own end: cards out, states, faults.  Pure, but for the pack's file.

It shuffles nothing: the pack that is put in comes out in its order, so that a script knows it.
"""

from drivers.reference_wire import COLOURS, FAULTS, STATES, Frame, Kind, Reason, Type
from drivers.reference_words import CardBeat, CardOutput, CardState
from drivers.simulated.pack import Pack
from drivers.simulated.reference import SimulatedReference
from drivers.simulated.refused import Refused

_DELIVERS = frozenset({"ready", "delivering"})
_EJECTS = frozenset(STATES) - {"offline", "loading", "shuffling", "jam", "service"}


class SimulatedShuffler(SimulatedReference):
    """A shuffling device or multishuffler with its cards."""

    def __init__(self, kind: Kind, serial: str, pack: Pack) -> None:
        """Take what it is and the cards inside."""
        super().__init__(kind, serial)
        self._pack = pack
        self._number = 0
        self._last_card: str | None = None
        self.state = CardState(self._at_rest())

    def load(self, cards: list[str], colour: str) -> list[bytes]:
        """Put *cards* in, in place of what is inside.

        Raises:
            Refused: something is not a card, or there is no such colour.

        """
        if colour not in COLOURS:
            raise Refused(f"there is no colour {colour!r}; there are {', '.join(COLOURS[1:])}")
        self._pack.load(cards, None)
        self.state = CardState("loading", self.state.locked, colour)
        frames = self._told()
        for state in ("shuffling", "ready" if cards else "idle"):
            self.state = self.state._replace(state=state)
            frames += self._told()
        return frames

    def take_out(self, number: int | None) -> list[bytes]:
        """Take so many cards out by hand, or all; the device notices when it is empty, and well.

        Raises:
            Refused: so many are not inside.

        """
        self._pack.drop(number)
        if self._pack.left or self.state.state not in _DELIVERS:
            return []
        return self.enter("idle")

    def draw(self) -> tuple[str, list[bytes]]:
        """Let the next card out.

        Raises:
            Refused: the device does not deliver in this state, or the pack is used up.

        """
        self._require_delivery()
        begun = self._begin_delivery() if self._pack.left else []
        card = self._pack.take()
        assert card is not None  # no cutting card is ever put in
        return card, begun + self._out(card)

    def card_out(self, card: str | None) -> list[bytes]:
        """Let *card* out, which need not be of the pack; None is one that cannot be read.

        Raises:
            Refused: the device does not deliver in this state.

        """
        if self.state.state != "idle":
            self._require_delivery()
        begun = self._begin_delivery()
        if card is None:
            self._pack.take() if self._pack.left else self._pack.count_extra()
        else:
            self._pack.take_out(card)
        return begun + self._out(card)

    def tell_again(self, card: str | None) -> list[bytes]:
        """Tell the last card's number again, with that card or another."""
        return self._frames((Type.CARD_OUT, CardOutput(self._number, card).payload()))

    @property
    def last_card(self) -> str | None:
        """The card that left last."""
        return self._last_card

    def enter(self, state: str, **details: int | str | None) -> list[bytes]:
        """Be in *state*, with what is to be said of it: retry, expected, got, card.

        Raises:
            Refused: there is no such state.

        """
        if state not in STATES:
            raise Refused(f"there is no state {state!r}; there are {', '.join(STATES)}")
        self._become(state)
        self.state = self.state._replace(**details)  # type: ignore[arg-type]  # each as its field
        return self._told()

    def clear(self) -> list[bytes]:
        """Get out of trouble."""
        return self.enter(self._at_rest())

    def _become(self, state: str) -> None:
        self.state = CardState(state, self.state.locked, self.state.colour)

    def _at_rest(self) -> str:
        return "ready" if self._pack.left else "idle"

    def _require_delivery(self) -> None:
        if self.state.state not in _DELIVERS:
            raise Refused(f"no card leaves while the device is {self.state.state}")

    def _begin_delivery(self) -> list[bytes]:
        """Tell that cards come out; the first one is inside until it is out."""
        return self.enter("delivering") if self.state.state == "ready" else []

    def _out(self, card: str | None) -> list[bytes]:
        self._number += 1
        self._last_card = card
        frames = self._frames((Type.CARD_OUT, CardOutput(self._number, card).payload()))
        if not self._pack.left and self.state.state != "idle":
            frames += self.enter("idle")
        return frames

    def _told(self) -> list[bytes]:
        return self._frames((Type.STATE, self._state()))

    def _started(self) -> None:
        self._number = 0
        self._last_card = None
        self.state = CardState(self._at_rest(), colour=self.state.colour)

    def _beat(self) -> bytes:
        return CardBeat(self.state.state, self._number).payload()

    def _state(self) -> bytes:
        now = self.state._replace(cards_inside=self._pack.left, cards_out=self._number)
        return now.payload()

    def _obey(self, command: Frame) -> tuple[int | None, list[tuple[int, bytes]]]:
        state = self.state.state
        match command.type:
            case Type.CLEAR_FAULT:
                wanted = command.payload[0]
                if state not in FAULTS or wanted not in {0, STATES.index(state)}:
                    return Reason.NOT_NOW, []
                self._become(self._at_rest())
            case Type.EJECT:
                if state not in _EJECTS:
                    return Reason.NOT_NOW, []
                self._pack.load([], None)
                self._become("idle")
            case Type.LOCK_DOOR | Type.UNLOCK_DOOR:
                if state == "door-open":
                    return Reason.NOT_NOW, []
                self.state = self.state._replace(locked=command.type == Type.LOCK_DOOR)
            case _:
                return Reason.UNKNOWN, []
        return None, [(Type.STATE, self._state())]
