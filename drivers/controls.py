"""From "these controls are down" to presses: short, held, bounced, stuck, down from the start.

Pure: `Controls` is told which controls are down and when, and says what that means.

- A short press is told when the control is let go, a held one when the time for it has passed while
  it is still down; letting go after that tells nothing.
- A control let go for less than the debounce time was never let go: a bounce is no press.
- What is down in the first report never counts: nobody saw it being pressed.

Of what reports like a keyboard, a press must be one that a hand or a foot can make (``by_hand``):

- While a stranger is down, a key that is no control, nothing that is down counts, nor does it when
  the stranger is let go first.
- Two controls that go down at once were not meant, neither of them.
- A contact of some milliseconds is none.  One too short for a foot, or for a finger in a row of
  presses, counts only if nothing else moves around it: so types a machine.
"""

from dataclasses import dataclass

from drivers.events import DeviceEvent, FaultCleared, Press, Stuck

STUCK_AFTER = 10.0
"""Seconds after which a control that is down is thought to be stuck."""

STUCK = "stuck"
"""Code of the fault that `drivers.events.Stuck` is, when it is over."""

GLITCH = 0.004
"""Seconds of contact that are no press: a pedal or keypad is asked every 8 to 10 ms."""

FIRM = 0.025
"""Seconds of contact that only a hand or foot makes: a finger's quickest tap lasts twice as long, a
foot's four times; firmware and scanners let go with the next report or the one after it."""

APART = 0.150
"""Seconds around a shorter contact in which nothing else may move, or a machine is typing."""

LONGEST_BOUNCE = 0.050
"""Seconds for which a control may bounce without ever making such a contact."""


@dataclass(slots=True)
class _Held:
    """One control that is down, or was let go so short a time ago that it may be a bounce."""

    since: float
    counts: bool
    """Whether a press may still be told of it."""
    touched_at: float
    """When it went down last; bounces apart, ``since``."""
    crowded: bool = False
    """Whether something else moved just before."""
    contact: float = 0.0
    """Seconds of its longest contact without a bounce, by the last time it was let go."""
    stuck: bool = False
    let_go_at: float | None = None


class Controls:
    """The controls of one device."""

    def __init__(
        self, *, hold_s: float = 0.6, debounce_s: float = 0.025, by_hand: bool = False
    ) -> None:
        """Take the time after which a press is held, and the longest bounce, in seconds.

        *by_hand*: whether a press must be one that a hand or foot can make.
        """
        self._hold_s = hold_s
        self._debounce_s = debounce_s
        self._glitch, self._firm, self._apart = (GLITCH, FIRM, APART) if by_hand else (0.0,) * 3
        self._by_hand = by_hand
        self.forget()

    def forget(self) -> None:
        """Start over; a press in progress is not told."""
        self._held: dict[str, _Held] = {}
        self._seen_any = False
        self._known = True
        self._muddled = False
        self._moved_at = float("-inf")

    def report(
        self, down: frozenset[str], now: float, strangers: frozenset[str] = frozenset()
    ) -> list[DeviceEvent]:
        """Take the controls that are down now, all of them, and the keys that are no controls."""
        events = self.tick(now)
        self._known = True
        all_down = down | strangers
        begun = [each for each in sorted(all_down) if not self._goes_on(each, now)]
        crowded = now < self._moved_at + self._apart
        at_once = len(all_down if self._muddled else begun) > 1
        counts = self._seen_any and not (self._by_hand and at_once)
        self._muddled = False
        for control in all_down:
            if control in begun:
                self._held[control] = _Held(now, counts, now, crowded)
            elif self._held[control].let_go_at is not None:
                self._held[control].let_go_at = None
                self._held[control].touched_at = now
        ended = self._let_go(self._held.keys() - all_down, now)
        if begun or ended:
            self._moved_at = now
        if begun:
            self._crowd(begun)
        if strangers:
            self._none_counts()
        self._seen_any = True
        # With no debounce time a release counts at once.
        return events + self.tick(now)

    def _goes_on(self, control: str, now: float) -> bool:
        """Tell whether a control that is down was so before, bounces apart."""
        held = self._held.get(control)
        if held is None:
            return False
        return held.let_go_at is None or now < held.let_go_at + self._debounce_s

    def _let_go(self, controls: set[str], now: float) -> bool:
        """Note that *controls* are up; return whether any was down until now."""
        ended = [self._held[each] for each in controls if self._held[each].let_go_at is None]
        for held in ended:
            held.let_go_at = now
            held.contact = max(held.contact, now - held.touched_at)
        return bool(ended)

    def _crowd(self, begun: list[str]) -> None:
        """Learn that *begun* went down: a short contact that has just ended was not alone."""
        for control, held in self._held.items():
            if control not in begun and held.let_go_at is not None:
                held.crowded = True

    def _none_counts(self) -> None:
        for held in self._held.values():
            held.counts = False

    def unknown(self, now: float) -> list[DeviceEvent]:
        """Learn that the device cannot say what is down; nothing is let go or held until it can."""
        events = self.tick(now)
        self._known = False
        return events

    def muddled(self, now: float) -> list[DeviceEvent]:
        """Learn that more is down than the device can say: a hand lies on it, and nothing counts.

        Nor do several that turn out to be down when it can say again.
        """
        events = self.unknown(now)
        self._none_counts()
        self._muddled = True
        return events

    def tick(self, now: float) -> list[DeviceEvent]:
        """Tell what has come true by *now*."""
        events: list[DeviceEvent] = []
        for control, held in list(self._held.items()):
            if held.let_go_at is not None:
                if now >= self._over_at(held, held.let_go_at):
                    del self._held[control]
                    events += self._ended(control, held)
                continue
            if not self._known:
                continue
            if held.counts and now >= self._held_at(held):
                held.counts = False
                events.append(Press(control, held=True))
            if not held.stuck and now >= held.since + STUCK_AFTER:
                held.stuck = True
                events.append(Stuck(control))
        return events

    def _ended(self, control: str, held: _Held) -> list[DeviceEvent]:
        """Tell what the end of a press tells."""
        if held.stuck:
            others = any(each.stuck for each in self._held.values())
            return [] if others else [FaultCleared(STUCK, "")]
        firm = held.contact >= self._firm
        if held.counts and (firm or self._is_tap(held)):
            return [Press(control, held=False)]
        return []

    def _is_tap(self, held: _Held) -> bool:
        """Tell whether a short contact, which has ended, may have been a finger's."""
        assert held.let_go_at is not None
        lasted = held.let_go_at - held.since
        return not held.crowded and held.contact >= self._glitch and lasted <= LONGEST_BOUNCE

    def _held_at(self, held: _Held) -> float:
        """Return when a control that stays down is a held press."""
        return max(held.since + self._hold_s, held.touched_at + self._firm)

    def _over_at(self, held: _Held, let_go_at: float) -> float:
        """Return when it is certain that a control was let go, and what that means."""
        if held.counts and held.contact < self._firm and not held.crowded:
            return let_go_at + max(self._debounce_s, self._apart)
        return let_go_at + self._debounce_s

    def wake_at(self) -> float | None:
        """Tell when `tick` will have something to say, if no report comes before."""
        return min((due for held in self._held.values() for due in self._due(held)), default=None)

    def _due(self, held: _Held) -> list[float]:
        if held.let_go_at is not None:
            return [self._over_at(held, held.let_go_at)]
        if not self._known:
            return []
        hold = [self._held_at(held)] if held.counts else []
        return hold if held.stuck else [*hold, held.since + STUCK_AFTER]
