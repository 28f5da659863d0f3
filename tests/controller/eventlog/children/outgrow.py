# ruff: noqa: T201 - standard output is how it talks to the test
"""Append until the files may not grow further, try again in vain, and then with room again.

Prints one JSON object. With a second argument the process is killed at the worst moment instead:
after the failure, with the log open.
"""

import json
import os
import resource
import signal
import sys
from itertools import count
from pathlib import Path

from controller.eventlog import Entry, EventLog, LogWriteFailed, canonical

AT = "2026-05-09T07:35:25.123456Z"


def limit_files(size: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))


def step(number: int) -> None:
    body = canonical({"number": number, "pad": "x" * 5000})
    log.append(AT, Entry(1, "step", body), [Entry(1, "outcome", body)])


log = EventLog.open(Path(sys.argv[1]))
limit_files(300_000)
reasons = []
for done in count():
    try:
        step(done)
    except LogWriteFailed as error:
        reasons.append(error.why)
        break
try:
    step(done)
except LogWriteFailed as error:
    reasons.append(error.why)
full = log.head
if len(sys.argv) > 2:
    print(json.dumps({"steps": done, "full": full, "reasons": reasons}), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
limit_files(resource.RLIM_INFINITY)
step(done)
print(json.dumps({"steps": done + 1, "full": full, "head": log.head, "reasons": reasons}))
log.close()
