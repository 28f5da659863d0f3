"""A second copy of a log, on another disk, kept in step.

The copy has the same rows, hashes and checkpoints, and no private key. A day that is over is
copied byte by byte, so that its file has the SHA-256 that the next day names. It can be verified
by itself, like the log.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeVar

from controller.custody import read_file
from controller.eventlog import witness
from controller.eventlog.apart import misplaced
from controller.eventlog.chain import START, Head
from controller.eventlog.checkpoints import Checkpoint
from controller.eventlog.day import OpenDay, forget, seal
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
    sha256_of,
    sync_folder,
    write_durably,
)
from controller.eventlog.read import DayReader
from controller.eventlog.reasons import DATABASE_ERRORS, why
from controller.eventlog.row import Row
from controller.eventlog.signing import MOST_BYTES

BATCH: Final = 500
"""Rows copied in one transaction, at most."""


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

    def keep_in_step(self, had: int = 0) -> Head:
        """Copy what the log has and the copy has not; return how far it goes then.

        ``had`` is how far the copy is known to have come: one that lacks that is left as it is.

        Raises:
            CopySetBack: it lacks what it has had; call again without ``had`` to fill it.
            LogAltered: the copy has rows that the log has not, or others: one was changed.
            MirrorFailed: the copy can't be written, or is not there.

        """
        return self._told(lambda: self._copy(had))

    def lacking(self, had: int) -> SetBack | None:
        """Tell whether the copy lacks events up to ``had``, or days, that it has had.

        Raises:
            LogAltered: there is something odd in the log's folder.
            MirrorFailed: the copy can't be read, or is not there.

        """
        return self._told(lambda: self._lacking(self._begun(), had)) if had else None

    def _told(self, work: Callable[[], _Result]) -> _Result:
        try:
            return work()
        except OSError as error:
            raise MirrorFailed(self._target, why(error)) from error
        except DATABASE_ERRORS as error:
            raise MirrorFailed(self._target, why(error)) from error
        except (LogAltered, MirrorFailed, CopySetBack):
            raise
        except EventLogError as error:
            raise MirrorFailed(self._target, str(error)) from error

    def close(self) -> None:
        """Close all files."""
        for one in (self._open, self._witness):
            if one is not None:
                one.close()
        self._open = self._witness = None

    def _lacking(self, days: list[DayFile], had: int) -> SetBack | None:
        days_gone = tuple(
            day.number
            for day, after in pairwise(days)
            if not (self._target / day.path.name).exists() and _ended_before(after) <= had
        )
        is_open = self._open is not None and self._open.file.path.exists()
        has = had if is_open else self._reach()
        return SetBack(had, has, days_gone) if has < had or days_gone else None

    def _reach(self) -> int:
        """Return the number of the last event that the copy has."""
        for day in reversed(files_in(self._target).days):
            if day.has_begun:
                with closing(DayReader.open(day)) as reader:
                    if (head := reader.head) != START:
                        return head.seq
        return 0

    def _begun(self) -> list[DayFile]:
        """Return the files of the days that have begun; the copy is where it should be."""
        if not self._target.is_dir():
            raise MirrorFailed(self._target, "it is not there: plug in or mount its disk")
        if fault := misplaced(self._source, self._target):
            raise MirrorFailed(self._target, fault)
        return [day for day in self._files() if day.path.stat().st_size]

    def _copy(self, had: int) -> Head:
        days = self._begun()
        if had and (lacks := self._lacking(days, had)):
            raise CopySetBack(self._target, lacks)
        head = START
        for place, day in enumerate(days):
            copy = DayFile(day.number, self._target / day.path.name)
            if place < len(days) - 1:
                self._copy_whole(day, copy)
            else:
                head = self._follow(day, copy)
        self._copy_keys()
        self._note(head)
        return head

    def _files(self) -> tuple[DayFile, ...]:
        """Return the files of the log's days, once there is nothing odd here nor in the copy."""
        files = files_in(self._source)
        if files.odd:
            raise LogAltered(self._source, 0, files.odd[0])
        if odd := files_in(self._target).odd:
            raise MirrorFailed(self._target, f"{odd[0]}: look at it and move it away")
        return files.days

    def _copy_whole(self, day: DayFile, copy: DayFile) -> None:
        """Copy a day that is over, unless it is there."""
        if copy.path.exists() and is_sealed(copy.path):
            return
        if self._open is not None and self._open.file == copy:
            self.close()
        if day.number and not is_sealed(day.path):
            return  # it is being closed just now
        checkpoints = day.checkpoints.read_bytes() if day.checkpoints.exists() else b""
        if copy.path.exists():
            _must_begin_alike(copy, day)
            forget(copy)
        write_durably(copy.checkpoints, checkpoints)
        write_durably(copy.path, day.path.read_bytes())
        seal(copy.path)
        if sha256_of(copy.path) != sha256_of(day.path):
            raise MirrorFailed(self._target, f"{copy.path.name} is not what was written")

    def _follow(self, day: DayFile, copy: DayFile) -> Head:
        """Bring the copy of the day that is open up to date; return its head."""
        # A file that was removed is still written to, by whoever has it open.
        if self._open is None or self._open.file != copy or not copy.path.exists():
            self.close()
            self._open = OpenDay.open(copy)
            _must_begin_alike(copy, day)
        head = self._open.head
        # Opened anew each time: a file that somebody has open can't be sealed well.
        with closing(DayReader.open(day)) as reader:
            for rows, checkpoint in _transactions(reader, head.seq):
                self._open.commit(rows, checkpoint)
                head = Head(rows[-1].seq, rows[-1].hash)
        return head

    def _copy_keys(self) -> None:
        source, target = self._source / PUBLIC_KEYS, self._target / PUBLIC_KEYS
        keys = read_file(source, MOST_BYTES)
        if not os.path.lexists(target) or read_file(target, MOST_BYTES) != keys:
            write_durably(target, keys)

    def _note(self, head: Head) -> None:
        """Keep a witness for the copy too: so it is verified like the log."""
        if head == START:
            return
        path = self._target / WITNESS
        if self._witness is None:
            self._witness = witness.Witness.open(path, witness.read(path))
            sync_folder(self._target)
        if self._witness.seen != head:
            self._witness.note(head)


