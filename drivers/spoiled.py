"""What came over a line and was not understood: a card may have been among it.  Pure.

`Spoiled` keeps it until it is known whether something else made up for it, `Losses` tells it.
"""

from drivers.codec import Counters
from drivers.events import DeviceEvent, Fault, FaultCleared, Gap

MOST_KEPT = 64
"""Bytes of what was spoiled that are told; of how many there were, all are counted."""

FEWEST = 4
"""Bytes of which a message may be left; a stray one or two, as a plug makes, are counted only."""

MOST_IN_A_ROW = 3
"""Losses told one after the other with nothing understood in between; after them the line itself
is at fault, which is told once: noise must fill no log."""

NOT_UNDERSTOOD = "not-understood"
"""Code of the fault of a line on which nothing is understood."""

_WHY = (
    "What comes over its line is not understood; look at the cable, the speed, "
    "and whether it is the device that belongs there."
)


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
    """Tells that messages were lost; a line that is nothing but noise is a fault of its own."""

    def __init__(self, counters: Counters) -> None:
        """Count the losses in *counters*."""
        self._counters = counters
        self.forget()

    def forget(self) -> None:
        """Start over: nothing was lost, and nothing was told."""
        self._in_a_row = 0

    def tell(self, raw: str) -> list[DeviceEvent]:
        """Tell a loss by the bytes that are left of it, unless the line was told as a fault."""
        self._counters.missed += 1
        self._in_a_row += 1
        if self._in_a_row > MOST_IN_A_ROW:
            return []
        line = [Fault(NOT_UNDERSTOOD, _WHY, raw)] if self._in_a_row == MOST_IN_A_ROW else []
        return [Gap(None, raw), *line]

    @property
    def untold(self) -> bool:
        """Whether there was more than was told."""
        return self._in_a_row > MOST_IN_A_ROW

    def understood(self, raw: str) -> list[DeviceEvent]:
        """Learn that a message was understood: the line is well again."""
        was_told = self._in_a_row >= MOST_IN_A_ROW
        self._in_a_row = 0
        return [FaultCleared(NOT_UNDERSTOOD, raw)] if was_told else []
