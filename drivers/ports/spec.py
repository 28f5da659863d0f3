"""What a port may be called in the settings.

=========================  =====================================================================
``/dev/serial/by-path/x``  a serial line: a path with at least one slash
``usb``                    the one USB unit that the driver understands
``usb:0c45:7404``          the one with this vendor and product number, in hexadecimal
``usb:0c45:7404@1-2.3``    that one in this socket: bus, then the chain of hub ports
``simulated:/run/x.usb``   a simulated USB unit behind a unix socket
=========================  =====================================================================
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from drivers.errors import OptionError
from drivers.profiles import PortKind

_USB = re.compile(
    r"usb(:(?P<vid>[0-9a-fA-F]{4}):(?P<pid>[0-9a-fA-F]{4})(@(?P<socket>\d+-\d+(\.\d+)*))?)?"
)


@dataclass(frozen=True, slots=True)
class SerialSpec:
    """A serial line by its node."""

    path: Path
    kind: ClassVar[PortKind] = "serial"


@dataclass(frozen=True, slots=True)
class UsbSpec:
    """A USB unit by what is known of it; None means any."""

    unit: tuple[int, int] | None = None
    socket: str | None = None
    kind: ClassVar[PortKind] = "usb"


@dataclass(frozen=True, slots=True)
class SimulatedSpec:
    """A simulated USB unit by its unix socket."""

    path: Path
    kind: ClassVar[PortKind] = "usb"


PortSpec = SerialSpec | UsbSpec | SimulatedSpec


def parse_spec(text: str) -> PortSpec:
    """Read a port as it stands in the settings.

    Raises:
        OptionError: it is none of the forms above.

    >>> parse_spec("usb:0C45:7404@1-2.3")
    UsbSpec(unit=(3141, 29700), socket='1-2.3')
    """
    if text.startswith("simulated:") and text != "simulated:":
        return SimulatedSpec(Path(text.removeprefix("simulated:")))
    if found := _USB.fullmatch(text):
        if found["vid"] is None:
            return UsbSpec()
        return UsbSpec((int(found["vid"], 16), int(found["pid"], 16)), found["socket"])
    if "/" in text and not text.startswith("usb:"):
        return SerialSpec(Path(text))
    raise OptionError(
        f"port {text!r} is not understood; it must be the path of a serial line, usb, usb:VID:PID, "
        "usb:VID:PID@BUS-PORT or simulated:SOCKET"
    )
