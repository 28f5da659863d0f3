"""What is plugged in, what is configured, and what the running table knows of it."""

import asyncio
import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.characters import printable
from controller.errors import TableGone
from controller.service.client import Client
from controller.settings import DeviceSettings, TableSettings
from drivers.driver import Driver
from drivers.errors import LinkLost, OptionError
from drivers.matching import is_at, is_doubtful, knows, loadable, matching
from drivers.ports import plugged
from drivers.ports.plugged import Plugged
from drivers.ports.spec import PortSpec, UsbSpec, parse_spec
from drivers.registry import find_driver

ANSWERS_WITHIN: Final = 5.0
"""Seconds that a running table has to answer."""


class Configured(msgspec.Struct, frozen=True):
    """A device of the table."""

    name: str
    driver: str
    role: str
    """What it is at the table, "" if its driver is not known."""
    port: str
    there: bool | None
    """Whether something is plugged in at its port; None if that cannot be seen."""
    unit: str
    """Vendor and product number of what is plugged in there, "" if it has none."""
    fault: str
    """What is wrong with its configuration, "" if nothing."""
    state: str
    """``waiting``, ``online``, ``quiet``, ``lost``; "" if no table runs."""
    detail: str
    reconnects: int
    counters: dict[str, int]
    """Those of the running table; empty if none runs."""


class Present(msgspec.Struct, frozen=True):
    """Something plugged in."""

    kind: str
    port: str
    """How a configuration spells it."""
    node: str
    unit: str
    socket: str
    what: str
    device: str
    """The table's device that it is, "" if it is none."""
    drivers: list[str]
    """The drivers that can serve it; those that know its numbers, if there are any."""
    known: bool
    """Whether they know its numbers; a serial line does not tell what hangs on it."""


class Gathered(msgspec.Struct, frozen=True):
    """Everything, as ``--json`` writes it."""

    table: str
    running: bool | None
    """None if this user may not ask."""
    configured: list[Configured]
    plugged: list[Present]
    unseen: list[str]
    """What could not be looked at, and why."""


async def gather(settings: TableSettings | None, socket: Path, folder: Path | None) -> Gathered:
    """Look at the machine, the configuration and the running table, if there is one.

    ``folder`` is one of simulated devices, to be looked at too.
    """
    view = await _view(socket)
    present, unseen = look(folder)
    hidden = not view and _may_not_ask(socket)
    if hidden:
        unseen.append(f"whether the table runs: this user may not open {socket}; use sudo")
    drivers, faults = loadable()
    health = view.get("health", {})
    configured: list[Configured] = []
    taken: dict[Plugged, str] = {}
    for name, device in ({} if settings is None else settings.devices).items():
        one, found = _configured(name, device, present, health.get(name, {}))
        configured.append(one)
        taken |= dict.fromkeys(found, name)
    return Gathered(
        table=view.get("table") or (settings.name if settings else ""),
        running=None if hidden else bool(view),
        configured=configured,
        plugged=[_present(each, taken.get(each, ""), drivers) for each in present],
        unseen=unseen + faults,
    )


async def _view(socket: Path) -> Mapping[str, Any]:
    """Return what the running table shows; nothing if there is none."""
    with contextlib.suppress(TableGone, TimeoutError):
        async with asyncio.timeout(ANSWERS_WITHIN):
            client = await Client.connect(socket)
            try:
                return await client.view()
            finally:
                await client.close()
    return {}


def _may_not_ask(socket: Path) -> bool:
    """Tell whether the control socket, or its folder, is closed to this user."""
    try:
        return socket.exists() and not os.access(socket, os.R_OK | os.W_OK, effective_ids=True)
    except PermissionError:
        return True


def look(folder: Path | None) -> tuple[list[Plugged], list[str]]:
    """Return what is plugged in, by names that can be shown, and what could not be looked at."""
    found, unseen = plugged.serial_ports(), []
    looks = [plugged.usb_units]
    if folder is not None:
        looks.append(lambda: plugged.simulated(folder))
    for each in looks:
        try:
            found += each()
        except LinkLost as fault:
            unseen.append(printable(fault.why))
    return [msgspec.structs.replace(each, what=printable(each.what)) for each in found], unseen


def _configured(
    name: str, device: DeviceSettings, present: list[Plugged], health: Mapping[str, Any]
) -> tuple[Configured, list[Plugged]]:
    """Return a device of the table, and what is plugged in at its port."""
    role, fault = "", ""
    there: bool | None = None
    found: list[Plugged] = []
    try:
        driver, spec = find_driver(device.driver), parse_spec(device.port)
        role = driver.role
        found = [each for each in present if is_at(each, spec, driver)]
        there = bool(found) or _has_node(spec)
        if len(found) > 1:
            fault = f"{len(found)} of its kind are plugged in; write which, as {found[0].port}"
        elif any(is_doubtful(each, spec) for each in found):
            fault = (
                "another unit has the same serial, and this name leads to whichever came last;"
                f" write its socket: {found[0].port}, if this is it"
            )
    except OptionError as error:
        fault = str(error)
    one = Configured(
        name=name,
        driver=device.driver,
        role=role,
        port=device.port,
        there=there,
        unit=found[0].unit if len(found) == 1 else "",
        fault=fault,
        state=health.get("state", ""),
        detail=health.get("detail", ""),
        reconnects=health.get("reconnects", 0),
        counters=dict(health.get("counters", {})),
    )
    return one, found


def _has_node(spec: PortSpec) -> bool:
    """Tell whether a port that no list shows is there: a virtual line, a simulated unit."""
    return not isinstance(spec, UsbSpec) and spec.path.exists()


def _present(each: Plugged, device: str, drivers: list[Driver]) -> Present:
    fitting = matching(each, drivers)
    known = [driver.name for driver in fitting if knows(each, driver)]
    return Present(
        kind=each.kind,
        port=each.port,
        node=each.node,
        unit=each.unit,
        socket=each.socket,
        what=each.what,
        device=device,
        drivers=known or [driver.name for driver in fitting],
        known=bool(known),
    )
