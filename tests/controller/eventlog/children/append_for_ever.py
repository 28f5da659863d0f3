# ruff: noqa: T201 - standard output is how it talks to the test
"""Append until killed; acknowledge each step on standard output once ``append`` has returned."""

import sys
from itertools import count
from pathlib import Path

from controller.eventlog import Entry, EventLog, canonical

AT = "2026-05-09T07:35:25.123456Z"

log = EventLog.open(Path(sys.argv[1]))
for number in count():
    event = Entry(1, "card-drawn", canonical({"number": number}))
    outcomes = [Entry(1, "card-placed", canonical({"pad": "x" * 300}))] * (number % 4)
    for row in log.append(AT, event, outcomes):
        print(row.seq, row.hash, flush=True)
