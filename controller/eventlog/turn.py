"""The turn of a day: its file is sealed, its key is destroyed, and the next of both begin.

Each step may be the last before a power cut, so each can be done again.
"""

from contextlib import suppress
from pathlib import Path

import msgspec

from controller.eventlog import signing
from controller.eventlog.chain import Head
from controller.eventlog.checkpoints import DAY_CLOSED
from controller.eventlog.day import OpenDay
from controller.eventlog.errors import SigningKeyLost
from controller.eventlog.files import PUBLIC_KEYS, DayFile, key_folder, name_of, sha256_of
from controller.eventlog.header import Before
from controller.eventlog.read import DayReader
from controller.eventlog.row import Entry, canonical
from controller.eventlog.signing import PublicKey, SigningKey


def last_word(folder: Path, day: int, key: SigningKey) -> Entry:
    """Make the next day's key, and return what the day's last row says: it names that key.

    Raises:
        OSError: the disk did not take the key.

    """
    # On disk before it is named: a log whose next key is lost could not go on.
    following = SigningKey.create(key_folder(folder), day + 1)
    told = key.hand_over(day + 1, following.public)
    body = {"day": day, "next": {"key": told.key, "by": told.by}}
    return Entry(0, DAY_CLOSED, canonical(body))


def finish_closing(folder: Path, day: OpenDay) -> DayReader:
    """Do what follows on a day's last row, or what a power cut has left of it.

    Raises:
        DayInUse: somebody reads the day just now; repeat.
        sqlite3.Error, OSError: the disk did not take all of it; repeat.

    """
    row = day.last_of(DAY_CLOSED)
    assert row is not None
    body = msgspec.json.decode(row.body)
    key = PublicKey(body["day"] + 1, body["next"]["key"], body["next"]["by"])
    signing.add_public(folder / PUBLIC_KEYS, key)
    day.seal()
    signing.destroy(key_folder(folder), before=day.file.number + 1)
    return DayReader.open(day.file)


def seal_of(day: DayFile, head: Head) -> Before:
    """Return what the next day says of a day that is over.

    Raises:
        OSError: its file can't be read.

    """
    return Before(day.path.name, sha256_of(day.path), head.seq, head.hash)


def start_file(folder: Path, number: int, date: str) -> OpenDay:
    """Make the file of a day, without rows."""
    return OpenDay.open(DayFile(number, folder / name_of(number, date)))


def key_of_next(folder: Path, number: int) -> SigningKey:
    """Return the key that the day before handed over, or a new one where that is lost.

    Raises:
        OSError: the disk did not take it, or can't be read.

    """
    listed = signing.public_key_of(folder / PUBLIC_KEYS, number)
    if listed is not None:
        with suppress(SigningKeyLost):
            key = SigningKey.load(key_folder(folder), number)
            if key.public == listed.key:
                return key
    return new_key(folder, number)


def new_key(folder: Path, number: int) -> SigningKey:
    """Make a key for a day that was not handed one over, and list it.

    Raises:
        OSError: the disk did not take it.

    """
    key = SigningKey.create(key_folder(folder), number)
    signing.add_public(folder / PUBLIC_KEYS, PublicKey(number, key.public))
    return key