def _transactions(reader: DayReader, since: int) -> Iterator[tuple[list[Row], Checkpoint | None]]:
    """Yield rows that may be committed together, and the checkpoint at the last of them."""
    last = reader.head.seq
    query = "SELECT seq, before, signature FROM checkpoint WHERE seq > ? AND seq <= ?"
    signed = {seq: told for seq, *told in reader.fetch(query, (since, last))}
    batch: list[Row] = []
    for row in reader.rows(since, last):
        batch.append(row)
        if row.seq in signed or len(batch) == BATCH or row.seq == last:
            told = signed.get(row.seq)
            yield batch, Checkpoint(row.seq, row.hash, *told) if told else None
            batch = []


def _ended_before(day: DayFile) -> int:
    """Return the number of the last event before a day."""
    with closing(DayReader.open(day)) as reader:
        return (reader.first or 1) - 1


def _must_begin_alike(copy: DayFile, day: DayFile) -> None:
    """Refuse a copy that is no beginning of the log's day.

    Raises:
        LogAltered: it has more rows, or others.

    """
    with closing(DayReader.open(copy)) as copied, closing(DayReader.open(day)) as original:
        head = copied.head
        if head == START or original.hash_at(head.seq) == head.hash:
            return
        if head.seq > original.head.seq:
            what = f"rows after {original.head.seq} cut off: the second copy has {head.seq}"
            raise LogAltered(day.path, original.head.seq + 1, f"{what} ({copy.path})")
        raise LogAltered(day.path, head.seq, f"the second copy has another row here ({copy.path})")
