"""The second copy of the log: its absence is an alarm that a casino supervisor answers."""

from typing import Final

import msgspec

from controller.events import CopyLost
from controller.outcomes import Alarm
from controller.table.decision import Decision
from controller.table.state import TableState

LOST: Final = "The second copy of the log is not kept"


def copy_lost(state: TableState, event: CopyLost) -> Decision:
    """Raise the alarm, unless it stands already: a plug that is loose is one alarm."""
    if any(alarm.startswith(LOST) for alarm in state.alarms):
        return Decision(state, ())
    what = f"{LOST}: {event.why} ({event.folder}). Play goes on; have its disk looked at"
    alarmed = msgspec.structs.replace(state, alarms=(*state.alarms, what))
    return Decision(alarmed, (Alarm(rule="", what=what),))
