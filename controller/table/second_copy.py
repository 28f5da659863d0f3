"""The second copy of the log: that it is gone, or was emptied or put back, is an alarm."""

from typing import Final

from controller.events import CopyLost, CopySetBack
from controller.table.alarms import raised
from controller.table.decision import Decision
from controller.table.state import TableState

LOST: Final = "The second copy of the log is not kept"
SET_BACK: Final = "The second copy of the log lacks what it has had"


def copy_lost(state: TableState, event: CopyLost) -> Decision:
    """Raise the alarm; a plug that is loose is one alarm, however often."""
    what = f"{LOST}: {event.why} ({event.folder}). Play goes on; have its disk looked at"
    return Decision(*raised(state, "second copy", "", what))


def copy_set_back(state: TableState, event: CopySetBack) -> Decision:
    """Raise the alarm: whoever changes a log has to change its copy too."""
    what = (
        f"{SET_BACK}: it had events up to {event.had}, {_left(event)} ({event.folder}). It is"
        " filled again from the log. If nobody changed its disk, somebody removed files: verify"
        " the log with a checkpoint that was written down"
    )
    return Decision(*raised(state, "second copy set back", "", what))


def _left(event: CopySetBack) -> str:
    if not event.days:
        return f"it has {event.has}" if event.has else "it is empty"
    days = ", ".join(map(str, event.days))
    return f"the file{'s' * (len(event.days) > 1)} of day {days} gone"
