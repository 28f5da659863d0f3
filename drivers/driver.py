"""What makes a module a driver: one `Driver` value, named in the registry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from drivers.codec import Codec
from drivers.options import DriverOptions, SerialOptions, read_options
from drivers.profiles import LineProfile, PortKind, UsbProfile

Role = Literal["shoe", "shuffler", "multishuffler", "pedal", "keys", "buttons", "meter"]


@dataclass(frozen=True, slots=True)
class Driver:
    """One kind of device: its name, what it is at the table, and how to talk to it."""

    name: str
    role: Role
    options: type[DriverOptions]
    """The record its options are read into; the defaults stand there."""
    make: Callable[[Any], Codec]
    """Builds the codec from an ``options`` record."""
    ports: frozenset[PortKind]
    usb: UsbProfile = field(default_factory=UsbProfile)
    quiet_after: float | None = None
    """Seconds without a good frame after which an open link is shown as quiet; None: never."""

    def codec(self, options: Mapping[str, object]) -> Codec:
        """Return a new codec.

        Raises:
            OptionError: an option is unknown or its value is not allowed.

        """
        return self.make(read_options(self.options, options, self.name))

    def line(self, options: Mapping[str, object]) -> LineProfile:
        """Return the serial line that *options* ask for; of no meaning to a USB driver.

        Raises:
            OptionError: an option is unknown or its value is not allowed.

        """
        read = read_options(self.options, options, self.name)
        return read.line() if isinstance(read, SerialOptions) else LineProfile()
