"""How a port is to be opened: facts about lines and USB units, no code that opens anything."""

from typing import Literal

import msgspec

PortKind = Literal["serial", "usb"]
Framing = Literal["8N1", "8E1", "8O1", "8N2", "7E1", "7O1", "7N1", "7E2"]


class LineProfile(msgspec.Struct, frozen=True):
    """A serial line's settings."""

    baud: int = 9600
    framing: Framing = "8N1"
    dtr: bool | None = None
    """Level of the modem line from the moment of opening; None leaves it to the system."""
    rts: bool | None = None
    low_latency: bool = False
    """Ask the adapter not to collect bytes; not every adapter can."""

    @property
    def character_s(self) -> float:
        """Seconds one character takes on the wire.

        >>> round(LineProfile(baud=4800).character_s * 1000, 2)
        2.08
        """
        data, parity, stop = int(self.framing[0]), self.framing[1], int(self.framing[2])
        return (1 + data + (parity != "N") + stop) / self.baud


class UsbProfile(msgspec.Struct, frozen=True):
    """Which USB units a driver understands."""

    ids: frozenset[tuple[int, int]] = frozenset()
    """(vendor, product); empty means any unit that has a boot keyboard interface."""
    interface: int | None = None
    """Number of the interface that reports; None means the first boot keyboard interface."""
    numbered: frozenset[tuple[int, int]] = frozenset()
    """Those of ``ids`` whose reports begin with a report number (keyboard reports: 1)."""
    boot_protocol: bool = False
    """Ask the unit for eight-byte boot reports, whatever its own reports look like."""
