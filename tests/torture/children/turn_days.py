"""Begin a log, record a little, and turn the day.

python turn_days.py STATE
"""

import sys
from contextlib import closing
from pathlib import Path

from controller.eventlog import Entry, EventLog, canonical

AT = "2026-05-09T07:35:25.123456Z"

with closing(EventLog.open(Path(sys.argv[1]) / "log", date="2026-05-09")) as log:
    for date in ("2026-05-09", "2026-05-10"):
        log.begin_day(AT, {"date": date})
        log.append(AT, Entry(0, "started", canonical({"table": "BJ 3"})))
        log.append(AT, Entry(1, "settled", canonical({"pays": 1})))
