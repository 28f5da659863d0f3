"""A log as JSON lines, which anybody can check with FORMAT.md and no part of this program."""

from typing import BinaryIO

from controller.eventlog.log import Readable
from controller.eventlog.row import as_json_line


def export_jsonl(reader: Readable, out: BinaryIO) -> int:
    """Write every row as one JSON object a line; return how many there were."""
    count = 0
    for row in reader.rows():
        out.write(as_json_line(row) + b"\n")
        count += 1
    return count
