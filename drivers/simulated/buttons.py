"""A button box's own end: what is down, which lamps are lit, which box is armed.  Pure."""

from drivers.errors import RemoteProtocolError
from drivers.reference_wire import Frame, Kind, Reason, Type
from drivers.reference_words import ButtonMove, ButtonState, buttons_in, masks_of
from drivers.simulated.reference import SimulatedReference
from drivers.simulated.refused import Refused

BOXES = 9
CONTROLS = (
    *(f"surrender-{box}" for box in range(1, BOXES + 1)),
    *(f"jackpot-{box}" for box in range(1, BOXES + 1)),
    "jackpot",
)


class SimulatedButtons(SimulatedReference):
    """A surrender and a jackpot button for every box, and one jackpot button for all of them."""

    def __init__(self, serial: str) -> None:
        """Start with nothing pressed, lit or armed."""
        super().__init__(Kind.BUTTONS, serial)
        self._down: dict[str, str] = {}
        self._lit: frozenset[str] = frozenset()
        self._armed: int | None = None
        self.bounce = 0

    @property
    def down(self) -> list[str]:
        """The buttons that are down, in the order in which they went."""
        return list(self._down)

    @property
    def lit(self) -> list[str]:
        """The lamps that are lit."""
        return sorted(self._lit)

    @property
    def armed(self) -> int | None:
        """The box that the shared jackpot button counts for."""
        return self._armed

    def press(self, button: str) -> list[bytes]:
        """Push *button* down.

        Raises:
            Refused: there is no such button, or it is down already.

        """
        if button not in CONTROLS:
            raise Refused(f"there is no control {button!r}; there are {', '.join(CONTROLS)}")
        if button in self._down:
            raise Refused(f"{button} is down already")
        # The shared button counts for the box that was lit when the finger came down.
        counts_for = f"{button}-{self._armed}" if button == "jackpot" and self._armed else button
        self._down[button] = counts_for
        return self._moved(counts_for, down=True)

    def let_go(self, button: str) -> list[bytes]:
        """Let *button* up.

        Raises:
            Refused: it is not down.

        """
        if button not in self._down:
            raise Refused(f"{button} is not down")
        return self._moved(self._down.pop(button), down=False)

    def _moved(self, button: str, *, down: bool) -> list[bytes]:
        moves = [down, *[not down, down] * self.bounce]
        return self._frames(*((Type.BUTTON, ButtonMove(button, each).payload()) for each in moves))

    def _started(self) -> None:
        self._lit = frozenset()
        self._armed = None

    def _beat(self) -> bytes:
        return masks_of(frozenset(self._down.values()))

    def _state(self) -> bytes:
        return ButtonState(frozenset(self._down.values()), self._lit, self._armed).payload()

    def _obey(self, command: Frame) -> tuple[int | None, list[tuple[int, bytes]]]:
        match command.type:
            case Type.LAMPS:
                try:
                    self._lit = buttons_in(command.payload, BOXES)
                except RemoteProtocolError:
                    return Reason.WRONG_VALUE, []
            case Type.ARM:
                if command.payload[0] > BOXES:
                    return Reason.WRONG_VALUE, []
                self._armed = command.payload[0] or None
            case _:
                return Reason.UNKNOWN, []
        return None, []
