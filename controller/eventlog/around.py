"""What a reader of rows should know of the files they come from: what is altered, or missing.

It takes the first and the last row of each day. Whether the rows between hold, `verify` says.
"""

from collections.abc import Sequence

from controller.eventlog import witness
from controller.eventlog.chain import START, Head
from controller.eventlog.errors import EventLogError, NotALog
from controller.eventlog.files import (
    PUBLIC_KEYS,
    WITNESS,
    DayFile,
    LogFiles,
    days_in,
    first_missing,
)
from controller.eventlog.read import DayReader
from controller.eventlog.reasons import why
from controller.eventlog.trust import Trust


def faults(files: LogFiles, slots: witness.Slots | None, days: Sequence[DayReader]) -> list[str]:
    """Return what is altered or missing, in words; nothing if all of it agrees.

    Of one day's file alone its name and its key are looked at. ``slots`` is what the witness said
    before the days were opened: a log may run ahead of it, never behind.
    """
    if files.odd:
        return list(files.odd)
    found = []
    if files.whole and (missing := first_missing([day.file.number for day in days])):
        found.append(f"the file of day {missing} is missing")
    try:
        trust = Trust.of(files.folder, ())
        found += [bad.what] if (bad := trust.fault()) else []
        before: DayReader | None = None
        for day in days:
            found += _of_day(day, before, trust, must_be_listed=files.whole or not trust.is_blank)
            before = day
        if files.whole:
            beyond = trust.beyond(_last_begun(files)) if days else None
            found += [beyond.what] if beyond else []
            found += _behind(days, slots)
    except NotALog:
        raise
    except EventLogError as fault:
        found.append(str(getattr(fault, "what", fault)))
    return found


def slots_of(files: LogFiles) -> witness.Slots | None:
    """Read the witness of a log, which is not opened where it can't be a file.

    Raises:
        NotALog: it can't be read.

    """
    try:
        return None if files.odd else witness.read(files.folder / WITNESS)
    except OSError as error:
        raise NotALog(files.folder / WITNESS, f"it can't be read: {why(error)}") from error


def _last_begun(files: LogFiles) -> int:
    """Return the number of the last day by now: days may have begun since the files were opened.

    Raises:
        NotALog: the folder can't be read any more.

    """
    try:
        return max((day.number for day in days_in(files.folder) if day.has_begun), default=0)
    except OSError as error:
        raise NotALog(files.folder, f"it can't be read any more: {why(error)}") from error


def _of_day(
    day: DayReader, before: DayReader | None, trust: Trust, *, must_be_listed: bool
) -> list[str]:
    header = day.header()
    if header is None:
        begun = day.file.number > 1 and day.first is not None
        return [f"{day.file.path.name}: its first row is missing or changed"] if begun else []
    is_next = before is not None and before.file.number == day.file.number - 1
    beside: DayFile | None = before.file if before is not None and is_next else None
    found = []
    if misnamed := header.misnames(day.file, beside):
        found.append(misnamed)
    if before is not None and is_next and header.previous and before.head != header.previous.head:
        found.append(f"{before.file.path.name} ends otherwise than the day after it says")
    listed = trust.key_of(day.file.number)
    if listed is None and must_be_listed:
        found.append(f"{PUBLIC_KEYS}: the key of day {day.file.number} was removed")
    if listed is not None and listed != header.key:
        found.append(f"{day.file.path.name}: the day's key is another one than the log lists")
    return found


def _behind(days: Sequence[DayReader], slots: witness.Slots | None) -> list[str]:
    """Compare with the witness, which says how far the log went."""
    head = next((head for day in reversed(days) if (head := day.head) != START), START)

    def hash_at(seq: int) -> str | None:
        return next((found for day in reversed(days) if (found := day.hash_at(seq))), None)

    found = witness.contradiction(slots, Head(*head), hash_at)
    return [f"event {found[0]}: {found[1]}"] if found else []
