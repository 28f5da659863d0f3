"""The ports of the configured devices: there, allowed, free, and not put to sleep."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path

from controller.doctor import allowed, power
from controller.doctor.finding import Finding, ok, trouble, unseen, warning
from controller.doctor.machine import Node, number_of, text_of
from controller.doctor.patient import UNIT, Patient
from controller.doctor.user import READ, WRITE, User, group_name, rights_in_words
from drivers.driver import Driver
from drivers.errors import OptionError
from drivers.ports.holders import Holder, holders_of
from drivers.ports.spec import SerialSpec, SimulatedSpec, UsbSpec, parse_spec
from drivers.registry import find_driver

_BY_PATH = "/dev/serial/by-path"
_BY_ID = "/dev/serial/by-id"
_TELLING = ("idVendor", "idProduct", "serial", "manufacturer", "product")
"""What a unit's name under by-id is made of."""
_USB = Path("/sys/bus/usb/devices")
_PTYS = Path("/dev/pts")
_SIMULATED = "it is simulated: no real table is run on it"
_MOVES = re.compile(r"/dev/tty(USB|ACM)\d+")
_KEYBOARD = ("03", "01", "01")
_MENDED_BY = {
    "ModemManager": "sudo systemctl disable --now ModemManager",
    "brltty": "sudo apt remove brltty",
}
"""What lets go of a port for good, by the name of the process that has it."""


def check(patient: Patient) -> Iterator[Finding]:
    """Yield what there is to say of each configured device's port."""
    devices = {} if patient.settings is None else patient.settings.devices
    hidden, asked = 0, False
    for name, device in devices.items():
        try:
            spec, driver = parse_spec(device.port), find_driver(device.driver)
        except OptionError:
            continue  # said of the configuration
        one = _Looked(patient, f"port {name}", driver)
        match spec:
            case SerialSpec(path):
                found = list(one.serial(path))
            case UsbSpec():
                found = list(one.usb(spec))
            case SimulatedSpec():
                mend = "sudo tablekeeper setup"
                found = [warning(one.about, _SIMULATED, device.port, mend)]
        hidden = max(hidden, one.hidden)
        asked |= one.asked
        yield from found or [ok(one.about, one.well, one.where)]
    if hidden:
        what = f"{hidden} programs of other users do not show what they have open"
        yield unseen("ports", what, "/proc", "sudo tablekeeper doctor")
    if asked:
        what = "whether the running service is let to its ports is for root to ask while it runs"
        yield unseen("ports", what, UNIT, "sudo tablekeeper doctor")


