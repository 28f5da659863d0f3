"""What came over a line and was not understood: a card may have been among it.  Pure.

`Spoiled` keeps it until it is known whether something else made up for it, `Losses` tells it.
"""

from drivers.codec import Counters
from drivers.events import DeviceEvent, Fault, FaultCleared, Gap

MOST_KEPT = 64
"""Bytes of what was spoiled that are told; of how many there were, all are counted."""

FEWEST = 4
"""Bytes of which a message may be left; a stray one or two, as a plug makes, are counted only."""

MOST_STRAY = 12
"""Bytes of pieces too short to be told with nothing understood in between: no plug makes so many.
A unit at another speed, or another unit, may send no longer ones."""

MOST_IN_A_ROW = 3
"""Losses told one after the other with nothing understood in between; after them the line itself
is at fault, which is told once: noise must fill no log."""

NOT_UNDERSTOOD = "not-understood"
"""Code of the fault of a line on which nothing is understood."""

_WHY = (
    "What comes over its line is not understood; look at the cable, the speed, "
    "and whether it is the device that belongs there."
)
NOTHING_YET = (
    "Bytes arrive and no message of this device: is it another unit that is plugged in there, or "
    "another baud rate? Look at the cable, too."
)
"""The same of a line on which nothing was understood since it was opened."""


class Spoiled:
    """Bytes that belong to no good message, and when they came."""

    def __init__(self) -> None:
        """Start with none."""
        self.forget()

    def forget(self) -> None:
        """Drop them: something has made up for them, or they were told."""
        self.length = 0
        self.since = self.until = 0.0
        """When the first and the last of them came; of no meaning while there are none."""
        self._kept = b""

    def take(self, data: bytes, at: float) -> None:
        """Take some more, which came at *at*."""
        if not data:
            return
        if not self.length:
            self.since = at
        self.until = at
        self.length += len(data)
        self._kept += data[: MOST_KEPT - len(self._kept)]

    @property
    def raw(self) -> str:
        """The first of them, in hexadecimal."""
        return self._kept.hex()

    def holds(self, *bytes_: int) -> bool:
        """Tell whether any of these bytes is among those kept."""
        return any(byte in self._kept for byte in bytes_)

    def is_like(self, frame: bytes) -> bool:
        """Tell whether they begin like *frame*, its number included, or end like all behind it."""
        return self._kept[:2] == frame[:2] or self._kept.endswith(frame[2:])


class Losses:
    """Tells that messages were lost; a line that is nothing but noise is a fault of its own.

    Where nothing was ever understood two losses show that, for a plug may make one; else some in a
    row do.
    """

    def __init__(self, counters: Counters) -> None:
        """Count the losses in *counters*."""
        self._counters = counters
        self.forget()

    def forget(self) -> None:
        """Start over: nothing was lost, and nothing was told."""
        self._in_a_row = self._stray = 0
        self._nothing_yet, self._told = True, False

    def stray(self, length: int, raw: str) -> list[DeviceEvent]:
        """Take a piece too short to be what is left of a message; many of them are a loss."""
        self._stray += length
        if self._stray < MOST_STRAY:
            return []
        self._stray = 0
        return self.tell(raw)

    def tell(self, raw: str) -> list[DeviceEvent]:
        """Tell a loss by the bytes that are left of it, unless the line was told as a fault."""
        self._counters.missed += 1
        self._in_a_row += 1
        if self._in_a_row > MOST_IN_A_ROW:
            return []
        if self._told or self._in_a_row < (2 if self._nothing_yet else MOST_IN_A_ROW):
            return [Gap(None, raw)]
        self._told = True
        why = NOTHING_YET if self._nothing_yet else _WHY
        return [Gap(None, raw), Fault(NOT_UNDERSTOOD, why, raw)]

    @property
    def untold(self) -> bool:
        """Whether there was more than was told."""
        return self._in_a_row > MOST_IN_A_ROW

    def understood(self, raw: str) -> list[DeviceEvent]:
        """Learn that a message was understood: the line is well again."""
        was_told, self._told = self._told, False
        self._in_a_row = self._stray = 0
        self._nothing_yet = False
        return [FaultCleared(NOT_UNDERSTOOD, raw)] if was_told else []
