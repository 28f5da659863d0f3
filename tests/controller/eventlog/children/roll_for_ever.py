# ruff: noqa: T201 - standard output is how it talks to the test
"""Append and begin days until killed, or until the n-th look at the file system in a new day.

Acknowledges each row on standard output once it is recorded.
"""

import os
import sys
from itertools import count
from pathlib import Path

from controller.eventlog import Entry, EventLog, canonical

AT = "2026-05-09T07:35:25.123456Z"
WATCHED = ("open", "os.chmod", "os.rename", "os.remove", "os.listdir", "sqlite3.connect")

left = int(sys.argv[2]) if len(sys.argv) > 2 else -1
rolling = False


def die_at_the_nth(event: str, _arguments: object) -> None:
    global left
    if rolling and event in WATCHED:
        left -= 1
        if left == 0:
            os._exit(9)  # nothing is closed or flushed


sys.addaudithook(die_at_the_nth)

log = EventLog.open(Path(sys.argv[1]))
for number in count():
    if log.is_over or number % 3 == 0:
        rolling = number > 0
        row = log.begin_day(AT, {"number": number})
        rolling = False
        print(row.seq, row.hash, flush=True)
        if left > 0 and number > 0:
            print("whole", flush=True)
            sys.exit()
    for row in log.append(AT, Entry(1, "settled", canonical({"number": number}))):
        print(row.seq, row.hash, flush=True)
