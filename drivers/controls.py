"""From "these controls are down" to presses: short, held, bounced, stuck, down from the start.

Pure: `Controls` is told which controls are down and when, and says what that means.

- A short press is told when the control is let go, a held one when the time for it has passed while
  it is still down; letting go after that tells nothing.
- A control let go for less than the debounce time was never let go: a bounce is no press.
- What is down in the first report never counts: nobody saw it being pressed.
"""

from dataclasses import dataclass

from drivers.events import DeviceEvent, Press, Stuck

STUCK_AFTER = 10.0
"""Seconds after which a control that is down is thought to be stuck."""


@dataclass(slots=True)
class _Held:
    """One control that is down, or was let go so short a time ago that it may be a bounce."""

    since: float
    counts: bool
    """Whether a press may still be told of it."""
    stuck: bool = False
    let_go_at: float | None = None


class Controls:
    """The controls of one device."""

    def __init__(self, *, hold_s: float = 0.6, debounce_s: float = 0.025) -> None:
        """Take the time after which a press is held, and the longest bounce, in seconds."""
        self._hold_s = hold_s
        self._debounce_s = debounce_s
        self.forget()

    def forget(self) -> None:
        """Start over; a press in progress is not told."""
        self._held: dict[str, _Held] = {}
        self._seen_any = False
        self._known = True

    def report(self, down: frozenset[str], now: float) -> list[DeviceEvent]:
        """Take the controls that are down now, all of them."""
        events = self.tick(now)
        self._known = True
        for control in sorted(down):
            held = self._held.setdefault(control, _Held(now, counts=self._seen_any))
            held.let_go_at = None
        for control, held in self._held.items():
            if control not in down and held.let_go_at is None:
                held.let_go_at = now
        self._seen_any = True
        # With no debounce time a release counts at once.
        return events + self.tick(now)

    def unknown(self, now: float) -> list[DeviceEvent]:
        """Learn that the device cannot say what is down; nothing is let go or held until it can."""
        events = self.tick(now)
        self._known = False
        return events

    def tick(self, now: float) -> list[DeviceEvent]:
        """Tell what has come true by *now*."""
        events: list[DeviceEvent] = []
        for control, held in list(self._held.items()):
            if held.let_go_at is not None:
                if now >= held.let_go_at + self._debounce_s:
                    del self._held[control]
                    if held.counts:
                        events.append(Press(control, held=False))
                continue
            if not self._known:
                continue
            if held.counts and now >= held.since + self._hold_s:
                held.counts = False
                events.append(Press(control, held=True))
            if not held.stuck and now >= held.since + STUCK_AFTER:
                held.stuck = True
                events.append(Stuck(control))
        return events

    def wake_at(self) -> float | None:
        """Tell when `tick` will have something to say, if no report comes before."""
        return min((due for held in self._held.values() for due in self._due(held)), default=None)

    def _due(self, held: _Held) -> list[float]:
        if held.let_go_at is not None:
            return [held.let_go_at + self._debounce_s]
        if not self._known:
            return []
        hold = [held.since + self._hold_s] if held.counts else []
        return hold if held.stuck else [*hold, held.since + STUCK_AFTER]
