"""Which drivers can serve what is plugged in, as far as its numbers tell."""

from pathlib import Path

from drivers.driver import Driver
from drivers.errors import OptionError
from drivers.ports.plugged import BY_ID, Plugged
from drivers.ports.spec import PortSpec, SerialSpec, SimulatedSpec, UsbSpec
from drivers.registry import DRIVERS


def loadable() -> tuple[list[Driver], list[str]]:
    """Return all drivers that load, and what is wrong with the others."""
    good, faults = [], []
    for name in sorted(DRIVERS):
        try:
            good.append(DRIVERS[name])
        except OptionError as fault:
            faults.append(str(fault))
    return good, faults


def matching(plugged: Plugged, drivers: list[Driver]) -> list[Driver]:
    """Return the drivers that can serve it; those that know its very numbers come first.

    A serial line tells nothing of what hangs on it: every serial driver can be the one.
    """
    fitting = [driver for driver in drivers if _fits(plugged, driver)]
    return sorted(fitting, key=lambda driver: not knows(plugged, driver))


def knows(plugged: Plugged, driver: Driver) -> bool:
    """Tell whether the driver knows the unit by its numbers."""
    return any(f"{vid:04x}:{pid:04x}" == plugged.unit for vid, pid in driver.usb.ids)


def _fits(plugged: Plugged, driver: Driver) -> bool:
    if plugged.kind not in driver.ports:
        return False
    if plugged.kind == "serial":
        return True
    return knows(plugged, driver) or (not driver.usb.ids and plugged.keyboard)


def is_doubtful(plugged: Plugged, spec: PortSpec) -> bool:
    """Tell whether the name of its port leads to another unit's as well: to whichever came last."""
    return isinstance(spec, SerialSpec) and spec.path.parent == BY_ID and plugged.shares_by_id


def is_at(plugged: Plugged, spec: PortSpec, driver: Driver) -> bool:
    """Tell whether it is what the driver would open at a port of the settings."""
    match spec:
        case SerialSpec(path):
            return plugged.kind == "serial" and path.resolve() == Path(plugged.node).resolve()
        case SimulatedSpec():
            return plugged.port == f"simulated:{spec.path}"
        case UsbSpec(unit, socket):
            if plugged.kind != "usb" or socket not in {None, plugged.socket}:
                return False
            return plugged.unit == "{:04x}:{:04x}".format(*unit) if unit else _fits(plugged, driver)
