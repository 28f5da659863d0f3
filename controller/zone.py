"""The time zone of this process: a gaming day begins by it, and people read times in it.

The C library takes whatever it is told.  What it does not understand is UTC to it, without a word:
the day would begin at the wrong hour, and the times that people read would be wrong.  So a zone
that is none is said instead.
"""

import os
import re
import stat
import struct
import zoneinfo
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from controller.errors import SettingsError

MACHINES: Final = Path("/etc/localtime")
"""The machine's own zone; a machine without it has UTC."""

ZONES: Final = Path("/usr/share/zoneinfo")
MOST_BYTES: Final = 1024 * 1024
"""No file of a zone has as many."""

WHAT_TO_DO: Final = "name one of timedatectl list-timezones, as Australia/Sydney, or unset TZ"
MACHINE_TO_DO: Final = "set it: sudo timedatectl set-timezone Australia/Sydney"

_NAME: Final = r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)"
_HOURS: Final = r"[+-]?(?:[01]?\d|2[0-3])(?::[0-5]\d){0,2}"
_AT: Final = r"(?:/[+-]?\d{1,3}(?::[0-5]\d){0,2})?"
_DAY: Final = rf"(?:J?\d{{1,3}}|M(?:1[0-2]|0?[1-9])\.[1-5]\.[0-6]){_AT}"
_RULE: Final = re.compile(
    rf"(?:UTC|GMT|{_NAME}{_HOURS}(?:{_NAME}(?:{_HOURS})?(?:,{_DAY},{_DAY})?)?)"
)
"""A zone in its own words, as POSIX has them: ``AEST-10AEDT,M10.1.0,M4.1.0/3``."""


def check_zone(environment: Mapping[str, str] = os.environ) -> None:
    """Make sure that local times can be told.

    Raises:
        SettingsError: this process's time zone is none; says which, and what to do.
    """
    said = environment.get("TZ")
    if said is None:
        if os.path.lexists(MACHINES) and not _is_zone(MACHINES):
            raise SettingsError(f"{MACHINES} is no time zone: {MACHINE_TO_DO}")
        return
    name = said.removeprefix(":")
    try:
        file = Path(environment.get("TZDIR") or ZONES) / name
        if name and (_RULE.fullmatch(name) or _is_zone(file)):
            return
    except ValueError:
        pass  # a NUL in it
    raise SettingsError(f"TZ={said[:100]!r} is no time zone of this machine: {WHAT_TO_DO}")


def _is_zone(file: Path) -> bool:
    """Tell whether a file says when which offset holds."""
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
            return False
        with file.open("rb") as zone:
            zoneinfo.ZoneInfo.from_file(zone)
    except (OSError, ValueError, EOFError, struct.error):
        return False
    return True
