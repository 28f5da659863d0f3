"""A second copy of a log, on another disk, kept in step.

The copy has the same rows, hashes and checkpoints, and no private key. A day that is over is
copied byte by byte, so that its file has the SHA-256 that the next day names. It can be verified
by itself, like the log, also where a power cut has left it: keys and witness come before rows, and
what is there of a day stays until all of it lies beside, whole and on the disk.
"""

import os
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from controller.custody import read_file
from controller.eventlog import witness
from controller.eventlog.apart import misplaced
from controller.eventlog.chain import START, Head
from controller.eventlog.checkpoints import size_of
from controller.eventlog.day import OpenDay, beside, forget
from controller.eventlog.daycopy import (
    LATEST,
    copied_durably,
    exchange,
    fill,
    is_unlike,
    sealed_as,
)
from controller.eventlog.errors import (
    CopySetBack,
    EventLogError,
    LogAltered,
    MirrorFailed,
    SetBack,
)
from controller.eventlog.files import (
    PUBLIC_KEYS,
    WITNESS,
    DayFile,
    files_in,
    is_sealed,
    sync_folder,
    write_durably,
)
from controller.eventlog.likeness import (
    altered,
    how_torn,
    must_be_kept_alike,
    must_list_alike,
    must_not_go_on,
    must_witness_alike,
)
from controller.eventlog.read import DayReader
from controller.eventlog.reasons import DATABASE_ERRORS, why
from controller.eventlog.signing import MOST_BYTES

_Result = TypeVar("_Result")


