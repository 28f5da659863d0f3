"""Devices that come, go and report trouble."""

import msgspec

from controller.events import (
    AnyEvent,
    CardsInDoubt,
    DeviceCleared,
    DeviceFault,
    DeviceLost,
    DeviceOnline,
    DeviceRestarted,
)
from controller.table.decision import CARD_SOURCES, Decision, doubt
from controller.table.state import Device, TableState, with_device


def device(state: TableState, event: AnyEvent) -> Decision:
    """Keep what is known of a device; after a gap in the cards the layout is in doubt."""
    match event:
        case DeviceOnline(device=name, port=port, identity=identity):
            known = _known(state, name)
            there = Device(role=known.role, online=True, port=port, identity=identity)
            state = with_device(state, name, there)
            if known.trouble and known.role in CARD_SOURCES:
                return doubt(state, f"the {name} was away: a card may have come out meanwhile")
        case DeviceLost(device=name, why=why):
            gone = msgspec.structs.replace(_known(state, name), online=False, trouble=why)
            state = with_device(state, name, gone)
        case DeviceFault(device=name, text=text):
            at_fault = msgspec.structs.replace(_known(state, name), trouble=text)
            state = with_device(state, name, at_fault)
        case DeviceCleared(device=name):
            state = with_device(
                state, name, msgspec.structs.replace(_known(state, name), trouble="")
            )
        case DeviceRestarted(device=name):
            if _known(state, name).role in CARD_SOURCES:
                return doubt(state, f"the {name} started again: a card may be missing")
        case CardsInDoubt(why=why):
            return doubt(state, why)
    return Decision(state, ())


def _known(state: TableState, name: str) -> Device:
    return state.devices.get(name, Device(role="unknown"))
