"""Devices that come, go and report trouble."""

from collections.abc import Iterable, Iterator
from typing import Final

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
from controller.outcomes import Alarm
from controller.table.commands import done
from controller.table.decision import Decision, doubt
from controller.table.procedure import LINK_LOST, NO_MALFUNCTION, TROUBLE, begin, is_by_hand
from controller.table.state import Device, TableState, cards_in_pack, with_device

COUNT: Final = "count-mismatch"
WITH_CARDS: Final = frozenset({"shuffler", "multishuffler"})
"""The roles of devices that hold cards and tell how many."""


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
            before = _known(state, name)
            gone = msgspec.structs.replace(before, online=False, trouble=why)
            text = f"the link is lost: {why}"
            begun = begin(with_device(state, name, gone), name, LINK_LOST, text)
            return _with_alarms(begun, _alarms(begun.state, name, before))
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
    elif event.state in NO_MALFUNCTION or is_by_hand(state, name, event.state):
        fault = before.fault  # a door that is opened to mend it, say
    else:
        fault = event.state
    reports = msgspec.structs.replace(
        before,
        reports=event.state,
        cards_inside=event.cards_inside,
        emptied=before.emptied and bool(trouble),
        colour=event.colour,
        fault=fault,
        trouble=trouble,
        detail=event.detail,
    )
    state = _counted(with_device(state, name, reports), name)
    begun = Decision(state, ())
    if fault and fault != before.fault:
        begun = begin(state, name, fault, trouble)
    return _with_alarms(begun, _alarms(begun.state, name, before))


def _counted(state: TableState, name: str) -> TableState:
    """Note that the cards were counted, if the device in use has just as many as it should."""
    device = state.devices[name]
    should = cards_in_pack(state.play.game) - state.ledger.count
    if name != state.source or device.trouble or device.cards_inside != should:
        return state
    ledger = msgspec.structs.replace(state.ledger, rounds_since_count=0)
    return msgspec.structs.replace(state, ledger=ledger)


def _alarms(state: TableState, name: str, before: Device) -> Iterator[Alarm]:
    """Tell what does not add up (3.1, nz:3.4): a role must answer it, whoever mends the device."""
    device = state.devices[name]
    if device.emptied:  # no card of the game is in it any more (17.2, 17.3.2, 17.5.3)
        return
    wrong_count = device.fault == COUNT and before.fault != COUNT
    if wrong_count and state.malfunction is None:  # else the procedure of rule 17 looks into it
        yield Alarm(rule="3.1", what=f"{name}: {device.detail or TROUBLE[COUNT]}")
    named = state.ledger.set
    if named and device.colour and device.colour not in {named, before.colour}:
        what = f"{name} holds the {device.colour} set, and the {named} set is in play"
        yield Alarm(rule="nz:3.4", what=what)
    gone = before.online and not device.online and device.role in WITH_CARDS
    if gone and device.cards_inside and state.malfunction is None:
        what = f"{name} went away with {device.cards_inside} cards inside"
        yield Alarm(rule="3.1", what=what)


def _with_alarms(decision: Decision, alarms: Iterable[Alarm]) -> Decision:
    told = tuple(alarms)
    if not told:
        return decision
    waiting = (*decision.state.alarms, *(alarm.what for alarm in told))
    state = msgspec.structs.replace(decision.state, alarms=waiting)
    return Decision(state, (*decision.outcomes, *told))


def _known(state: TableState, name: str) -> Device:
    return state.devices.get(name, Device(role="unknown"))
