# ruff: noqa: T201 - standard output is how it talks to the test
"""Hold a log until killed or told to go on; say when it is held."""

import sys
from pathlib import Path

from controller.eventlog import EventLog

log = EventLog.open(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.readline()
log.close()
print("closed", flush=True)
sys.stdin.readline()
