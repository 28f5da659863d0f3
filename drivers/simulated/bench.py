"""All the simulated devices of one table, in one folder."""

import fcntl
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from drivers.capture import Captured
from drivers.hid import USAGES
from drivers.ports.simulated_wire import Description
from drivers.reference_wire import Kind
from drivers.simulated import requests as ask
from drivers.simulated.benched import Answer, Benched
from drivers.simulated.benched_pressed import BenchedButtons, BenchedKeyboard
from drivers.simulated.benched_shoes import BenchedBeeTek, BenchedShoe
from drivers.simulated.benched_shufflers import BenchedShuffler
from drivers.simulated.benched_sign import BenchedSign
from drivers.simulated.line import Place
from drivers.simulated.playback import BenchedPlayback, load_capture
from drivers.simulated.playback_usb import BenchedReports
from drivers.simulated.refused import Refused

PEDAL_USAGES = {
    "left": USAGES["page-up"],
    "middle": USAGES["down"],
    "right": USAGES["page-down"],
}
PEDAL = Description(vendor=0x0C45, product=0x7404, bus=1, address=5, ports=(1,))
# 1209:0001 is set aside for units that are not sold.
KEYS = Description(vendor=0x1209, product=0x0001, bus=1, address=6, ports=(2,))

UNITS: Mapping[str, Description] = {"pedal": PEDAL, "keys": KEYS}
"""What enumeration shows of the devices that are on USB."""

_LONGEST_SOCKET_PATH = 107

Make = Callable[[Place], Benched]

KINDS: Mapping[str, Make] = {
    "shoe": BenchedShoe,
    "bee-tek-shoe": BenchedBeeTek,
    "shuffler": lambda place: BenchedShuffler(place, Kind.SHUFFLER),
    "multishuffler": lambda place: BenchedShuffler(place, Kind.MULTISHUFFLER),
    "buttons": BenchedButtons,
    "meter": BenchedSign,
    "pedal": lambda place: BenchedKeyboard(place, UNITS["pedal"], PEDAL_USAGES),
    "keys": lambda place: BenchedKeyboard(place, UNITS["keys"], USAGES),
}
"""What can stand on the bench; a device is called by its kind, or by its kind and a number."""

USUAL = ("shoe", "pedal", "keys")
"""The devices of a bench that is not told which."""

_NAME = re.compile(r"(?P<kind>[a-z-]+?)(-[0-9]{1,2})?")


def kind_of(name: str) -> str:
    """Return the kind of the device called *name*.

    Raises:
        Refused: there is no such device.

    >>> kind_of("shuffler-2")
    'shuffler'
    """
    found = _NAME.fullmatch(name)
    if found is None or found["kind"] not in KINDS:
        raise Refused(
            f"no device {name}; there are {', '.join(KINDS)}, each also with a number as shuffler-2"
        )
    return found["kind"]


def _played_back(place: Place, lines: Sequence[Captured]) -> Benched:
    """Return a capture as a device: a USB one where its name says so, on a serial line else."""
    found = _NAME.fullmatch(place.path.name)
    unit = UNITS.get(found["kind"]) if found else None
    if unit is not None:
        return BenchedReports(place, unit, lines)
    return BenchedPlayback(place, lines)


class Bench:
    """The devices, from `open` to `close`."""

    def __init__(
        self,
        folder: Path,
        names: Sequence[str],
        state: Path | None = None,
        *,
        playback: Mapping[str, Path] | None = None,
        port: Path | None = None,
        baud: int = 9600,
    ) -> None:
        """Take the folder for their nodes, which devices, and the file that keeps the pack.

        *playback* names devices that play a capture back; *port* is a serial port that is there
        already, for a bench of one device.

        Raises:
            Refused: no such device, a path too long for a socket, a damaged pack or capture, or
                two devices of one name.

        """
        self._folder = folder.absolute()
        self.control_path = self._folder / "control.sock"
        if len(os.fsencode(self.control_path)) > _LONGEST_SOCKET_PATH:
            raise Refused(f"{self.control_path} is too long for a socket; take a shorter folder")
        captures = playback or {}
        if len(set(names)) < len(names) or set(names) & set(captures):
            raise Refused(f"two devices of one name: {', '.join([*names, *captures])}")
        self.devices: dict[str, Benched] = {}
        for name in names:
            place = Place(self._folder / name, _state_of(name, state), port, baud)
            self.devices[name] = KINDS[kind_of(name)](place)
        for name, file in captures.items():
            self.devices[name] = _played_back(Place(self._folder / name), load_capture(file))
        self._lock: int | None = None

    async def open(self) -> None:
        """Take the folder and plug everything in.

        Raises:
            Refused: other simulated devices are in that folder.

        """
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(self._folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise Refused(f"other simulated devices are running in {self._folder}") from None
        self._lock = lock
        for device in self.devices.values():
            await device.plug()

    def close(self) -> None:
        """Unplug everything and leave the folder as it was."""
        for device in self.devices.values():
            device.unplug()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    async def answer(self, request: ask.Asked) -> Answer:
        """Do what is asked and return what came of it.

        Raises:
            Refused: it cannot be done; says why.

        """
        if isinstance(request, ask.Status):
            status = {name: device.status() for name, device in self.devices.items()}
            return {"devices": status}
        device = self.devices.get(request.device)
        if device is None:
            there = ", ".join(self.devices)
            raise Refused(f"there is no device {request.device!r} here; there are {there}")
        match request:
            case ask.Plug():
                await device.plug()
                return {}
            case ask.Unplug():
                device.unplug()
                return {}
            case _:
                return await device.answer(request)


def _state_of(name: str, state: Path | None) -> Path | None:
    """Return the file for the cards of *name*: *state* is the shoe's, others have one beside it."""
    if state is None or name == "shoe":
        return state
    return state.with_name(f"{state.name}.{name}")