class Mirror:
    """The copy of a log, for its one writer; any call may raise `MirrorFailed`.

    After that the object is done with: open another when the reason may be gone.
    """

    def __init__(self, source: Path, target: Path) -> None:
        """Keep ``target``, a folder that is there, a copy of the log in ``source``."""
        self._source = source
        self._target = target
        self._open: OpenDay | None = None
        self._witness: witness.Witness | None = None
        self._torn: dict[DayFile, str] | None = None
        """What is torn of the days in the copy, by how; None until it was looked at."""
        self.mended: list[str] = []
        """What was torn and is whole again; whoever tells of it empties the list."""

    @property
    def folder(self) -> Path:
        """Where the copy is."""
        return self._target

    def keep_in_step(self, had: int = 0) -> Head:
        """Copy what the log has and the copy has not; return how far it goes then.

        ``had`` is how far the copy is known to have come: one that lacks that is left as it is.
        It does not go on to the next day while somebody reads one that is over: repeat.

        Raises:
            CopySetBack: it lacks what it has had; call again without ``had`` to fill it.
            LogAltered: the log lacks rows of the copy or has others, and the copy holds.
            MirrorFailed: the copy can't be written, is not there, or was altered.

        """
        return self._told(lambda: self._copy(had))

    def lacking(self, had: int) -> SetBack | None:
        """Tell whether the copy lacks events up to ``had``, or days, that it has had.

        Raises:
            LogAltered: there is something odd in the log's folder, or the copy tells against it.
            MirrorFailed: the copy can't be read, is not there, or was altered.

        """
        return self._told(lambda: self._lacking(self._begun(), had))

    def _told(self, work: Callable[[], _Result]) -> _Result:
        try:
            return work()
        except OSError as error:
            raise MirrorFailed(self._target, why(error)) from error
        except DATABASE_ERRORS as error:
            raise MirrorFailed(self._target, why(error)) from error
        except LogAltered as error:
            if error.path.is_relative_to(self._target):
                raise altered(self._target, f"{error.path.name}: {error.what}") from error
            if isinstance(error.__cause__, DATABASE_ERRORS) and is_sealed(error.path):
                # Of a day that is over, which play does not need: no reason to end a table.
                what = f"{error.path}, of the log itself, is damaged; verify the log"
                raise MirrorFailed(self._target, what) from error
            raise
        except (MirrorFailed, CopySetBack):
            raise
        except EventLogError as error:
            raise MirrorFailed(self._target, str(error)) from error

    def close(self) -> None:
        """Close all files; what a failing disk says to that, it has said before."""
        for one in (self._open, self._witness):
            if one is not None:
                with suppress(OSError, *DATABASE_ERRORS):
                    one.close()
        self._open = self._witness = None

    # --- looking ----------------------------------------------------------------------------------

    def _begun(self) -> list[DayFile]:
        """Return the days that have begun; the copy is where it should be, and was looked at."""
        self._must_be_there()
        if fault := misplaced(self._source, self._target):
            raise MirrorFailed(self._target, fault)
        days = [day for day in self._files() if day.path.stat().st_size]
        if self._torn is None:
            self._torn = self._look(days)
        return days

    def _must_be_there(self) -> None:
        try:
            mode = self._target.stat().st_mode
        except FileNotFoundError:
            raise MirrorFailed(self._target, "it is not there: plug in or mount its disk") from None
        if not stat.S_ISDIR(mode):
            what = "it is no folder: move it away, and make a folder for the copy"
            raise MirrorFailed(self._target, what)

    def _files(self) -> tuple[DayFile, ...]:
        """Return the files of the log's days, once there is nothing odd here nor in the copy."""
        files = files_in(self._source)
        if files.odd:
            raise LogAltered(self._source, 0, files.odd[0])
        copied = files_in(self._target)
        if copied.odd:
            raise MirrorFailed(self._target, f"{copied.odd[0]}: look at it and move it away")
        if files.days and copied.days and copied.days[-1].number > files.days[-1].number:
            must_not_go_on(copied.days[-1], files.days[-1])
        return files.days

    def _look(self, days: list[DayFile]) -> dict[DayFile, str]:
        """Compare the copy with the log as far as a power cut may have torn it; return how.

        Raises:
            LogAltered, MirrorFailed: what differs is not torn; see `how_torn`.

        """
        torn = {}
        last = 0
        for place, day in enumerate(days):
            copy = self._copy_of(day)
            if not os.path.lexists(copy.path):
                continue
            if self._is_whole(copy) and not is_unlike(copy, day, days[place + 1 :]):
                what = ""
            elif self._is_whole(copy):
                what = how_torn(copy, day) or f"{copy.path.name} is not as it was sealed"
            else:
                what = how_torn(copy, day)
            if what:
                torn[copy] = what
            elif copy.has_begun:
                last = day.number
                if place >= len(days) - LATEST:
                    must_be_kept_alike(copy, day)
        must_list_alike(self._target, self._source, last)
        must_witness_alike(self._target, days)
        return torn

    def _is_whole(self, copy: DayFile) -> bool:
        return copy.path.exists() and is_sealed(copy.path)

    def _lacking(self, days: list[DayFile], had: int) -> SetBack | None:
        if not had:
            return None
        days_gone = tuple(
            day.number
            for day, after in pairwise(days)
            if not self._is_here(self._copy_of(day)) and _ended_before(after) <= had
        )
        is_open = self._open is not None and self._open.file.path.exists()
        has = had if is_open else self._reach().seq
        return SetBack(had, has, days_gone) if has < had or days_gone else None

    def _is_here(self, copy: DayFile) -> bool:
        return copy.path.exists() and copy not in (self._torn or ())

    def _reach(self) -> Head:
        """Return the last event that the copy has."""
        for copy in reversed(files_in(self._target).days):
            if copy.has_begun and self._is_here(copy):
                with closing(DayReader.open(copy)) as reader:
                    if (head := reader.head) != START:
                        return head
        return START

    def _copy_of(self, day: DayFile) -> DayFile:
        return DayFile(day.number, self._target / day.path.name)

    # --- copying ----------------------------------------------------------------------------------

    def _copy(self, had: int) -> Head:
        days = self._begun()
        if lacks := self._lacking(days, had):
            raise CopySetBack(self._target, lacks)
        head = START
        for place, day in enumerate(days):
            copy = self._copy_of(day)
            if place < len(days) - 1 and self._is_whole(copy) and not self._is_torn(copy):
                continue
            self._list_keys(day.number)
            self._begin()
            if place == len(days) - 1:
                head = self._follow(day, copy)
            elif not self._copy_whole(day, copy, days[place + 1]):
                return self._noted(self._open.head if self._open else self._reach())
        self._list_keys(None)
        return self._noted(head)

    def _is_torn(self, copy: DayFile) -> bool:
        return copy in (self._torn or ())

    def _copy_whole(self, day: DayFile, copy: DayFile, after: DayFile) -> bool:
        """Put the file of a day that is over in place; False if it can't be exchanged just now."""
        if day.number and not is_sealed(day.path):
            return False  # it is being closed just now
        if copy.has_begun and not self._is_torn(copy):  # to its end: until then it is the copy
            self._follow(day, copy)
            assert self._open is not None
            if not self._open.put_together():
                return False
        self._close_day()
        new = copy.path.with_name(f"{copy.path.name}.new")
        try:
            if copied_durably(day.path, new) != sealed_as(day, after):
                what = f"{day.path} was changed after it was sealed, and is not copied"
                raise MirrorFailed(self._target, f"{what}; verify the log")
            if self._is_torn(copy) or size_of(copy.checkpoints) <= size_of(day.checkpoints):
                kept = day.checkpoints.read_bytes() if day.checkpoints.exists() else b""
                write_durably(copy.checkpoints, kept)
            exchange(copy, new)
        except (OSError, EventLogError):
            with suppress(OSError):
                new.unlink(missing_ok=True)
            raise
        self._is_mended(copy)
        return True

    def _follow(self, day: DayFile, copy: DayFile) -> Head:
        """Bring the copy of the day that is open up to date; return its head."""
        if self._is_torn(copy) or not copy.has_begun:
            self._make_anew(day, copy)
        # A file that was removed is still written to, by whoever has it open.
        if self._open is None or self._open.file != copy or not copy.path.exists():
            self._close_day()
            self._open = OpenDay.open(copy)
            sync_folder(self._target)
        return fill(self._open, day)

    def _make_anew(self, day: DayFile, copy: DayFile) -> None:
        """Copy a day that is open beside what is torn of it, if anything, and exchange the two.

        In place it would be no log for a moment.
        """
        self._close_day()
        new = DayFile(copy.number, copy.path.with_name(f"{copy.path.name}.new"))
        forget(new)
        with closing(OpenDay.open(new)) as made:
            fill(made, day)
            made.put_together()
        for path in beside(new):
            path.unlink(missing_ok=True)
        new.checkpoints.replace(copy.checkpoints)
        exchange(copy, new.path)
        self._is_mended(copy)

    def _is_mended(self, copy: DayFile) -> None:
        if self._torn and (what := self._torn.pop(copy, "")):
            self.mended.append(what)

    def _close_day(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _list_keys(self, until: int | None) -> None:
        """List the keys of the days up to one, or of all: never of days that are not to follow."""
        lines = read_file(self._source / PUBLIC_KEYS, MOST_BYTES).splitlines(keepends=True)
        keys = b"".join(lines if until is None else lines[:until])
        target = self._target / PUBLIC_KEYS
        listed = read_file(target, MOST_BYTES) if os.path.lexists(target) else b""
        if not listed.startswith(keys) or (until is None and listed != keys):
            if listed and not keys.startswith(listed.rpartition(b"\n")[0]):
                self.mended.append(f"{PUBLIC_KEYS} was torn")
            write_durably(target, keys)

    def _begin(self) -> None:
        """Keep a witness for the copy too: so it is verified like the log.

        It is there before the first row. One that is ahead saw what is being filled again.
        """
        if self._witness is not None:
            return
        for left in self._target.glob("day-*.db.*"):  # half a file that a power cut has left
            if ".new" in left.suffixes[-1] or left.name.endswith(".db.checkpoints"):
                left.unlink(missing_ok=True)
        path = self._target / WITNESS
        slots = witness.read(path)
        reach = self._reach().seq
        if not any(slots or ()) or witness.furthest(slots) > reach:
            if reach or slots is not None:
                self.mended.append(f"{WITNESS} was gone, torn or ahead of the rows")
            blank = witness.encode(START).ljust(witness.SLOT_BYTES, b"\0")
            write_durably(path, blank * 2)
            slots = (START, START)
        self._witness = witness.Witness.open(path, slots)

    def _noted(self, head: Head) -> Head:
        if self._witness is not None and self._witness.seen != head != START:
            self._witness.note(head)
        return head


def _ended_before(day: DayFile) -> int:
    """Return the number of the last event before a day."""
    with closing(DayReader.open(day)) as reader:
        return (reader.first or 1) - 1
