"""What a device says, as an event of the table."""

from controller.cards import UNREAD, Card
from controller.events import (
    AnyEvent,
    CardOut,
    CardsInDoubt,
    CuttingCardOut,
    DeviceCleared,
    DeviceFault,
    DeviceLost,
    DeviceOnline,
    DeviceRestarted,
    Pressed,
)
from drivers import events as said


def translate(device: str, event: said.DeviceEvent) -> AnyEvent | None:
    """Return the event that a device's words are to the table; None for mere talk."""
    match event:
        case said.CardOut(card=card, raw=raw):
            face = UNREAD if card is None else Card(card)
            return CardOut(device=device, card=face, raw=raw)
        case said.CuttingCard():
            return CuttingCardOut(device=device)
        case said.Press(control=control, held=held):
            return Pressed(device=device, control=control, held=held)
        case said.Online(port=port, identity=identity):
            return DeviceOnline(device=device, port=port, identity=identity)
        case said.Lost(why=why):
            return DeviceLost(device=device, why=why)
        case said.Restarted():
            return DeviceRestarted(device=device)
        case said.Gap():
            return CardsInDoubt(device=device, why=f"messages of the {device} were lost")
        case said.CardMismatch(read=read, last=last):
            why = f"the {device} repeated {read or 'a card'}, but had told {last or 'another'}"
            return CardsInDoubt(device=device, why=why)
        case _:
            return _trouble(device, event)


def _trouble(device: str, event: said.DeviceEvent) -> AnyEvent | None:
    match event:
        case said.Fault(code=code, text=text):
            return DeviceFault(device=device, code=code, text=text)
        case said.FaultCleared(code=code):
            return DeviceCleared(device=device, code=code)
        case said.LockState(locked=True):
            return DeviceFault(device=device, code="locked", text=f"the {device} has locked itself")
        case said.LockState(locked=False):
            return DeviceCleared(device=device, code="locked")
        case said.Stuck(control=control):
            text = f"{control} of the {device} has been down for long: is something lying on it?"
            return DeviceFault(device=device, code="stuck", text=text)
        case _:
            return None
