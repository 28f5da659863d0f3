"""Commands on their way to a device of the reference protocol, one at a time.

The next is sent when the one before was answered or given up.  What may be repeated is, a few
times; what may not (lock, eject) is told as unanswered, and whoever sent it asks for the state.
"""

from collections import deque
from dataclasses import dataclass, field

from drivers.events import Acknowledged, DeviceEvent, NotAcknowledged
from drivers.reference_wire import REASONS, Frame, Reason, Type, frame

ANSWER_WITHIN = 0.5
"""Seconds a device has to answer."""

MOST_SENDINGS = 3
"""How often what may be repeated is sent."""

MOST_WAITING = 32
"""Commands that may wait; beyond that the oldest is given up."""

REPEATABLE = frozenset({Type.ASK_HELLO, Type.ASK_STATE, Type.LAMPS, Type.ARM})


@dataclass(slots=True)
class _Errand:
    type: Type
    payload: bytes
    asked_by: list[int] = field(default_factory=list)
    """The ids that are told how it went."""
    sequence: int = 0
    sent: int = 0
    due: float = 0.0
    overtaken: bool = False


class Errands:
    """The commands that are waiting, and the one that is not answered yet."""

    def __init__(self) -> None:
        """Start with nothing to do."""
        self.forget()

    def forget(self) -> None:
        """Drop everything; nobody is told."""
        self._waiting: deque[_Errand] = deque()
        self._out: _Errand | None = None
        self._untold: list[DeviceEvent] = []
        self._next_sequence = 0

    def add(self, kind: Type, payload: bytes = b"", command_id: int | None = None) -> None:
        """Let a command be sent in its turn; a newer one of its kind overtakes it."""
        asked_by = [] if command_id is None else [command_id]
        if kind in REPEATABLE:
            for older in [each for each in self._waiting if each.type == kind]:
                self._waiting.remove(older)
                if older.payload == payload:
                    asked_by = older.asked_by + asked_by
                else:
                    self._give_up(older, "overtaken by a newer command")
            if self._out is not None and self._out.type == kind and self._out.payload != payload:
                self._out.overtaken = True
        self._waiting.append(_Errand(kind, payload, asked_by))
        if len(self._waiting) > MOST_WAITING:
            self._give_up(self._waiting.popleft(), "too many commands are waiting")

    def pending(self, now: float) -> bytes:
        """Return what is to be sent *now*: a command that is due again, or the next one."""
        if self._out is None:
            if not self._waiting:
                return b""
            self._out = self._waiting.popleft()
            self._out.sequence = self._next_sequence
            self._next_sequence = (self._next_sequence + 1) % Frame.SEQUENCES
        elif now < self._out.due or not self._may_repeat(self._out):
            return b""
        self._out.sent += 1
        self._out.due = now + ANSWER_WITHIN
        return frame(self._out.sequence, self._out.type, self._out.payload)

    def tick(self, now: float) -> list[DeviceEvent]:
        """Give up what was not answered in time; tell what was given up."""
        out = self._out
        if out is not None and now >= out.due and not self._may_repeat(out):
            self._out = None
            times = "" if out.sent == 1 else f", sent {out.sent} times"
            self._give_up(out, "overtaken" if out.overtaken else f"no answer{times}")
        untold, self._untold = self._untold, []
        return untold

    def acknowledged(self, sequence: int) -> list[DeviceEvent] | None:
        """Take an ACK; return what that tells, None if it is for nothing that is out."""
        out = self._out
        if out is None or out.sequence != sequence:
            return None
        self._out = None
        return [Acknowledged(each) for each in out.asked_by]

    def refused(self, sequence: int, reason: int) -> list[DeviceEvent] | None:
        """Take a NAK; return what that tells, None if it is for nothing that is out."""
        out = self._out
        if out is None or out.sequence != sequence:
            return None
        if reason == Reason.BUSY and self._may_repeat(out):
            return []  # it is due again soon
        self._out = None
        known = REASONS[Reason(reason)] if reason in list(Reason) else f"reason {reason}"
        return [NotAcknowledged(each, f"refused: {known}") for each in out.asked_by]

    def wake_at(self) -> float | None:
        """Tell when something is to be sent, given up or told; 0 is at once."""
        if self._untold or (self._out is None and self._waiting):
            return 0.0
        return None if self._out is None else self._out.due

    def _may_repeat(self, errand: _Errand) -> bool:
        if errand.overtaken or errand.type not in REPEATABLE:
            return False
        return errand.sent < MOST_SENDINGS

    def _give_up(self, errand: _Errand, why: str) -> None:
        name = errand.type.name.replace("_", "-")
        self._untold += [NotAcknowledged(each, f"{name}: {why}") for each in errand.asked_by]
