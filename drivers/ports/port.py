"""The one blocking interface behind which serial lines and USB units look alike."""

from typing import Protocol


class Port(Protocol):
    """One way to one device; opened once, closed once, never opened again.

    All methods may block for as long as they say and belong in a thread.  Every failure of `open`,
    `read`, `write` and `initial` is a `drivers.errors.LinkLost`.
    """

    @property
    def identity(self) -> str:
        """What the device tells of itself once open: ``vid:pid at bus-port``, "" if nothing."""

    def open(self) -> None:
        """Get hold of the device, for this programme alone."""

    def read(self, timeout: float) -> bytes:
        """Return what has arrived, for USB one report; b"" if nothing does in *timeout* seconds."""

    def write(self, data: bytes) -> None:
        """Send all of *data*, within a second or so."""

    def initial(self) -> bytes | None:
        """Return a report of the state the device is in, None where it cannot tell."""

    def close(self) -> None:
        """Let go of the device; may be called at any time, also twice, and raises nothing."""
