"""The two clocks of a table: one for people, one for order."""

import time
from datetime import UTC, datetime
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def utc_now() -> str:
    """Return the wall clock for people: UTC, to the microsecond, as the log writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def mono_ms() -> int:
    """Return the milliseconds since the machine started; it never goes back or jumps."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000


def boot_id() -> str:
    """Return what tells this start of the machine from every other; empty if it cannot."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return ""
