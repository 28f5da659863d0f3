"""A wall clock that was set, or runs wrong: what of it somebody at the table must know.

Nothing is decided by the wall clock.  But the log is read by it, so a supervisor has to know of a
time that comes twice, or of a day that is missing.
"""

from typing import Final

from controller.events import ClockStepped
from controller.outcomes import Flagged
from controller.table.alarms import raised
from controller.table.decision import Decision
from controller.table.state import TableState

SECOND_MS: Final = 1000
MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS

MEND: Final = "Order and minutes in the log stay right. Have the clock of this PC checked"


def clock_stepped(state: TableState, event: ClockStepped) -> Decision:
    """Alarm over a day's jump, or a minute that comes twice in the log; note fewer seconds.

    What is smaller and stays ahead of the log is recorded, and nobody is troubled with it.
    """
    what = f"{clock_words(event)}. {MEND}"
    if abs(event.by) >= DAY_MS or event.behind >= MINUTE_MS:
        return Decision(*raised(state, "clock", "", what))
    if event.behind:
        return Decision(state, (Flagged(rule="", what=what),))
    return Decision(state, ())


def clock_words(event: ClockStepped) -> str:
    """Return in words what happened to the wall clock."""
    way = "forward" if event.by > 0 else "back"
    words = f"the clock went {way} by {duration(event.by)}, to {event.after[:19]} UTC"
    if event.behind:
        words += f", {duration(event.behind)} before what is recorded: times in the log repeat"
    return words


def duration(milliseconds: int) -> str:
    """Return a span of time by its two largest units, whichever way it goes.

    >>> duration(-3_780_000)
    '1 h 3 min'
    >>> duration(2500)
    '2.5 s'
    """
    left = abs(milliseconds)
    if left < MINUTE_MS:
        return f"{left / SECOND_MS:.1f} s"
    left = (left + SECOND_MS // 2) // SECOND_MS * SECOND_MS
    units = ((DAY_MS, "d"), (HOUR_MS, "h"), (MINUTE_MS, "min"), (SECOND_MS, "s"))
    at = next(n for n, (size, _) in enumerate(units) if left >= size)
    (size, unit), (small, small_unit) = units[at], units[at + 1]
    rest = left % size // small
    return f"{left // size} {unit}" + (f" {rest} {small_unit}" if rest else "")
