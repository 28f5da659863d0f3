"""How a device is, for the dealer's screen and the technician."""

from typing import Literal

import msgspec

State = Literal["waiting", "online", "quiet", "lost"]
"""``waiting``: not seen since the start; ``quiet``: the link is up, but long without a frame, or
with nothing but noise."""


class Health(msgspec.Struct, frozen=True):
    """A device's state at one moment."""

    state: State
    since: float
    """When this state began, by the clock that the device is attended with."""
    detail: str
    """One sentence for people, "" if there is nothing to say."""
    counters: dict[str, int]
    reconnects: int
    """How often the link came back."""
