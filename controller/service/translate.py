"""What a device says, as an event of the table."""

from typing import Any

import msgspec

from controller.cards import UNREAD, Card
from controller.characters import printable
from controller.events import (
    AnyEvent,
    CardOut,
    CardsInDoubt,
    CommandDone,
    CommandFailed,
    CuttingCardOut,
    DeviceCleared,
    DeviceFault,
    DeviceLost,
    DeviceOnline,
    DeviceReports,
    DeviceRestarted,
    Pressed,
)
from drivers import events as said
from drivers.commands import Arm, ClearPrize, DeviceCommand, Lamps, ShowPrize


def heard(event: said.DeviceEvent) -> said.DeviceEvent:
    """Return what a device says with every text of it `printable`: it is never refused."""
    said = msgspec.structs.asdict(event)
    written_out = {name: printable(text) for name, text in said.items() if isinstance(text, str)}
    return msgspec.structs.replace(event, **written_out)


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
        case said.DeviceState():
            return _state(device, event)
        case said.Acknowledged(command_id=number):
            return CommandDone(device=device, id=number)
        case said.NotAcknowledged(command_id=number, why=why):
            return CommandFailed(device=device, id=number, why=why)
        case said.MeterSilent(why=why):
            return DeviceFault(device=device, code="silent", text=why)
        case said.Shown():
            return DeviceCleared(device=device, code="silent")
        case said.Stuck(control=control):
            text = f"{control} of the {device} has been down for long: is something lying on it?"
            return DeviceFault(device=device, code="stuck", text=text)
        case _:
            return None


def _state(device: str, said_state: said.DeviceState) -> AnyEvent:
    return DeviceReports(
        device=device,
        state=said_state.state,
        detail=said_state.detail,
        cards_inside=said_state.cards_inside,
        colour=said_state.colour,
    )


def command_of(what: dict[str, Any]) -> DeviceCommand:
    """Return the device's command that a row of the log tells."""
    match what["do"]:
        case "lamps":
            return Lamps(frozenset(what["lit"]))
        case "arm":
            return Arm(what["box"])
        case "show-prize":
            return ShowPrize(what["text"])
        case _:
            return ClearPrize()
