"""Alarms that wait for an answer: one for each cause, with a count.

Whatever comes again while it stands is the same alarm once more: it has the latest words, and the
one answer is for all of it.  It keeps its place in the line, and the oldest is answered first.

Each of the first ten has a row in the log, and then every next round number: the 20th, 30th, ...
100th, 200th.  So a backlog of thousands is some thirty rows, and ``times`` in these rows, in the
answer's and in the table's state says how often it came; the events themselves are rows as ever.
"""

import msgspec

from controller.errors import NotAllowed
from controller.events import AnswerAlarm
from controller.outcomes import Accepted, Alarm, AlarmAnswered
from controller.table.decision import Decision
from controller.table.roles import SUPERVISORS, WHO_ANSWERS
from controller.table.state import StandingAlarm, TableState


def raised(
    state: TableState, cause: str, rule: str, what: str
) -> tuple[TableState, tuple[Alarm, ...]]:
    """Let an alarm stand, or come once more if one of its cause stands already.

    ``cause`` stays the same however often it comes, and names no card that must not be exposed;
    ``rule`` is the clause, empty where none gives it.  Returns the outcome too, where it is told.
    """
    at, before = next(
        (
            (at, one)
            for at, one in enumerate(state.standing)
            if isinstance(one, StandingAlarm) and one.cause == cause
        ),
        (len(state.standing), None),
    )
    times = before.times + 1 if before else 1
    now = StandingAlarm(cause=cause, what=what, times=times)
    standing = (*state.standing[:at], now, *state.standing[at + 1 :])
    told = (Alarm(rule=rule, what=what, cause=cause, times=times),) if is_told(times) else ()
    return msgspec.structs.replace(state, standing=standing), told


def is_told(times: int) -> bool:
    """Tell whether an alarm has a row the n-th time.

    >>> [n for n in range(1, 400) if is_told(n)][8:]
    [9, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 300]
    """
    return not str(times)[1:].strip("0")


def answer_alarm(state: TableState, ask: AnswerAlarm, by: str) -> Decision:
    """Take the word of somebody who may on the oldest alarm, however often it came.

    Raises:
        NotAllowed: there is none, or not by this person.
    """
    if not state.standing:
        raise NotAllowed("3.3", "no alarm waits for an answer")
    if by not in SUPERVISORS:
        raise NotAllowed("3.3", f"{WHO_ANSWERS} answers an alarm, not the {by}")
    oldest = state.standing[0]
    if isinstance(oldest, str):
        ended = AlarmAnswered(what=oldest)
    else:
        ended = AlarmAnswered(what=oldest.what, cause=oldest.cause, times=oldest.times)
    answered = msgspec.structs.replace(state, standing=state.standing[1:])
    return Decision(answered, (Accepted(what=msgspec.to_builtins(ask), rule="3.3"), ended))
