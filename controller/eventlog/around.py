"""What a reader of rows should know of the files they come from: what is altered, or missing.

It takes the first and the last row of each day. The rows between are for `checked`, and whether
they are signed, `verify` says.
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
from controller.eventlog.halves import may_lack_rows, missing_from, must_not_be_half
from controller.eventlog.read import DayReader
from controller.eventlog.reasons import why
from controller.eventlog.trust import Trust
from controller.eventlog.wal import wal_fault


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
        found += [what for day in days if (what := _torn(day.file))]
        trust = Trust.of(files.folder, ())
        found += [bad.what] if (bad := trust.fault()) else []
        # A day without a row has not begun: a power cut may have left its file alone.
        begun = [day.file for day in days if day.first]
        lacks = missing_from(files, begun, slots) if files.whole else None
        if lacks and begun:
            found.append(lacks)
        must_be_listed = not trust.is_blank or (files.whole and not lacks)
        before: DayReader | None = None
        for day in days:
            found += _of_day(day, before, trust, must_be_listed=must_be_listed)
            before = day
        if files.whole:
            beyond = trust.beyond(_last_begun(files)) if days else None
            found += [beyond.what] if beyond else []
        if _is_witnessed(files, days, slots):
            found += _behind(days, witness.since(slots, 1 if files.whole else days[0].first or 1))
    except NotALog:
        raise
    except EventLogError as fault:
        found.append(str(getattr(fault, "what", fault)))
    return found


def notes(files: LogFiles, slots: witness.Slots | None, days: Sequence[DayReader]) -> list[str]:
    """Return what else should be known: keys that were not handed over, a copy that may be half.

    Raises:
        NotALog: it is half a copy, without a row.

    """
    if files.odd or not days:
        return []
    found = list(Trust.of(files.folder, ()).notes) if files.whole else []
    last = days[-1]
    must_not_be_half(last.file, slots, rows=last.first is not None or len(days) > 1)
    if not any(slots or ()) and not last.is_over() and (what := may_lack_rows(last.file)):
        found.append(what)
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


def _is_witnessed(files: LogFiles, days: Sequence[DayReader], slots: witness.Slots | None) -> bool:
    """Tell whether the witness says how far these days went: it tells of the last one only."""
    if files.whole:
        return True
    return any(slots or ()) and days[-1].file.number >= _last_begun(files)


def _torn(day: DayFile) -> str | None:
    try:
        return wal_fault(day.path)
    except OSError as error:
        raise NotALog(day.path, f"it can't be read any more: {why(error)}") from error


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