class _Looked:
    """One device's port; methods yield what is wrong, and nothing if nothing is."""

    def __init__(self, patient: Patient, about: str, driver: Driver) -> None:
        self._patient = patient
        self._machine = patient.machine
        self.about = about
        self._driver = driver
        self.where: object = ""
        self.well = "plugged in, allowed, free"
        self.hidden = 0
        self.asked = False
        """The device policy of the service was asked for, and is not known."""

    def serial(self, path: Path) -> Iterator[Finding]:
        """Look at a serial line."""
        self.where = path
        node = self._machine.node(path)
        if not node.reached.exists():
            what = "nothing is plugged in there"
            mend = "plug it in, or find its new socket: sudo tablekeeper setup"
            yield trouble(self.about, what, path, mend)
            return
        if not stat.S_ISCHR(node.reached.stat().st_mode):
            what = "this is a file, not a port"
            yield trouble(self.about, what, path, "sudo tablekeeper setup")
            return
        yield from self._rights(node)
        yield from self._holders(node)
        yield from self._console(node)
        yield from self._name(path, node)
        if node.named.is_relative_to(_PTYS):
            yield warning(self.about, _SIMULATED, path, "sudo tablekeeper setup")
        if (unit := self._unit_of(node)) is not None:
            yield from power.check(self.about, unit, self._machine)

    def usb(self, spec: UsbSpec) -> Iterator[Finding]:
        """Look at a USB unit."""
        self.where = wanted = _in_words(spec, self._driver)
        if not self._machine.path(_USB).is_dir():
            yield unseen(self.about, "this machine shows no USB", _USB)
            return
        units = [each for each in self._machine.listing(_USB) if self._is_meant(each, spec)]
        if not units:
            mend = "plug it in, or see what is there: tablekeeper devices"
            yield trouble(self.about, "nothing of its kind is plugged in", wanted, mend)
        elif len(units) > 1:
            sockets = [f'port = "usb:{_number(unit)}@{unit.name}"' for unit in units]
            what = f"{len(units)} of its kind are plugged in, and the table takes neither"
            where = ", ".join(unit.name for unit in units)
            yield trouble(self.about, what, where, f"write which: {' or '.join(sockets)}")
        else:
            yield from self._usb_unit(units[0])

    def _usb_unit(self, unit: Path) -> Iterator[Finding]:
        self.where = f"{_number(unit)} at {unit.name}"
        bus, device = (number_of(text_of(unit / name)) for name in ("busnum", "devnum"))
        if bus is not None and device is not None:
            node = self._machine.node(f"/dev/bus/usb/{bus:03}/{device:03}")
            if node.reached.exists():
                yield from self._rights(node)
                yield from self._holders(node)
            else:
                yield unseen(self.about, "its node is not there", node.named)
        yield from power.check(self.about, unit, self._machine)

    def _rights(self, node: Node) -> Iterator[Finding]:
        user = self._patient.user
        if user is None:
            return  # said of the configuration
        if not (user.reaches(node.reached, self._machine) and user.may(node.reached, READ | WRITE)):
            rights = rights_in_words(self._machine, node.reached)
            what = f"{user.name} may not open it ({rights})"
            yield trouble(self.about, what, node.named, self._allow(node, user))
        elif allowed.is_of_the_service(self._patient):
            yield from self._policy(node)

    def _policy(self, node: Node) -> Iterator[Finding]:
        refused = allowed.refuses(self._patient, node.reached)
        self.asked = refused is None
        if refused:
            what = "the running service is refused it by its unit's DeviceAllow"
            yield trouble(self.about, what, node.named, allowed.REFIT)

    def _allow(self, node: Node, user: User) -> str:
        there = node.reached.stat()
        group = group_name(self._machine, there.st_gid)
        by_group = there.st_mode >> 3 & (READ | WRITE) == READ | WRITE
        if not by_group or group in {"root", "0", "tty"}:
            return "install the udev rules (see udev), then: sudo udevadm trigger"
        name = "$USER" if user.name == "you" else user.name
        return f"sudo usermod -aG {group} {name}, then: sudo systemctl restart {UNIT}"

    def _holders(self, node: Node) -> Iterator[Finding]:
        proc = self._machine.path("/proc")
        holders = holders_of(node.named, proc=proc)
        far_ends = _far_ends(proc) if node.named.is_relative_to(_PTYS) else set()
        for holder in holders.seen:
            if holder in far_ends:
                continue
            if self._patient.is_the_table(holder.pid):
                self.well = f"plugged in, allowed, held by the running table ({holder.pid})"
            else:
                what = f"{holder.name} ({holder.pid}) has it open"
                yield trouble(self.about, what, node.named, _evict(holder, node.named))
        if not holders.seen:
            self.hidden = holders.unseen

    def _console(self, node: Node) -> Iterator[Finding]:
        name = node.named.name
        consoles = (self._machine.text("/proc/consoles") or "").splitlines()
        if any(line.split()[:1] == [name] for line in consoles):
            mend = f"take console={name} out of /etc/default/grub, then: sudo update-grub"
            yield trouble(self.about, "the kernel writes its messages there", node.named, mend)
        getty = f"serial-getty@{name}.service"
        wanted = Path("/etc/systemd/system/getty.target.wants") / getty
        if self._machine.path(wanted).is_symlink():
            mend = f"sudo systemctl mask --now {getty}"
            yield trouble(self.about, "a log-in prompt is started there", wanted, mend)

    def _name(self, path: Path, node: Node) -> Iterator[Finding]:
        links = self._machine.listing(_BY_PATH)
        stable = [link.name for link in links if link.resolve() == node.reached]
        mend = "sudo tablekeeper setup"
        if stable:
            mend = f'write instead: port = "{_BY_PATH}/{stable[0]}"'
        if _MOVES.fullmatch(str(path)):
            what = "its name changes with the order in which things are plugged in"
            yield warning(self.about, what, path, mend)
        elif path.parent == Path(_BY_ID) and (alike := self._alike(node)):
            where = " and ".join(unit.name for unit in alike)
            what = f"the units at {where} have the same serial: the name is whichever's came last"
            yield trouble(self.about, what, path, f"see which it is, then {mend}")

    def _alike(self, node: Node) -> list[Path]:
        """Return the USB units that have the same name under by-id, if this is one of several."""
        unit = self._unit_of(node)
        if unit is None:
            return []
        units = self._machine.listing(_USB)
        alike = [each for each in units if _said_by(each) == _said_by(unit)]
        return alike if len(alike) > 1 else []

    def _unit_of(self, node: Node) -> Path | None:
        """Return the USB unit that a serial line belongs to, by its folder in sysfs."""
        device = self._machine.path(f"/sys/class/tty/{node.named.name}/device").resolve()
        for folder in (device, *device.parents):
            if not folder.is_relative_to(self._machine.root):
                break
            if (folder / "idVendor").exists():
                return folder
        return None

    def _is_meant(self, unit: Path, spec: UsbSpec) -> bool:
        number = _number(unit)
        if not number or (spec.socket is not None and unit.name != spec.socket):
            return False
        if spec.unit is not None:
            return number == _hex(spec.unit)
        if self._driver.usb.ids:
            return number in {_hex(each) for each in self._driver.usb.ids}
        return any(_is_keyboard(each) for each in unit.glob("*:*"))


def _in_words(spec: UsbSpec, driver: Driver) -> str:
    if spec.unit is None:
        return f"usb, any for {driver.name}"
    return f"usb:{_hex(spec.unit)}" + (f"@{spec.socket}" if spec.socket else "")


def _said_by(unit: Path) -> list[str | None]:
    return [text_of(unit / name) for name in _TELLING]


def _hex(unit: tuple[int, int]) -> str:
    return f"{unit[0]:04x}:{unit[1]:04x}"


def _number(unit: Path) -> str:
    numbers = [text_of(unit / name) for name in ("idVendor", "idProduct")]
    return ":".join(number for number in numbers if number) if all(numbers) else ""


def _is_keyboard(interface: Path) -> bool:
    names = ("bInterfaceClass", "bInterfaceSubClass", "bInterfaceProtocol")
    return tuple(text_of(interface / name) for name in names) == _KEYBOARD


def _far_ends(proc: Path) -> set[Holder]:
    """Return who has made virtual lines, and so is the device at one."""
    makers = (Path("/dev/ptmx"), _PTYS / "ptmx")
    return {holder for maker in makers for holder in holders_of(maker, proc=proc).seen}


def _evict(holder: Holder, node: Path) -> str:
    if holder.name in {"agetty", "getty"}:
        return f"sudo systemctl mask --now serial-getty@{node.name}.service"
    return _MENDED_BY.get(holder.name, f"sudo kill {holder.pid}")
