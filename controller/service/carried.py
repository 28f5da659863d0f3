"""What a day's first row carries beside the table's state, so that a start reads one file.

That is what the log knows of the folders beside it: by it a folder that was put back is told.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from controller.eventlog.checkpoints import DAY_OPENED
from controller.eventlog.log import ByKind
from controller.eventlog.row import Row
from controller.events import CopyFollows
from controller.operators.roll import CARRIED_AS, Roll

_COPY: Final = "copy"
_FOLLOWS: Final = str(CopyFollows.__struct_config__.tag)


class _Copied(msgspec.Struct, frozen=True):
    """How far the second copy has come."""

    folder: str = ""
    seq: int = 0


class Carried:
    """The operators and the second copy as the log knows them, up to its last row."""

    def __init__(self, log: ByKind) -> None:
        """Take up what the log says."""
        self.roll = Roll.of(log)
        self._copied = _Copied()
        opened, follows = log.last_of(DAY_OPENED), log.last_of(_FOLLOWS)
        if opened is not None:
            plain = msgspec.json.decode(opened.body).get(_COPY) or {}
            self._copied = msgspec.convert(plain, _Copied)
        if follows is not None:
            self._copied = msgspec.json.decode(follows.body, type=_Copied)

    def copied_to(self, folder: object) -> int:
        """Return up to which event the second copy in a folder has come."""
        return self._copied.seq if self._copied.folder == str(folder) else 0

    def recorded(self, rows: Sequence[Row]) -> None:
        """Take note of rows that are on disk now."""
        for row in rows:
            self.roll.take(row)
            if row.kind == _FOLLOWS:
                self._copied = msgspec.json.decode(row.body, type=_Copied)

    def as_plain(self) -> dict[str, Any]:
        """Return the members of a day's first row."""
        return {CARRIED_AS: self.roll.as_plain(), _COPY: msgspec.to_builtins(self._copied)}
