"""Taking up a log to write it: what is looked at first, and where it goes on.

Nothing is opened for writing before its end was found in order: a log that was altered stays as it
lies, and is evidence.
"""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from controller.eventlog import signing, witness
from controller.eventlog.chain import START, Head
from controller.eventlog.checkpoints import NONE_BEFORE, Checkpoint
from controller.eventlog.day import OpenDay, forget, roll_back, seal_old
from controller.eventlog.dayrows import DayRows
from controller.eventlog.errors import LogAltered
from controller.eventlog.files import PUBLIC_KEYS, DayFile, days_in, is_sealed, key_folder
from controller.eventlog.read import DayReader
from controller.eventlog.signing import PublicKey, SigningKey
from controller.eventlog.trust import Trust
from controller.eventlog.turn import finish_closing, new_key, start_file


class TakenUp(NamedTuple):
    """A log as it goes on.

    Attributes:
        days: the files of its days.
        day: the last of them, open for writing, or for reading if it is over.
        key: what signs it, None if it is over.
        head: where the log ends.
        signed: what stands for the checkpoints of the day that is open.
        keys_put_back: earlier days whose private keys were there again, and are no more.

    """

    days: tuple[DayFile, ...]
    day: OpenDay | DayReader
    key: SigningKey | None
    head: Head
    signed: str
    keys_put_back: tuple[int, ...] = ()


def take_up(
    folder: Path, slots: witness.Slots | None, date: str, *, without_key: bool = False
) -> TakenUp:
    """Take up the log in a folder that is locked, or begin one there.

    ``slots`` is what the witness says, ``date`` the gaming day if a first one begins. With
    ``without_key`` the day whose key was lost is over, without a last word.

    Raises:
        LogAltered, SigningKeyLost, NotALog, NewerFormat, LogWriteFailed: it can't be gone on with.
        sqlite3.Error, UnicodeDecodeError, OSError: the disk did not take or give something.

    """
    found = days_in(folder)
    if found:
        roll_back(found[-1])
    days = _begun(folder, found, slots)
    if not days:
        key = new_key(folder, 1)  # first, so that no row is without one
        day = start_file(folder, 1, date)
        return TakenUp((day.file,), day, key, START, NONE_BEFORE)
    must_be_listed(folder, days[-1].number)
    taken = _go_on(folder, days, slots, without_key=without_key)
    # Where the power failed between a day's end and the end of its key.
    last, is_over = taken.day.file.number, taken.key is None
    destroyed = signing.destroy(key_folder(folder), before=last + is_over)
    return taken._replace(keys_put_back=tuple(day for day in destroyed if day < last))


def must_be_listed(folder: Path, last: int) -> None:
    """Look at the list of keys of a log whose last day has this number.

    Raises:
        LogAltered: it is not as it was written.

    """
    trust = Trust.of(folder, ())
    if bad := trust.fault() or trust.beyond(last):
        raise LogAltered(folder / PUBLIC_KEYS, bad.seq, bad.what)


def must_be_named(day: DayRows, before: DayFile | None) -> None:
    """Compare the name of a day's file, and of the one before, with what its first row says.

    Raises:
        LogAltered: they are others.

    """
    header = day.header()
    if header and (what := header.misnames(day.file, before)):
        raise LogAltered(day.file.path.parent, 0, what)


def signed_until(last: Checkpoint | None) -> str:
    """Return what stands for a day's checkpoints up to the last one."""
    return last.after if last else NONE_BEFORE


def _begun(
    folder: Path, days: tuple[DayFile, ...], slots: witness.Slots | None
) -> tuple[DayFile, ...]:
    """Forget a file that a power cut left before its first row, unless there were rows."""
    begun = tuple(day for day in days if day.path.stat().st_size)
    if not begun and (seen := witness.furthest(slots)):
        path = days[-1].path if days else folder
        raise LogAltered(path, 1, f"the file is gone or empty: the witness saw {seen} events")
    for day in days:
        if day not in begun:
            forget(day)
    return begun


def _go_on(
    folder: Path, days: tuple[DayFile, ...], slots: witness.Slots | None, *, without_key: bool
) -> TakenUp:
    """Take up the last day: open, over, or cut off before its first row."""
    last = days[-1]
    with closing(DayReader.open(last)) as reader:
        without_rows = reader.first is None
        if not without_rows or last.number <= 1:
            reader.must_be_in_shape()
            must_be_named(reader, days[-2] if len(days) > 1 else None)
            head, signed = _checked_end(folder, days[:-1], reader, slots)
        over = reader.is_over() or last.number == 0 or without_key
    if without_rows and last.number > 1:
        forget(last)
        return _go_on(folder, days[:-1], slots, without_key=without_key)
    if over:
        return TakenUp(days, _over(folder, last, without_key=without_key), None, head, signed)
    key = _key_of(folder, last, without_rows=without_rows)
    return TakenUp(days, OpenDay.open(last), key, head, signed)


def _over(folder: Path, last: DayFile, *, without_key: bool) -> DayReader:
    """Seal a day that is over, unless it is."""
    if last.number == 0 and not is_sealed(last.path):
        seal_old(last)
    if is_sealed(last.path):
        return DayReader.open(last)
    last.path.chmod(0o600)
    day = OpenDay.open(last)
    if not without_key:
        return finish_closing(folder, day)
    day.seal()  # without a last word, which nobody can sign any more
    return DayReader.open(last)


def _key_of(folder: Path, day: DayFile, *, without_rows: bool) -> SigningKey:
    key = SigningKey.load(key_folder(folder), day.number)
    path = folder / PUBLIC_KEYS
    listed = signing.public_key_of(path, day.number)
    if listed is None and without_rows:
        signing.add_public(path, PublicKey(day.number, key.public))
    elif listed is None:
        raise LogAltered(path, 0, f"the public key of day {day.number} was removed")
    elif listed.key != key.public:
        raise LogAltered(path, 0, f"the public key of day {day.number} was changed")
    return key


def _checked_end(
    folder: Path, earlier: Sequence[DayFile], day: DayRows, slots: witness.Slots | None
) -> tuple[Head, str]:
    """Return the head, once the witness agrees, the last rows chain and they are signed.

    The rows that are looked at are those since the last checkpoint, at least.
    """
    ended = _end_before(earlier, day)
    head = day.head if day.first is not None else ended

    def hash_at(seq: int) -> str | None:
        return day.hash_at(seq) or _hash_in(earlier, seq)

    if found := witness.contradiction(slots, head, hash_at):
        raise LogAltered(day.file.path, *found)
    checkpoint = day.checkpoint()
    head = day.check_end(ended, checkpoint.seq - 1 if checkpoint else ended.seq)
    path = folder / PUBLIC_KEYS
    listed = signing.public_key_of(path, day.file.number)
    if checkpoint and listed is None:
        raise LogAltered(path, 0, f"the public key of day {day.file.number} was removed")
    if checkpoint and listed and not signing.is_signed(listed.key, checkpoint):
        what = "the checkpoint here is not signed by the day's key"
        raise LogAltered(day.file.path, checkpoint.seq, what)
    return head, signed_until(checkpoint)


def _end_before(earlier: Sequence[DayFile], day: DayRows) -> Head:
    """Return where the day before ended; its file may have been moved to an archive."""
    if earlier:
        with closing(DayReader.open(earlier[-1])) as reader:
            return reader.head
    header = day.header()
    return header.previous.head if header and header.previous else START


def _hash_in(days: Sequence[DayFile], seq: int) -> str | None:
    for day in reversed(days):
        with closing(DayReader.open(day)) as reader:
            if found := reader.hash_at(seq):
                return found
    return None
