"""What a writer never writes, though every hash of it holds: rows of another form, or out of turn.

Whoever computes all hashes anew may put anything into a row. A reader that takes such a row for
one of ours could be told two things by it: of a key that stands in a body twice, one program takes
the first value and another the last.
"""

import re
from typing import Any, Final

import msgspec

from controller.eventlog.checkpoints import DAY_CLOSED, DAY_OPENED
from controller.eventlog.row import (
    DEEPEST,
    ROUND_LIMIT,
    TOO_DEEP,
    Content,
    is_canonical,
    is_kind,
    is_moment,
    is_too_deep,
)
from controller.eventlog.verdict import CLOSING_KIND, OPENING_KIND

NO_TIME: Final = "time changed: no time as a writer puts it"
NO_KIND: Final = "kind changed: no word as a writer puts it"
NO_ROUND: Final = "round changed: no number as a writer puts it"
NO_OBJECT: Final = "body changed: no canonical JSON object"

BETWEEN_RUNS: Final = frozenset(
    {"recovered", DAY_CLOSED, DAY_OPENED, "state-due", "command-failed"}
)
"""Kinds of event that may follow on ``stopped`` before a controller starts again.

The last two are what that run itself may still have had in hand when it recorded its end.
"""

_SHORT: Final = 2 * DEEPEST
"""Bytes without which nothing can be nested too deep."""

_MOST_KNOWN: Final = 4096
"""Short bodies that are remembered, so that the same one is looked at once."""

_TO_THE_MINUTE: Final = len("2026-05-09T07:35:")
_SECOND: Final = re.compile(rb"[0-5][0-9]\.[0-9]{6}Z")


def misshapen(content: Content) -> str | None:
    """Say what of a row no writer can have put there; None if all of it may be one's."""
    if not is_moment(content.at):
        return NO_TIME
    if not is_kind(content.kind):
        return NO_KIND
    if not 0 <= content.round < ROUND_LIMIT:
        return NO_ROUND
    if not is_canonical(bytes(content.body)):
        return NO_OBJECT
    return None


class Form:
    """The same of many records, as they lie in the file, in little time; see ``Scan``."""

    def __init__(self) -> None:
        self._at = b""
        self._minute = b""
        self._kinds: set[bytes] = set()
        self._bodies: set[bytes] = set()
        self._decode = msgspec.json.Decoder(dict[str, Any]).decode
        self._encode = msgspec.json.Encoder(order="sorted").encode

    def fault(self, record: tuple[Any, ...]) -> str | None:
        """Say what is wrong with the form of a record that holds; None if nothing is."""
        _, at, round_, kind, _, body, _ = record
        if at != self._at:  # rows of one transaction have one time
            if not self._is_moment(at):
                return NO_TIME
            self._at = at
        if kind not in self._kinds:
            if not is_kind(_text(kind)):
                return NO_KIND
            self._kinds.add(kind)
        if not 0 <= round_ < ROUND_LIMIT:
            return NO_ROUND
        return None if body in self._bodies else self._body(body)

    def _body(self, body: bytes) -> str | None:
        if len(body) > _SHORT and is_too_deep(body):
            return TOO_DEEP
        try:
            if self._encode(self._decode(body)) != body:
                return NO_OBJECT
        except (msgspec.DecodeError, ValueError):  # a number of thousands of digits is a ValueError
            return NO_OBJECT
        if len(body) <= _SHORT:  # what is dealt and reached is said in the same words day by day
            if len(self._bodies) == _MOST_KNOWN:
                self._bodies.clear()
            self._bodies.add(body)
        return None

    def _is_moment(self, at: bytes) -> bool:
        """Tell whether it is a time; one in the minute of the one before is looked at quickly."""
        minute = at[:_TO_THE_MINUTE]
        if minute == self._minute:
            return _SECOND.fullmatch(at, _TO_THE_MINUTE) is not None
        if not is_moment(_text(at)):
            return False
        self._minute = minute
        return True


class Runs:
    """Where runs of a controller begin and end: none records anything after its end."""

    def __init__(self) -> None:
        self.ended = 0
        """The event by which the last run ended in good order; 0 while one goes on."""
        self._event = (0, b"")

    def note(self, record: tuple[Any, ...]) -> None:
        """Take a row that begins or ends a run."""
        seq, at, _, kind, *_ = record
        self.ended = seq if _text(kind) == CLOSING_KIND else 0
        self._event = (seq, at)

    def fault(self, record: tuple[Any, ...]) -> str | None:
        """Say what is wrong with a row after the end of a run; None if it may stand there."""
        seq, at, _, kind, cause, *_ = record
        if cause is not None and (cause, at) == self._event:
            return None  # what came of the event before it, in one transaction with that
        if cause is None and _text(kind) in (*BETWEEN_RUNS, OPENING_KIND):
            self._event = (seq, at)
            return None
        return f"row inserted: the run had ended at event {self.ended}, and none had begun since"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
