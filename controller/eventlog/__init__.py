"""The append-only log of a table: what happened, in order, sealed row by row.

Read it from `row` (what is recorded) over `chain` (how rows follow from each other) to `store`
(the file, for its one writer) and `read` (for everybody else). `memory` does the same without a
file. `verify` finds what was changed. FORMAT.md beside this file describes what lies on the disk.
"""

from controller.eventlog.chain import GENESIS, START, Head, row_hash
from controller.eventlog.errors import (
    EventLogError,
    LogAltered,
    LogHeld,
    LogWriteFailed,
    NewerFormat,
    NotALog,
    SigningKeyLost,
)
from controller.eventlog.log import Log, Readable
from controller.eventlog.memory import MemoryLog
from controller.eventlog.read import LogReader
from controller.eventlog.row import Content, Entry, Row, as_json_line, canonical
from controller.eventlog.show import lines
from controller.eventlog.store import EventLog
from controller.eventlog.verdict import CLOSING_KIND, OPENING_KIND, FirstBad, Verdict
from controller.eventlog.verify import verify

__all__ = [
    "CLOSING_KIND",
    "GENESIS",
    "OPENING_KIND",
    "START",
    "Content",
    "Entry",
    "EventLog",
    "EventLogError",
    "FirstBad",
    "Head",
    "Log",
    "LogAltered",
    "LogHeld",
    "LogReader",
    "LogWriteFailed",
    "MemoryLog",
    "NewerFormat",
    "NotALog",
    "Readable",
    "Row",
    "SigningKeyLost",
    "Verdict",
    "as_json_line",
    "canonical",
    "lines",
    "row_hash",
    "verify",
]
