"""Whether the second copy of a log is a beginning of it, and if not, which of the two was changed.

What a power cut or a disk leaves of a copy is torn: it has nothing that the log has not, and is
filled again from the log. A copy that says otherwise than the log either holds by itself, by the
keys that the log lists; then it is the log that was changed, and the copy is the witness. Or it
does not hold: then the copy was changed, and says nothing about the log.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from controller.eventlog import schema, witness
from controller.eventlog.chain import START, Head
from controller.eventlog.checkpoints import read_kept, size_of
from controller.eventlog.database import MAGIC, ends_early
from controller.eventlog.errors import LogAltered, MirrorFailed, NotALog
from controller.eventlog.files import PUBLIC_KEYS, WITNESS, DayFile
from controller.eventlog.read import DayReader, open_source
from controller.eventlog.reasons import DATABASE_ERRORS, is_damage
from controller.eventlog.signing import PublicKey, read_public
from controller.eventlog.verify import verify

WHAT_TO_DO: Final = (
    "it is left as it is: keep it for a supervisor, verify it and the log, and give the table an"
    " empty folder"
)


def altered(folder: Path, what: str) -> MirrorFailed:
    """Return what to raise of a copy that was changed."""
    return MirrorFailed(folder, f"it was altered: {what}; {WHAT_TO_DO}")


def how_torn(copy: DayFile, day: DayFile) -> str:
    """Say how the copy of a day is torn; nothing if it is a beginning of that day in the log.

    Raises:
        LogAltered: the log lacks rows of the copy, or has others, and the copy holds.
        MirrorFailed: the copy was altered.
        NotALog, NewerFormat, sqlite3.Error, OSError: one of them can't be read.

    """
    if not copy.has_begun:
        return ""
    source = open_source(copy.path, undecodable="surrogateescape")
    try:
        return source.read(lambda db: _how_torn(db, copy, day))
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            raise
        if not _may_be_torn(copy.path):
            raise altered(copy.path.parent, f"{copy.path.name} is no database") from error
        return f"{copy.path.name} is damaged ({error}){ends_early(copy.path)}"
    finally:
        source.close()


def must_not_go_on(copy: DayFile, last: DayFile) -> None:
    """Refuse the copy of a day that comes after the ``last`` one of the log.

    Raises:
        LogAltered: it holds, so that the log lacks that day.
        MirrorFailed: it does not, or has no rows.

    """
    if copy.has_begun:
        what = f"the day after it is missing: the second copy has {copy.path.name}"
        raise _against(copy, last, 0, what)


def must_list_alike(copy: Path, log: Path, last: int) -> None:
    """Compare the keys that the copy lists, of the days up to its ``last``, with the log's.

    Raises:
        MirrorFailed: they are others.
        OSError: one of the lists can't be read.

    """
    listed = {one.day: one for one in read_public(log / PUBLIC_KEYS)}
    for one in read_public(copy / PUBLIC_KEYS):
        if one.day <= last and listed.get(one.day) != one:
            raise altered(copy, f"{PUBLIC_KEYS} lists another key for day {one.day} than the log")


def must_witness_alike(copy: Path, days: list[DayFile]) -> None:
    """Compare what the copy's witness saw with the log.

    Raises:
        MirrorFailed: the log has other rows there.
        OSError: the witness can't be read.

    """
    for slot in witness.read(copy / WITNESS) or ():
        if slot and slot != START and not _has(days, slot):
            raise altered(copy, f"its witness saw another event {slot.seq} than the log has")


def must_be_kept_alike(copy: DayFile, day: DayFile) -> None:
    """Compare the checkpoints that lie beside the copy of a day with those of the day.

    Raises:
        MirrorFailed: one of them is none of the day's.
        OSError: they can't be read.

    """
    with closing(DayReader.open(day)) as reader:
        query = "SELECT seq, before, signature FROM checkpoint"
        known = set(reader.fetch(query)) if day.number else set()
    try:
        for one in read_kept(copy.checkpoints, size_of(copy.checkpoints)):
            if (one.seq, one.before, one.signature) not in known:
                what = (
                    f"{copy.checkpoints.name}: the checkpoint of event {one.seq} is not the log's"
                )
                raise altered(copy.path.parent, what)
    except LogAltered as error:
        raise altered(copy.path.parent, error.what) from error


def _has(days: list[DayFile], head: Head) -> bool:
    """Tell whether the log has that row, or has moved its day to an archive."""
    for day in reversed(days):
        with closing(DayReader.open(day)) as reader:
            if (first := reader.first) is not None and first <= head.seq:
                return reader.hash_at(head.seq) == head.hash
    return bool(days) and days[0].number > 1


def _may_be_torn(file: Path) -> bool:
    """Tell whether a file begins as a database, or was never written there."""
    with file.open("rb") as stream:
        begin = stream.read(len(MAGIC))
    return begin == MAGIC or not begin.strip(b"\0")


def _how_torn(db: sqlite3.Connection, copy: DayFile, day: DayFile) -> str:
    if schema.is_blank(db):
        return f"{copy.path.name} was not begun"
    try:
        schema.identify(db, copy.path)
    except NotALog as error:
        raise altered(copy.path.parent, f"{copy.path.name} is {error.why}") from error
    if fault := schema.fault(db, old=schema.is_old(db)):
        raise altered(copy.path.parent, f"{copy.path.name}: {fault}")
    with closing(DayReader.open(day)) as original:
        if gap := _gap(db, copy, original):
            return gap
    (found,) = db.execute("PRAGMA quick_check(1)").fetchone()
    return "" if found == "ok" else f"{copy.path.name} is damaged ({found}){ends_early(copy.path)}"


def _gap(db: sqlite3.Connection, copy: DayFile, original: DayReader) -> str:
    """Compare row by row; say what the copy lacks before its end, if it has no other row.

    Raises:
        LogAltered, MirrorFailed: it has another one; see `how_torn`.

    """
    theirs = _records(original)
    lacks = ""
    for record in db.execute(f"{schema.SELECT} ORDER BY seq"):
        seq, *_ = record
        mine = next(theirs, None)
        if mine and mine[0] < seq:
            lacks = f"{copy.path.name}: events before {seq} are missing"
            mine = next((one for one in theirs if one[0] >= seq), None)
        if mine == record:
            continue
        if any(isinstance(value, str) and "\0" in value for value in record):
            return f"{copy.path.name}: a part of event {seq} was never written"
        if mine is None and seq > (last := original.head.seq):
            held = db.execute("SELECT max(seq) FROM event").fetchone()[0]
            what = f"rows after {last} cut off: the second copy has {held} ({copy.path})"
            raise _against(copy, original.file, last + 1, what)
        what = f"the second copy has another row here ({copy.path})"
        raise _against(copy, original.file, seq, what)
    return lacks


def _records(day: DayReader) -> Iterator[tuple[Any, ...]]:
    query = f"{schema.SELECT} WHERE seq > ? ORDER BY seq LIMIT {schema.BATCH}"
    since = 0
    while batch := day.fetch(query, (since,)):
        yield from batch
        since = batch[-1][0]


def _against(copy: DayFile, day: DayFile, seq: int, what: str) -> LogAltered | MirrorFailed:
    """Return what to raise where copy and log differ: it is the log if the copy holds."""
    verdict = verify(copy.path, keys=_keys_until(day, copy.number))
    if verdict.ok:
        return LogAltered(day.path, seq, what)
    assert verdict.first_bad is not None
    found = verdict.first_bad
    where = f" at event {found.seq}" if found.seq else ""
    return altered(copy.path.parent, f"{copy.path.name}{where}: {found.what}")


def _keys_until(day: DayFile, number: int) -> list[str]:
    """Return the key by which the copy of a day must be signed, by the log's list."""
    listed = [one for one in read_public(day.path.parent / PUBLIC_KEYS) if one.day <= number]
    return [_as_known(one) for one in listed[-1:]]


def _as_known(key: PublicKey) -> str:
    return f"{key.day}:{key.key}"
