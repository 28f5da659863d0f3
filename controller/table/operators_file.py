"""The operators' file: that it is not what the log says of the operators is an alarm."""

from typing import Final

from controller.events import OperatorsDiffer
from controller.table.alarms import raised
from controller.table.decision import Decision
from controller.table.state import TableState

UNLIKE: Final = "The operators' file is not what the log says"


def operators_differ(state: TableState, event: OperatorsDiffer) -> Decision:
    """Raise the alarm; that it agrees again answers none."""
    if not event.differs:
        return Decision(state, ())
    what = f"{UNLIKE}: {'; '.join(event.differs)}. Play goes on; nobody concerned can sign in"
    return Decision(*raised(state, "operators", "", what))
