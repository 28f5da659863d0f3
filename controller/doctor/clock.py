"""The clocks: a believable date, set by the network, and kept while the power is off."""

import ctypes
import ctypes.util
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from controller.doctor.finding import Finding, ok, trouble, unseen, warning
from controller.doctor.growth import times_of
from controller.doctor.machine import number_of
from controller.doctor.patient import Patient
from controller.eventlog import EventLogError

ABOUT: Final = "clock"
YEARS: Final = range(2026, 2100)
"""A table was not run before there was this program."""
MOST_APART: Final = 120
"""Seconds that the machine's two clocks may differ."""

_NOT_SYNCHRONISED: Final = 0x0040  # STA_UNSYNC of adjtimex(2)
_SET: Final = "sudo timedatectl set-ntp true"


class _Timex(ctypes.Structure):
    # struct timex of <sys/timex.h>; only status is looked at.
    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    )


def check(patient: Patient) -> Iterator[Finding]:
    """Yield what there is to say of the clocks."""
    now = datetime.now(UTC)
    yield from of_date(now, _last_event(patient))
    yield from of_network(_kernel_status())
    yield from _of_battery(patient, now)


def of_date(now: datetime, last_event: datetime | None) -> Iterator[Finding]:
    """Yield whether a date can be right, also by what was recorded last."""
    said = f"{now:%-d %B %Y %H:%M} UTC"
    mend = "sudo timedatectl set-time 'YYYY-MM-DD HH:MM:SS', then look at the clock's battery"
    if now.year not in YEARS:
        yield trouble(ABOUT, f"it cannot be {said}", mend=mend)
    elif last_event is not None and now + timedelta(seconds=MOST_APART) < last_event:
        what = f"it is {said}, but the log goes on to {last_event:%-d %B %Y %H:%M} UTC"
        yield trouble(ABOUT, what, mend=mend)
    else:
        yield ok(ABOUT, f"{said}, and the log is not ahead of it" if last_event else said)


def of_network(status: int | None) -> Iterator[Finding]:
    """Yield whether the clock is set by the network, by the kernel's status bits."""
    if status is None:
        yield unseen(ABOUT, "the kernel does not tell whether the clock is set by the network")
    elif status & _NOT_SYNCHRONISED:
        what = "the clock is not set by the network (NTP): it drifts"
        yield warning(ABOUT, what, mend=_SET)
    else:
        yield ok(ABOUT, "set by the network (NTP)")


def _kernel_status() -> int | None:
    """Return the status bits of adjtimex(2), asked without changing anything."""
    try:
        library = ctypes.CDLL(ctypes.util.find_library("c") or "libc.so.6", use_errno=True)
        asked = _Timex(modes=0)
        answer = library.adjtimex(ctypes.byref(asked))
    except (OSError, AttributeError):
        return None
    return int(asked.status) if answer >= 0 else None


def _last_event(patient: Patient) -> datetime | None:
    try:
        times = times_of(patient.machine.path(patient.state))
    except (EventLogError, OSError, ValueError):
        return None  # said of the disk
    return times[1] if times else None


def _of_battery(patient: Patient, now: datetime) -> Iterator[Finding]:
    where = "/sys/class/rtc/rtc0"
    said = number_of(patient.machine.text(f"{where}/since_epoch"))
    if said is None:
        what = "no clock with a battery is seen: after a power cut the date may be wrong"
        yield unseen(ABOUT, what, where)
        return
    apart = abs(said - now.timestamp())
    if apart > MOST_APART:
        what = f"the clock with the battery is {_span(apart)} off: a start without network shows it"
        yield warning(ABOUT, what, where, "sudo hwclock --systohc --utc")
    else:
        yield ok(ABOUT, "the clock with the battery agrees", where)


def _span(seconds: float) -> str:
    span = timedelta(seconds=round(seconds))
    return f"{span.days} days" if span.days > 1 else str(span)
