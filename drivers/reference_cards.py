"""Shuffling devices and multishufflers that speak the reference protocol.

Such a device tells each card that leaves it and how it is, and never which cards are inside.
"""

from drivers.commands import (
    AskState,
    CancelError,
    DeviceCommand,
    Eject,
    LockDoor,
    UnlockDoor,
)
from drivers.driver import Driver, Role
from drivers.errors import LocalProtocolError
from drivers.events import CardMismatch, CardOut, DeviceEvent, DeviceState, Gap
from drivers.reference import ReferenceCodec, ReferenceOptions
from drivers.reference_wire import FAULTS, STATES, Frame, Kind, Type
from drivers.reference_words import CardBeat, CardOutput, CardState

DETAILS = {
    "offline": "The machine behind the adapter is switched off or does not answer.",
    "idle": "No cards are inside.",
    "loading": "Cards are being put in.",
    "shuffling": "The cards are being shuffled.",
    "ready": "Shuffled and ready.",
    "delivering": "Cards are being delivered.",
    "door-open": "The door is open.",
    "jam": "Cards are jammed.",
    "count-mismatch": "The number of cards is not right.",
    "duplicate-card": "A card is there more often than it should be.",
    "unreadable-card": "A card inside cannot be read.",
    "damaged-card": "A card inside is damaged.",
    "service": "The machine is being serviced.",
}


class CardDeviceOptions(ReferenceOptions, frozen=True):
    """Options of drivers ``reference-shuffler`` and ``reference-multishuffler``."""

    commands: bool = False
    """Whether faults may be cleared, cards ejected and the door locked from here; the state may
    always be asked for."""


class CardDeviceCodec(ReferenceCodec):
    """The host's end of the line to a card-handling device."""

    def __init__(self, kind: Kind, options: CardDeviceOptions) -> None:
        """Start as if the link had never been up."""
        self._commands = options.commands
        super().__init__(kind, options)

    def _begin(self, now: float) -> None:
        self._told: DeviceState | None = None
        self._tell_anyway = False
        self._number: int | None = None
        self._is_first_number = True
        """Whether the last message that counts was the first."""
        self._last_card: str | None = None

    def _missed(self, frame: Frame, now: float) -> list[DeviceEvent]:
        lost = super()._missed(frame, now)
        if frame.type == Type.HELLO:
            return lost  # a restart, which is told as such
        # The running number tells whether a card was lost, but for those before the first number.
        counts = frame.type in {Type.CARD_OUT, Type.STATE, Type.HEARTBEAT}
        if self._number is None or (counts and self._is_first_number):
            return [*lost, Gap(None, frame.raw.hex())]
        return lost

    def _mean(self, frame: Frame, now: float) -> list[DeviceEvent]:
        self._is_first_number = self._number is None
        match frame.type:
            case Type.CARD_OUT:
                return self._card_out(CardOutput.read(frame.payload), frame.raw.hex())
            case Type.STATE:
                state = CardState.read(frame.payload)
                return self._up_to(state.cards_out, frame.raw.hex()) + self._tell(state)
            case Type.HEARTBEAT:
                beat = CardBeat.read(frame.payload)
                if self._told is not None and beat.state != self._told.state:
                    self._errands.add(Type.ASK_STATE)  # the message that told it was lost
                return self._up_to(beat.cards_out, frame.raw.hex())
            case _:
                self.counters.ignored += 1
                return []

    def _card_out(self, out: CardOutput, raw: str) -> list[DeviceEvent]:
        if out.number == self._number:
            if out.card == self._last_card:
                self.counters.retransmissions += 1
                return []
            return [CardMismatch(out.card, self._last_card, raw)]
        lost: list[DeviceEvent] = []
        if self._number is not None and out.number != self._number + 1:
            lost = [self._gap(out.number - 1, raw)]
        self._number, self._last_card = out.number, out.card
        return [*lost, CardOut(out.card, raw)]

    def _up_to(self, number: int, raw: str) -> list[DeviceEvent]:
        """Compare the cards heard of with the number that the device has let out."""
        lost: list[DeviceEvent] = []
        if self._number is not None and number != self._number:
            lost = [self._gap(number, raw)]
        if number != self._number:
            self._number, self._last_card = number, None
        return lost

    def _gap(self, number: int, raw: str) -> Gap:
        assert self._number is not None
        self.counters.missed += 1
        # A number that goes back: the device counts anew, and nobody knows from when.
        return Gap(number - self._number if number > self._number else None, raw)

    def _tell(self, state: CardState) -> list[DeviceEvent]:
        told = _in_words(state)
        if told == self._told:
            if not self._tell_anyway:
                return []
            self._tell_anyway = False
        self._told = told
        return [told]

    def encode(self, command: DeviceCommand, command_id: int | None = None) -> bytes:
        """Take *command*; it is sent in its turn.

        Raises:
            LocalProtocolError: option ``commands`` is off, or the device has no such command.

        """
        kind, payload = _words_of(command)
        if not self._commands and kind != Type.ASK_STATE:
            raise LocalProtocolError(
                f"{self._kind.name.lower()}: {type(command).__name__} not sent; "
                "option commands is off"
            )
        self._tell_anyway = self._tell_anyway or kind == Type.ASK_STATE
        self._errands.add(kind, payload, command_id)
        return b""


def _words_of(command: DeviceCommand) -> tuple[Type, bytes]:
    match command:
        case AskState():
            return Type.ASK_STATE, b""
        case Eject():
            return Type.EJECT, b""
        case LockDoor():
            return Type.LOCK_DOOR, b""
        case UnlockDoor():
            return Type.UNLOCK_DOOR, b""
        case CancelError(code=None):
            return Type.CLEAR_FAULT, b"\0"
        case CancelError(code=str(code)) if code in FAULTS:
            return Type.CLEAR_FAULT, bytes([STATES.index(code)])
        case CancelError(code=code):
            known = ", ".join(sorted(FAULTS))
            raise LocalProtocolError(f"there is no fault {code!r} to clear; known: {known}")
        case _:
            raise LocalProtocolError(f"a shuffling device has no command {type(command).__name__}")


def _in_words(state: CardState) -> DeviceState:
    name = state.state
    retry = state.retry if name == "jam" else None
    counted = name == "count-mismatch"
    card = state.card if name in {"duplicate-card", "damaged-card"} else None
    detail = DETAILS[name]
    if retry:
        detail = f"{detail[:-1]}; it is trying to clear them itself, attempt {retry}."
    if counted:
        detail = f"{detail[:-1]}: {state.got}, not {state.expected}."
    if card is not None:
        detail = f"{detail[:-1]}: {card}."
    return DeviceState(
        state=name,
        detail=detail,
        cards_inside=state.cards_inside,
        cards_out=state.cards_out,
        colour=state.colour,
        locked=state.locked,
        retry=retry,
        expected=state.expected if counted else None,
        got=state.got if counted else None,
        card=card,
    )


def _driver(kind: Kind, role: Role) -> Driver:
    def make(options: CardDeviceOptions) -> CardDeviceCodec:
        return CardDeviceCodec(kind, options)

    return Driver(
        name=f"reference-{kind.name.lower()}",
        role=role,
        options=CardDeviceOptions,
        make=make,
        ports=frozenset({"serial"}),
    )


SHUFFLER = _driver(Kind.SHUFFLER, "shuffler")
MULTISHUFFLER = _driver(Kind.MULTISHUFFLER, "multishuffler")
