"""A pedal's or keypad's own end: what is down, as reports.  Pure."""

from collections.abc import Mapping

from drivers.hid import REPORT_LENGTH
from drivers.simulated.refused import Refused

SWITCHES: Mapping[str, str] = {
    "bounce": "contacts that bounce so many times on the way down and up",
    "short-report": "the next report has only so many bytes, once",
    "rollover": "the keyboard cannot say what is down",
    "silent": "no report is sent",
    "busy": "another program has the interface",
    "denied": "there is no right to the unit",
    "stall": "the next so many reads find the endpoint halted",
    "no-state": "the unit does not tell its state when asked",
}
"""Name to meaning; None, false or 0 switches off."""

MOST_DOWN = 6


class SimulatedKeyboard:
    """Keys that are down, whoever holds them."""

    def __init__(self, usages: Mapping[str, int]) -> None:
        """Take the usage of each control."""
        self._usages = usages
        self._down: list[str] = []
        self.switches: dict[str, int] = {}

    @property
    def down(self) -> list[str]:
        """The controls that are down, in the order in which they went."""
        return list(self._down)

    def set(self, name: str, value: float | str | bool | None) -> None:  # noqa: FBT001
        """Set a switch.

        Raises:
            Refused: there is no such switch, or it does not take this value.

        """
        if name not in SWITCHES:
            known = "; ".join(f"{each}: {meaning}" for each, meaning in SWITCHES.items())
            raise Refused(f"there is no switch {name!r}; there are {known}")
        if value is not None and (not isinstance(value, int) or value < 0):
            raise Refused(f"{name} must be true, false or a whole number, not {value!r}")
        self.switches[name] = int(value or 0)

    def press(self, control: str) -> list[bytes]:
        """Push *control* down; return the reports that gives.

        Raises:
            Refused: there is no such control, or it is down already.

        """
        if control not in self._usages:
            raise Refused(f"there is no control {control!r}; there are {', '.join(self._usages)}")
        if control in self._down:
            raise Refused(f"{control} is down already")
        before = self.state()
        self._down.append(control)
        return self._bouncing(before)

    def let_go(self, control: str) -> list[bytes]:
        """Let *control* up; return the reports that gives.

        Raises:
            Refused: it is not down.

        """
        if control not in self._down:
            raise Refused(f"{control} is not down")
        before = self.state()
        self._down.remove(control)
        return self._bouncing(before)

    def state(self) -> bytes:
        """Return the report of what is down now."""
        if self.switches.get("rollover") or len(self._down) > MOST_DOWN:
            return bytes(2) + b"\x01" * 6
        keys = bytes(self._usages[control] for control in self._down)
        return (bytes(2) + keys).ljust(REPORT_LENGTH, b"\0")

    def _bouncing(self, before: bytes) -> list[bytes]:
        if self.switches.get("silent"):
            return []
        after = self.state()
        reports = [after, *[before, after] * self.switches.get("bounce", 0)]
        if short := self.switches.pop("short-report", 0):
            reports[0] = reports[0][:short]
        return reports
