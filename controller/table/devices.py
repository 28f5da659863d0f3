"""Devices that come, go and report trouble."""

import msgspec

from controller.events import (
    AnyEvent,
    CardsInDoubt,
    CommandDone,
    CommandFailed,
    DeviceCleared,
    DeviceFault,
    DeviceLost,
    DeviceOnline,
    DeviceReports,
    DeviceRestarted,
)
from controller.table.commands import done
from controller.table.decision import Decision, doubt
from controller.table.procedure import LINK_LOST, NO_MALFUNCTION, TROUBLE, begin
from controller.table.state import Device, TableState, with_device


def device(state: TableState, event: AnyEvent) -> Decision:
    """Keep what is known of a device; after a gap in the cards the layout is in doubt."""
    match event:
        case DeviceOnline(device=name, port=port, identity=identity):
            known = _known(state, name)
            there = msgspec.structs.replace(
                known,
                online=True,
                port=port,
                identity=identity,
                # What it reported stands until it reports something else.
                trouble=TROUBLE.get(known.reports, ""),
            )
            state = with_device(state, name, there)
            if known.trouble and name == state.source:
                return doubt(state, f"the {name} was away: a card may have come out meanwhile")
        case DeviceLost(device=name, why=why):
            gone = msgspec.structs.replace(_known(state, name), online=False, trouble=why)
            return begin(
                with_device(state, name, gone), name, LINK_LOST, f"the link is lost: {why}"
            )
        case DeviceFault(device=name, code=code, text=text):
            at_fault = msgspec.structs.replace(_known(state, name), trouble=text)
            return begin(with_device(state, name, at_fault), name, code, text)
        case DeviceCleared(device=name):
            well = msgspec.structs.replace(_known(state, name), trouble="")
            state = with_device(state, name, well)
        case DeviceReports():
            return _reports(state, event)
        case CommandDone(device=name, id=number):
            return Decision(done(state, name, number), ())
        case CommandFailed(device=name, why=why):
            failed = msgspec.structs.replace(_known(state, name), trouble=why)
            state = with_device(state, name, failed)
        case DeviceRestarted(device=name):
            if name == state.source:
                return doubt(state, f"the {name} started again: a card may be missing")
        case CardsInDoubt(why=why):
            return doubt(state, why)
    return Decision(state, ())


def _reports(state: TableState, event: DeviceReports) -> Decision:
    """Take the state that a shuffling device tells; some are trouble, all others end it."""
    name = event.device
    before = _known(state, name)
    trouble = TROUBLE.get(event.state, "")
    if not trouble:
        fault = ""
    elif event.state in NO_MALFUNCTION:
        fault = before.fault  # a door that is opened to mend it, say
    else:
        fault = event.state
    reports = msgspec.structs.replace(
        before,
        reports=event.state,
        cards_inside=event.cards_inside,
        colour=event.colour,
        fault=fault,
        trouble=trouble,
        detail=event.detail,
    )
    state = with_device(state, name, reports)
    if fault and fault != before.fault:
        return begin(state, name, fault, trouble)
    return Decision(state, ())


def _known(state: TableState, name: str) -> Device:
    return state.devices.get(name, Device(role="unknown"))
