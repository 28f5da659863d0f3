"""The second copy of the log: its absence is an alarm."""

from typing import Final

from controller.events import CopyLost
from controller.table.alarms import raised
from controller.table.decision import Decision
from controller.table.state import TableState

LOST: Final = "The second copy of the log is not kept"


def copy_lost(state: TableState, event: CopyLost) -> Decision:
    """Raise the alarm; a plug that is loose is one alarm, however often."""
    what = f"{LOST}: {event.why} ({event.folder}). Play goes on; have its disk looked at"
    return Decision(*raised(state, "second copy", "", what))
