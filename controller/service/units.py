"""The right unit at each place: which devices are there, and whether they are the ones meant.

Where the configuration names a device's serial, only the unit with that serial is used: what
another tells there is not listened to, and nothing is sent to it.  The dealer is told what was
found and what was expected.  A device of the wrong kind never comes so far: its driver says so and
stays unconnected.

A device that has not come when all should be there is told and keeps nothing from opening, not even
the card source: it can be plugged in later, and cards can be entered by hand.  One that came and
went is told by its own event.
"""

from collections.abc import Mapping
from typing import Final

from controller.characters import printable
from controller.events import Check
from controller.settings import DeviceSettings
from controller.table.procedure import WRONG_UNIT
from drivers.attend import Attended
from drivers.errors import LinkLost
from drivers.events import DeviceEvent, Fault, Lost, Online

DUE_WITHIN: Final = 5.0
"""Seconds that the devices have to say who they are before the missing ones are told."""


class Units:
    """The table's devices with what was found at each."""

    def __init__(self, settings: Mapping[str, DeviceSettings], source: str) -> None:
        self._serials = {name: one.serial for name, one in settings.items()}
        self._source = source
        self._refused: dict[str, str] = {}
        self._found: dict[str, str] = {}

    def must_be_used(self, device: str) -> None:
        """Let nothing be sent to a unit that is not the one meant.

        Raises:
            LinkLost: another is plugged in there; as if none were.
        """
        if device in self._refused:
            raise LinkLost(self._refused[device])

    def admitted(self, device: str, event: DeviceEvent) -> list[DeviceEvent]:
        """Return what the table is to hear of a device's event; nothing of a refused unit's."""
        match event:
            case Online(identity=identity):
                return self._met(device, identity, event)
            case Lost():
                return [event] if self._refused.pop(device, None) is None else [_taken_away(device)]
        return [] if device in self._refused else [event]

    def _met(self, device: str, identity: str, online: Online) -> list[DeviceEvent]:
        wanted = self._serials[device]
        if wanted and wanted not in identity.split():
            found = f"says {identity!r}" if identity else "tells no serial"
            why = (
                f"serial {wanted} is wanted for the {device}, but the unit there {found}: it is not"
                f" used; look at the plugs, or change devices.{device}.serial"
            )
            self._refused[device] = why
            return [Fault(WRONG_UNIT, why, raw="")]
        self._refused.pop(device, None)
        self._found[device] = identity or online.port
        return [online]

    def checks(self, devices: list[Attended]) -> tuple[Check, ...]:
        """Return what was found at each device's place."""
        return tuple(self._check(one) for one in devices)

    def _check(self, device: Attended) -> Check:
        name = device.name
        if name in self._refused:
            return Check(name, ok=False, words=self._refused[name])
        health = device.health()
        if health.state == "quiet" and health.detail:  # bytes come, and nothing of this device's
            return Check(name, ok=False, words=printable(health.detail))
        if name in self._found:
            return Check(name, ok=True, words=f"was found: {self._found[name]}")
        why = printable(health.detail) or "it does not answer"
        words = f"is missing: {why}; look at its plug and power"
        if name == self._source:
            words += ". Without it cards have to be entered by hand"
        return Check(name, ok=False, words=words)


def _taken_away(device: str) -> Fault:
    # The table keeps waiting for the device itself: cards may have come out of it meanwhile.
    return Fault(WRONG_UNIT, f"the wrong unit was unplugged, the {device} is missing", raw="")
