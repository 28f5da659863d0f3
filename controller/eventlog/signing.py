"""The keys by which a log signs how far it has come: one a day, and yesterday's is destroyed.

Whoever steals today's key can't sign yesterday anew: that key is gone. Each day's public key is
signed by the day before, so whoever knows the key of one day can tell those of all later ones.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from controller.custody import open_file
from controller.eventlog.chain import Head
from controller.eventlog.checkpoints import LONGEST, Checkpoint
from controller.eventlog.errors import SigningKeyLost
from controller.eventlog.files import make_folder, sync_folder, write_durably
from controller.eventlog.row import UNREADABLE

KEY_BYTES: Final = 32

MOST_DAYS: Final = 40_000
"""Lines of a list of keys that are read; a table has one a day."""

MOST_BYTES: Final = MOST_DAYS * LONGEST
"""What such a list may take."""

_KEY: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"day-([0-9]{4,9})\.key")


class PublicKey(msgspec.Struct, frozen=True):
    """The public key of a day; one line of the file ``public-keys``.

    Attributes:
        day: number of the day.
        key: 64 lower-case hex digits.
        by: the signature of the day before, 128 hex digits; empty for the first day, and for a
            day that begins after the key of the day before was lost.

    """

    day: int
    key: str
    by: str = ""


class SigningKey:
    """The private key of a day."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public = key.public_key().public_bytes_raw().hex()
        """64 hex digits."""

    @classmethod
    def load(cls, folder: Path, day: int) -> Self:
        """Read the key of a day.

        Raises:
            SigningKeyLost: it is not there, or no key.
            OSError: it can't be read, or is no file.

        """
        path = _path(folder, day)
        try:
            with os.fdopen(open_file(path, os.O_RDONLY), "rb") as opened:
                data = opened.read(KEY_BYTES + 1)
        except FileNotFoundError:
            raise SigningKeyLost(path, day) from None
        if len(data) != KEY_BYTES:
            raise SigningKeyLost(path, day)
        return cls(Ed25519PrivateKey.from_private_bytes(data))

    @classmethod
    def create(cls, folder: Path, day: int) -> Self:
        """Make the key of a day, and make sure that it outlives a power cut.

        Raises:
            OSError: the disk did not take it.

        """
        make_folder(folder)
        key = Ed25519PrivateKey.generate()
        write_durably(_path(folder, day), key.private_bytes_raw())
        return cls(key)

    def sign(self, head: Head, before: str) -> Checkpoint:
        """Sign how far the log has come; ``before`` stands for the day's checkpoints until now."""
        return Checkpoint(*head, before, self._key.sign(_checkpoint_text(head, before)).hex())

    def hand_over(self, day: int, key: str) -> PublicKey:
        """Sign the key of the next day."""
        return PublicKey(day, key, self._key.sign(_hand_over_text(day, key)).hex())


def destroy(folder: Path, before: int) -> tuple[int, ...]:
    """Destroy the keys of all days before one, so that nobody can sign those days again.

    The bytes are overwritten before the name goes. What a disk keeps of overwritten bytes in
    places of its own, nobody can reach through the file system. Returns which days had one.

    Raises:
        OSError: a key is still there.

    """
    days = tuple(day for day in days_of_keys(folder) if day < before)
    for day in days:
        path = _path(folder, day)
        fd = open_file(path, os.O_WRONLY)
        try:
            os.pwrite(fd, bytes(KEY_BYTES), 0)
            os.fsync(fd)
        finally:
            os.close(fd)
        path.unlink()
        sync_folder(folder)
    return days


def days_of_keys(folder: Path) -> list[int]:
    """Return the days whose private keys lie in the folder.

    Raises:
        OSError: it can't be read.

    """
    found = (_NAME.fullmatch(path.name) for path in folder.glob("day-*.key"))
    return sorted(int(match[1]) for match in found if match)


def is_signed(key: str, checkpoint: Checkpoint) -> bool:
    """Tell whether the owner of the key signed that the log has come so far."""
    text = _checkpoint_text(checkpoint.head, checkpoint.before)
    return _is_by(key, text, checkpoint.signature)


def is_handed_over(before: PublicKey, after: PublicKey) -> bool:
    """Tell whether the owner of one day's key signed the next one's."""
    return _is_by(before.key, _hand_over_text(after.day, after.key), after.by)


def read_public(path: Path) -> tuple[PublicKey, ...]:
    """Return the keys that a file ``public-keys`` lists; none if there is no such file.

    A line that is cut short, which a power cut may leave at the end, counts as not there.

    Raises:
        OSError: the file can't be read.

    """
    return tuple(one for line in _lines(path) if (one := _key_in(line)) is not None)


def list_fault(path: Path) -> str | None:
    """Say what is wrong with the lines of a file ``public-keys``; None if nothing, or no file.

    The days stand in order, from the first on, none twice and none left out, and no key twice.

    Raises:
        OSError: the file can't be read.

    """
    days: dict[str, int] = {}
    for number, line in enumerate(_lines(path), start=1):
        if number > MOST_DAYS:
            return f"it has more than {MOST_DAYS:,} lines"
        one = _key_in(line)
        if one is None:
            if not line.endswith(b"\n") and len(line) < LONGEST:  # a power cut tore it
                return None
            return f"line {number} was changed: it is not the key of a day"
        if not _KEY.fullmatch(one.key):
            return f"line {number} was changed: it has no key"
        if one.key in days:
            return f"one key is listed for day {days[one.key]} and for day {one.day}"
        if 0 < one.day < number:
            return f"day {one.day} is listed twice"
        if one.day > number:
            return f"the key of day {number} was removed, or the lines were put in another order"
        if one.day < number:
            return f"day {one.day} is listed as line {number}: the days are not in order"
        days[one.key] = one.day
    return None


def public_key_of(path: Path, day: int) -> PublicKey | None:
    """Return the key that the file lists for a day.

    Raises:
        OSError: the file can't be read.

    """
    return next((one for one in read_public(path) if one.day == day), None)


def add_public(path: Path, key: PublicKey) -> None:
    """Add the key of a day to the file, once, and make sure that it stays.

    Raises:
        OSError: the disk did not take it.

    """
    known = read_public(path)
    if key in known:
        return
    kept = [one for one in known if one.day != key.day]
    write_durably(path, b"".join(msgspec.json.encode(one) + b"\n" for one in (*kept, key)))


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, none if there is none; the last may be one that is too long.

    Raises:
        OSError: the file can't be read.

    """
    try:
        stream = os.fdopen(open_file(path, os.O_RDONLY), "rb")
    except FileNotFoundError:
        return
    with stream:
        for _ in range(MOST_DAYS + 1):
            line = stream.readline(LONGEST)
            if line:
                yield line
            if len(line) in {0, LONGEST}:
                return


def _key_in(line: bytes) -> PublicKey | None:
    try:
        return msgspec.json.decode(line, type=PublicKey)
    except UNREADABLE:
        return None


def _path(folder: Path, day: int) -> Path:
    return folder / f"day-{day:04}.key"


def _checkpoint_text(head: Head, before: str) -> bytes:
    return f"tablekeeper checkpoint\n{head.seq} {head.hash}\n{before}\n".encode()


def _hand_over_text(day: int, key: str) -> bytes:
    return f"tablekeeper key\n{day} {key}\n".encode()


def _is_by(key: str, text: bytes, signature: str) -> bool:
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), text)
    except (
        ValueError,
        TypeError,
        InvalidSignature,
    ):  # TypeError: no text at all, in a damaged file
        return False
    return True
