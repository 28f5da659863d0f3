"""``tablekeeper log verify``: a log checked, also while a table writes it."""

import sys
from pathlib import Path
from typing import Final

import msgspec

from controller.eventlog import verify
from controller.eventlog.verify import FirstBad, Verdict

INTACT: Final = 0
ALTERED: Final = 1
NOT_CLOSED: Final = 3


class Found(msgspec.Struct, frozen=True):
    """What ``verify --json`` ends with."""

    ok: bool
    events: int
    head: str
    first_bad: FirstBad | None


def verify_log(path: Path, *, as_json: bool) -> int:
    """Check the log and say what was found; return the exit status."""
    verdict = verify(path, None if as_json or not sys.stderr.isatty() else _progress)
    if as_json:
        found = Found(verdict.ok, verdict.events, verdict.head, verdict.first_bad)
        sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
    else:
        sys.stdout.write(_words(verdict) + "\n")
    if not verdict.ok:
        return ALTERED
    return NOT_CLOSED if verdict.open_round else INTACT


def _progress(done: int, of: int) -> None:
    sys.stderr.write(f"\r{done:,} of {of:,} events checked")
    if done >= of:
        sys.stderr.write("\n")
    sys.stderr.flush()


def _words(verdict: Verdict) -> str:
    if verdict.first_bad is not None:
        where = f"event {verdict.first_bad.seq}" if verdict.first_bad.seq else "the file"
        return (
            f"ALTERED at {where}: {verdict.first_bad.what}\n"
            f"{verdict.events:,} events before it are intact"
        )
    still = "; its last run did not close" if verdict.open_round else ""
    return f"intact: {verdict.events:,} events, head {verdict.head}{still}"
