"""Copies of a log that lack something: what it is, and how a whole one is made."""

from collections.abc import Mapping, Sequence
from typing import Final

from controller.eventlog import witness
from controller.eventlog.checkpoints import read_kept, size_of
from controller.eventlog.database import is_kept_in_wal
from controller.eventlog.errors import NotALog
from controller.eventlog.files import PUBLIC_KEYS, WITNESS, DayFile, LogFiles
from controller.eventlog.reasons import why
from controller.eventlog.wal import wal_of

HOW: Final = (
    "copy the whole folder while the table is stopped, a day once it is over, or take log export"
)


def missing_from(
    files: LogFiles, days: Sequence[DayFile], slots: witness.Slots | None
) -> str | None:
    """Name what a log lacks that has rows in these days; None if nothing is missing.

    Raises:
        NotALog: it can't be looked at.

    """
    signed = [day for day in days if day.number]
    try:
        names = [WITNESS] if slots is None else []
        names += [PUBLIC_KEYS] if signed and not (files.folder / PUBLIC_KEYS).exists() else []
        names += [day.checkpoints.name for day in signed if not day.checkpoints.exists()]
    except OSError as error:
        raise NotALog(files.folder, f"it can't be read: {why(error)}") from error
    if not names:
        return None
    first = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if names[3:] else "")
    verb = "is" if len(names) == 1 else "are"
    return f"{first} {verb} missing: removed, or left out of a copy ({HOW})"


def may_lack_rows(day: DayFile) -> str | None:
    """Say that a day's file was copied without the rows beside it, if it may be; None if not.

    Raises:
        NotALog: it can't be looked at.

    """
    try:
        if wal_of(day.path).exists() or not is_kept_in_wal(day.path):
            return None
    except OSError as error:
        raise NotALog(day.path, f"it can't be read: {why(error)}") from error
    return (
        f"while a table runs, its last rows stand in {wal_of(day.path).name}, which is not here:"
        f" if this is a copy, rows may be missing ({HOW})"
    )


def must_not_be_half(day: DayFile, slots: witness.Slots | None, *, rows: bool) -> None:
    """Refuse a file of which nothing can be said: no row in it, and nothing that tells of any.

    Raises:
        NotALog: it is such a file.

    """
    if not rows and not any(slots or ()) and (what := may_lack_rows(day)):
        raise NotALog(day.path, f"there is no row in it, and it seems to be half a copy: {what}")


def not_kept(sparse: Mapping[DayFile, int]) -> list[str]:
    """Say which days have checkpoints that are not kept beside them as well.

    ``sparse`` says how many there are in a day's file. The last one may be kept any moment.
    """
    found = []
    for day, inside in sparse.items():
        kept = sum(1 for _ in read_kept(day.checkpoints, size_of(day.checkpoints)))
        if kept < inside - 1:
            what = f"{day.checkpoints.name} has {kept:,} of the {inside:,} checkpoints that are"
            found.append(f"{what} in the day's file: a power cut or a full disk loses some")
    return found
