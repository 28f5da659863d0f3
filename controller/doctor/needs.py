"""What a table's settings ask of its service's unit, beyond what is shipped with it.

The shipped unit lets in the classes of what is plugged in while it runs: serial lines and units on
USB. What belongs to one table is in a drop-in that is made of its settings, by `text_of`:

- the serial lines of the board, each by its node. They share their class with the screens.
- the folder of the second copy of the log; ``ProtectSystem=strict`` makes it read-only else.
"""

import re
from pathlib import Path
from typing import Final, NamedTuple

from controller.doctor.machine import Machine
from controller.doctor.mounts import mount_of
from controller.settings import TableSettings
from drivers.errors import OptionError
from drivers.ports.spec import SerialSpec, parse_spec

DROP_IN: Final = Path("/etc/systemd/system/tablekeeper.service.d/settings.conf")
HIDDEN: Final = {
    **dict.fromkeys(("/home", "/root", "/run/user"), "the service sees no user's files"),
    **dict.fromkeys(("/tmp", "/var/tmp"), "the service has one of its own, gone when it stops"),  # noqa: S108
    **dict.fromkeys(("/dev", "/proc", "/sys"), "nothing is kept there"),
}
"""Where the shipped unit can have no second copy, and why."""

_CLASSED: Final = re.compile(r"tty(USB|ACM)\d+")
"""Serial lines that the shipped unit lets in by their class."""
_IN_CLASS: Final = ("/dev/serial/", "/dev/tablekeeper/")
"""Folders of udev in which only such lines have names, by Debian's rules and the table's."""
_SYSTEMS_OWN: Final = {"/", "/boot", "/etc", "/opt", "/run", "/srv", "/usr", "/var", "/var/lib"}
"""Folders that may be disks of their own, and stay read-only to the service all the same."""
_HEADING: Final = (
    "# What this table's settings ask of its service.  Written by: tablekeeper setup --service\n"
    "[Service]\n"
)


class Needs(NamedTuple):
    """What the unit has to let the service do."""

    devices: tuple[str, ...] = ()
    """Nodes, and classes as ``char-ttyXRUSB``."""
    folder: Path | None = None
    """To be written to."""


def needs_of(settings: TableSettings, machine: Machine) -> Needs:
    """Return what the settings ask of the unit on this machine, as it is now."""
    found: dict[str, None] = {}
    for device in settings.devices.values():
        try:
            spec = parse_spec(device.port)
        except OptionError:
            continue  # said of the configuration
        if isinstance(spec, SerialSpec):
            found |= dict.fromkeys(_of_line(spec.path, machine))
    folder = None
    if settings.mirror is not None and not why_hidden(settings.mirror, machine):
        folder = _of_copy(settings.mirror, machine)
    return Needs(tuple(found), folder)


def why_hidden(copy: Path, machine: Machine) -> str:
    """Say why the service can have no second copy in a folder; "" if it can."""
    named = machine.node(Path("/") / copy).named
    return next((why for place, why in HIDDEN.items() if named.is_relative_to(place)), "")


def text_of(needs: Needs) -> str:
    """Return the drop-in, "" if none is needed."""
    lines = [f"DeviceAllow={_quoted(device)} rw\n" for device in needs.devices]
    if needs.folder is not None:
        # With the dash a folder that is not there stops no table.
        lines.append(f"ReadWritePaths={_quoted(f'-{needs.folder}')}\n")
    return _HEADING + "".join(lines) if lines else ""


def _of_line(path: Path, machine: Machine) -> list[str]:
    """Return what lets a serial line in: by its name and by the node that this leads to now.

    A node is looked up when the service starts; one that is not there then is not let in later.  So
    what can be plugged in while it runs is let in by its class.
    """
    node = machine.node(path).named
    if _CLASSED.fullmatch(node.name):
        return []
    if _is_on_usb(node, machine):
        return [f"char-{node.name.rstrip('0123456789')}"]
    if node == path and str(path).startswith(_IN_CLASS):
        return []  # a name of udev's that leads nowhere now: nothing is plugged in
    # A link of somebody's own rule may not be there yet when the service starts.
    return [str(each) for each in dict.fromkeys((node, path)) if each.is_relative_to("/dev")]


def _is_on_usb(node: Path, machine: Machine) -> bool:
    device = machine.path(f"/sys/class/tty/{node.name}/device").resolve()
    return any((each / "idVendor").exists() for each in (device, *device.parents))


def _of_copy(copy: Path, machine: Machine) -> Path:
    """Return the folder that has to be named so that a second copy can be written.

    That is where its disk is mounted, not a folder of the disk: systemd would hold that one, and
    the service go on writing to a disk that was taken out, never seeing the one put in.
    """
    named = machine.node(Path("/") / copy).named
    mount = mount_of(named, machine)
    if mount is not None and str(mount.point) not in _SYSTEMS_OWN:
        return mount.point
    # Not mounted now: it may be at the folder above; but none of the system's own is given away.
    return named if str(named.parent.parent) == "/" else named.parent


def _quoted(text: str) -> str:
    """Return a word as a unit's file wants it (systemd.syntax(7)); a % would be a specifier."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"' if re.search(r"[\s'\"\\;#]", text) else escaped
