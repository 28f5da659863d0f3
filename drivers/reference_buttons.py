"""The button box of the reference protocol: a surrender and a jackpot button for every box.

The variant with one jackpot button for the whole table works the same: the host arms it for a box,
and the device tells a press of it as a press for the box that it was armed for when it went down.
"""

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta

from drivers.commands import Arm, AskState, DeviceCommand, Lamps
from drivers.controls import Controls
from drivers.driver import Driver
from drivers.errors import LocalProtocolError
from drivers.events import DeviceEvent
from drivers.reference import ReferenceCodec, ReferenceOptions
from drivers.reference_wire import Frame, Kind, Type
from drivers.reference_words import (
    MOST_BOXES,
    ButtonMove,
    Buttons,
    ButtonState,
    buttons_in,
    masks_of,
)


class ButtonOptions(ReferenceOptions, frozen=True):
    """Options of driver ``reference-buttons``."""

    boxes: Annotated[int, Meta(ge=1, le=MOST_BOXES)] = 9
    """Number of boxes that have buttons."""
    hold_ms: Annotated[int, Meta(ge=200, le=5000)] = 600
    """Milliseconds after which a press counts as held."""
    debounce_ms: Annotated[int, Meta(ge=0, le=150)] = 25
    """A button let go for less than this many milliseconds was not let go."""


class ButtonCodec(ReferenceCodec):
    """The host's end of the line to a button box."""

    def __init__(self, options: ButtonOptions) -> None:
        """Start as if the link had never been up."""
        self._boxes = options.boxes
        self._controls = Controls(
            hold_s=options.hold_ms / 1000, debounce_s=options.debounce_ms / 1000
        )
        super().__init__(Kind.BUTTONS, options)

    def introduction(self) -> str | None:
        """Tell who the device is; None also until it is known which buttons are down."""
        return None if self._down is None else super().introduction()

    def _begin(self, now: float) -> None:
        self._controls.forget()
        self._down: Buttons | None = None

    def _mean(self, frame: Frame, now: float) -> list[DeviceEvent]:
        match frame.type:
            case Type.STATE:
                return self._report(ButtonState.read(frame.payload, self._boxes).down, now)
            case Type.HEARTBEAT:
                return self._report(buttons_in(frame.payload, self._boxes), now)
            case Type.BUTTON:
                return self._moved(ButtonMove.read(frame.payload, self._boxes), now)
            case _:
                self.counters.ignored += 1
                return []

    def _moved(self, move: ButtonMove, now: float) -> list[DeviceEvent]:
        if self._down is None:
            return []  # what was down before nobody knows yet
        named = frozenset({move.button})
        return self._report(self._down | named if move.down else self._down - named, now)

    def _report(self, down: Buttons, now: float) -> list[DeviceEvent]:
        self._down = down
        return self._controls.report(down, now)

    def _missed(self, frame: Frame, now: float) -> list[DeviceEvent]:
        super()._missed(frame, now)
        return self._controls.unknown(now)

    def _kind_tick(self, now: float) -> list[DeviceEvent]:
        return self._controls.tick(now)

    def _kind_wake_at(self) -> float | None:
        return self._controls.wake_at()

    def encode(self, command: DeviceCommand, command_id: int | None = None) -> bytes:
        """Take *command*; it is sent in its turn.

        Raises:
            LocalProtocolError: there is no such lamp or box, or the device has no such command.

        """
        match command:
            case Lamps(lit=lit):
                self._errands.add(Type.LAMPS, masks_of(self._known(lit)), command_id)
            case Arm(box=box):
                if box is not None and not 1 <= box <= self._boxes:
                    raise LocalProtocolError(f"box {box} cannot be armed; there are {self._boxes}")
                self._errands.add(Type.ARM, bytes([box or 0]), command_id)
            case AskState():
                self._errands.add(Type.ASK_STATE, b"", command_id)
            case _:
                raise LocalProtocolError(f"a button box has no command {type(command).__name__}")
        return b""

    def _known(self, lit: Iterable[str]) -> Buttons:
        there = {f"{name}-{box}" for name in ("surrender", "jackpot") for box in self._numbers()}
        if strangers := sorted(set(lit) - there - {"jackpot"}):
            raise LocalProtocolError(
                f"no lamp {', '.join(strangers)}; there are surrender-1 to {self._boxes}, "
                f"jackpot-1 to {self._boxes}, and jackpot"
            )
        return frozenset(lit)

    def _numbers(self) -> range:
        return range(1, self._boxes + 1)


DRIVER = Driver(
    name="reference-buttons",
    role="buttons",
    options=ButtonOptions,
    make=ButtonCodec,
    ports=frozenset({"serial"}),
)
