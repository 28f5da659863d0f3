"""The codec of everything that reports like a keyboard: pedals, keypads, keyboards."""

from collections.abc import Mapping
from typing import Literal

from drivers.codec import Codec, Counters
from drivers.commands import DeviceCommand
from drivers.controls import Controls
from drivers.errors import LocalProtocolError
from drivers.events import DeviceEvent
from drivers.hid import HARMLESS, KEYBOARD_REPORT, REPORT_LENGTH, key_name, usages_down
from drivers.options import PressOptions

Form = Literal["plain", "numbered"]
"""Whether a report begins with its number."""

_NUMBER = bytes([KEYBOARD_REPORT])


class KeyboardCodec(Codec):
    """One report a call; a report of the wrong length is a fault, never filled up with zeros.

    While a key is down that is no control, Ctrl and Alt among them, no control counts: somebody
    types something, or something does that is no hand.
    """

    def __init__(
        self,
        names: Mapping[int, str],
        options: PressOptions,
        forms: Mapping[str, Form] | None = None,
    ) -> None:
        """Take control names by usage, and report forms by ``vid:pid``, as identities begin.

        Without *forms* every unit reports plainly; with them, one not named may use either form.
        """
        self.counters = Counters()
        self._names = names
        self._forms = forms
        self._form: Form | None = None if forms else "plain"
        self._controls = Controls(
            hold_s=options.hold_ms / 1000, debounce_s=options.debounce_ms / 1000, by_hand=True
        )

    def greet(self, now: float, identity: str = "") -> None:
        """Forget what was down, and learn from *identity* how this unit reports."""
        self._controls.forget()
        if self._forms is not None:
            self._form = self._forms.get(identity[: len("vvvv:pppp")])

    def feed(self, data: bytes, now: float) -> list[DeviceEvent]:
        """Take one report."""
        report = self._keyboard_part(data)
        if report is None:
            return self._controls.tick(now)
        self.counters.frames += 1
        usages = usages_down(report)
        if usages is None:
            self.counters.rollovers += 1
            return self._controls.muddled(now)
        others = usages - self._names.keys()
        if others:
            self.counters.ignored += 1
        down = frozenset(self._names[usage] for usage in usages - others)
        strangers = frozenset(key_name(usage) for usage in others - HARMLESS)
        return self._controls.report(down, now, strangers)

    def _keyboard_part(self, data: bytes) -> bytes | None:
        """Return the eight bytes of a keyboard report; count and drop anything else."""
        if self._form != "numbered" and len(data) == REPORT_LENGTH:
            return data
        if self._form != "plain" and data[:1] == _NUMBER and len(data) == REPORT_LENGTH + 1:
            return data[1:]
        if self._form == "numbered" and data and data[:1] != _NUMBER:
            self.counters.ignored += 1  # the same unit as a mouse, gamepad or media key
        else:
            self.counters.bad_frame += 1
        return None

    def tick(self, now: float) -> list[DeviceEvent]:
        """Tell the presses that time alone completes."""
        return self._controls.tick(now)

    def wake_at(self) -> float | None:
        """Tell when a press may become a held one, or a release be certain."""
        return self._controls.wake_at()

    def encode(self, command: DeviceCommand, command_id: int | None = None) -> bytes:
        """Refuse: a keyboard has no commands.

        Raises:
            LocalProtocolError: always.

        """
        raise LocalProtocolError(f"a keyboard has no command {type(command).__name__}")
