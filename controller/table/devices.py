"""Devices that come, go and report trouble."""

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
from controller.table.alarms import raised
from controller.table.commands import done
from controller.table.counts import count_of, off, with_known_count
from controller.table.decision import Decision, doubt
from controller.table.procedure import LINK_LOST, NO_MALFUNCTION, TROUBLE, begin, is_by_hand
from controller.table.state import Device, TableState, pack_rule, with_device

COUNT: Final = "count-mismatch"
WITH_CARDS: Final = frozenset({"shuffler", "multishuffler"})
"""The roles of devices that hold cards and tell how many."""


def device(state: TableState, event: AnyEvent) -> Decision:
    """Keep what is known of a device; after a gap in the cards the layout is in doubt."""
    match event:
        case DeviceOnline(device=name, port=port, identity=identity):
            before = _known(state, name)
            known = _of_this_unit(before, identity)
            there = msgspec.structs.replace(
                known,
                online=True,
                port=port,
                identity=identity,
                cards_inside=None,  # it tells anew: somebody may have opened it meanwhile
                # What it reported stands until it reports something else.
                trouble=TROUBLE.get(known.reports, ""),
            )
            state = with_device(state, name, there)
            if before.trouble and name == state.source:
                return doubt(state, f"the {name} was away: a card may have come out meanwhile")
        case DeviceLost(device=name, why=why):
            before = _known(state, name)
            gone = msgspec.structs.replace(before, online=False, trouble=why)
            text = f"the link is lost: {why}"
            begun = begin(with_device(state, name, gone), name, LINK_LOST, text)
            return _gone(begun, name, before)
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
            # It was off: what is wrong now it tells anew, as does another unit in its place.
            fresh = msgspec.structs.replace(_known(state, name), trouble="")
            state = with_device(state, name, fresh)
            if name == state.source:
                return doubt(state, f"the {name} started again: a card may be missing")
        case CardsInDoubt(why=why):
            return doubt(state, why)
    return Decision(state, ())


def _of_this_unit(known: Device, identity: str) -> Device:
    """Forget what another unit has told, if it is another that is there now."""
    if not known.identity or not identity or known.identity == identity:
        return known
    return msgspec.structs.replace(known, reports="", detail="", fault="", colour="")


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
    return _mismatch(begun, name, before)


def _counted(state: TableState, name: str) -> TableState:
    """Note that the cards were counted, if the device in use has just as many as it should."""
    if name != state.source or state.devices[name].trouble or off(state, name) != 0:
        return state
    ledger = msgspec.structs.replace(state.ledger, rounds_since_count=0)
    return msgspec.structs.replace(state, ledger=ledger)


def _gone(decision: Decision, name: str, before: Device) -> Decision:
    """Tell of cards that went away with a device (3.1); in a round rule 17 looks into it."""
    device = decision.state.devices[name]
    gone = before.online and device.role in WITH_CARDS and device.cards_inside
    # Where rule 17 has taken the cards out, none of the game is inside any more.
    if not gone or device.emptied or decision.state.malfunction is not None:
        return decision
    what = f"{name} went away with {device.cards_inside} cards inside"
    return _alarmed(decision, f"gone {name}", what)


def _mismatch(decision: Decision, name: str, before: Device) -> Decision:
    """Tell that a device has counted wrong (3.1); in a round rule 17 looks into it."""
    device = decision.state.devices[name]
    told = device.fault == COUNT and before.fault != COUNT
    if not told or device.emptied or decision.state.malfunction is not None:
        return decision
    alarmed = _alarmed(decision, count_of(name), f"{name}: {device.detail or TROUBLE[COUNT]}")
    return Decision(with_known_count(alarmed.state, name), alarmed.outcomes)


def _alarmed(decision: Decision, cause: str, what: str) -> Decision:
    state, told = raised(decision.state, cause, pack_rule(decision.state.play.game), what)
    return Decision(state, (*decision.outcomes, *told))


def _known(state: TableState, name: str) -> Device:
    return state.devices.get(name, Device(role="unknown"))
