"""Signed checkpoints: which rows get one, and the copy that is kept outside the database.

A checkpoint is a signature over how far the log has come, sequence and hash. It stands in the
day's file, written in one transaction with the row it signs, and once more as a line of the file
``.checkpoints`` beside it.
"""

import os
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from controller.custody import open_file
from controller.eventlog.chain import Head
from controller.eventlog.errors import LogAltered
from controller.eventlog.row import UNREADABLE, Row

NONE_BEFORE: Final = "0" * 64
"""The ``before`` of a day's first checkpoint."""

DAY_OPENED: Final = "day-opened"
"""Kind of the row with which a day's file begins."""

DAY_CLOSED: Final = "day-closed"
"""Kind of the row with which a day's file ends."""

SIGNED: Final = frozenset(
    {
        DAY_OPENED,
        DAY_CLOSED,
        "stopped",
        "round-opened",
        "state-kept",
        "settled",
        "corrected",
        "drawn",
        "recovered",
    }
)
"""Kinds of row that are signed: the end of a round, what was paid, a prize, a day, a run."""


LONGEST: Final = 1024
"""Bytes that no line reaches."""

NEVER_WRITTEN: Final = 64 * 1024
"""Bytes of zeros that a line may have in it: as much as a block of a file system.

A power cut leaves them where lines were added: the file's length is on the disk before its bytes.
"""

_BEGINNING: Final = b'{"seq":'
_OTHER: Final = re.compile(rb'[^0-9a-z":,}]')
_ZEROS: Final = re.compile(rb"\0+")


class Checkpoint(msgspec.Struct, frozen=True):
    """One line of a file ``.checkpoints``: the log came to ``seq`` with this hash."""

    seq: int
    hash: str
    before: str
    """SHA-256 over the day's checkpoints before, 64 hex digits: so each covers them all."""
    signature: str

    @property
    def head(self) -> Head:
        """How far the log had come."""
        return Head(self.seq, self.hash)

    @property
    def after(self) -> str:
        """What the day's next checkpoint has as ``before``."""
        return sha256(f"{self.before}{self.signature}".encode()).hexdigest()


def is_due(rows: Sequence[Row]) -> bool:
    """Tell whether rows that are recorded together must be signed, at the last of them."""
    return any(row.kind in SIGNED for row in rows)


class Kept:
    """The file beside a day's, open for adding lines.

    It is not synced: on disk it may be older than the log, never newer.
    """

    def __init__(self, fd: int) -> None:
        """Take over an open file; see `open`."""
        self._fd = fd

    @classmethod
    def open(cls, path: Path) -> "Kept":
        """Open the file, creating it if need be.

        A line that a power cut has left unfinished is ended, so that the next one is whole.

        Raises:
            OSError: it can't be opened or written.

        """
        fd = open_file(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            size = os.fstat(fd).st_size
            if size and os.pread(fd, 1, size - 1) != b"\n":
                os.write(fd, b"\n")
        except OSError:
            os.close(fd)
            raise
        return cls(fd)

    def add(self, checkpoint: Checkpoint) -> None:
        """Add a line.

        Raises:
            OSError: it may be there in part.

        """
        os.write(self._fd, msgspec.json.encode(checkpoint) + b"\n")

    def close(self) -> None:
        """Close the file, once."""
        os.close(self._fd)


def size_of(path: Path) -> int:
    """Return how long the file beside a day's is now; 0 if there is none.

    Raises:
        OSError: it can't be looked at.

    """
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def read_kept(path: Path, size: int) -> Iterator[Checkpoint]:
    """Yield the checkpoints kept in the file, without lines that a power cut has torn.

    Only the first ``size`` bytes count: more may be added while they are read.

    Raises:
        LogAltered: while iterating, at a line that no writer writes, or that is not in its turn.
        OSError: the file can't be read.

    """
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        return
    last = 0
    with stream:
        for number, line in enumerate(_lines(stream, size), start=1):
            if len(line) >= LONGEST:
                raise LogAltered(path, 0, f"{path.name}: line {number} is longer than any")
            one = _checkpoint_in(line)
            if one is None and not _is_torn(line):
                raise LogAltered(path, 0, f"{path.name}: line {number} is no checkpoint")
            if one is None:
                continue
            if one.seq <= last:
                what = f"line {number} is of event {one.seq}, the one before it of {last}"
                raise LogAltered(path, 0, f"{path.name}: {what}")
            last = one.seq
            yield one


def _lines(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the lines of the first ``size`` bytes, without zeros but one for each run of them.

    A line that is longer than any, or has more zeros than any, is cut off, and is the last one.
    """
    line, zeros = b"", 0
    while part := stream.readline(min(size, LONGEST)):
        size -= len(part)
        zeros += part.count(0)
        line = _ZEROS.sub(b"\0", line + part)
        if zeros > NEVER_WRITTEN:
            line = line.ljust(LONGEST, b"\0")
        if len(line) >= LONGEST or line.endswith(b"\n"):
            yield line
            line, zeros = b"", 0
    if line:
        yield line


def _checkpoint_in(line: bytes) -> Checkpoint | None:
    """Return what a line says, also one that was added to a line which a full disk had torn."""
    try:
        return msgspec.json.decode(line, type=Checkpoint)
    except UNREADABLE:
        pass
    torn, found, whole = line.rpartition(_BEGINNING)
    if not torn or not found or not _is_torn(torn):
        return None
    try:
        return msgspec.json.decode(found + whole, type=Checkpoint)
    except UNREADABLE:
        return None


def _is_torn(line: bytes) -> bool:
    """Tell whether it may be what is left of a line; zeros stand for what was never written."""
    begun, *rest = line.rstrip(b"\n").split(b"\0")
    is_begun = _BEGINNING.startswith(begun) or begun.startswith(_BEGINNING)
    parts = (begun.removeprefix(_BEGINNING) if len(begun) > len(_BEGINNING) else b"", *rest)
    return is_begun and not any(map(_OTHER.search, parts))
