"""A note beside the log of how far it went, so that a log cut short doesn't pass for whole.

The file has two slots, written in turn. Each holds one line: sequence, hash, and a checksum over
both. A write that was torn by a power cut spoils one slot and leaves the other, which is one step
older. A slot has a disk block of its own. The note is not synced: on disk it may be older than
the log, never newer.
"""

import errno
import os
import re
import zlib
from collections.abc import Callable
from pathlib import Path

from controller.custody import open_file
from controller.eventlog.chain import START, Head

SLOT_BYTES = 4096
_LINE = re.compile(rb"((\d{20}) ([0-9a-f]{64})) ([0-9a-f]{8})\n")
_LINE_BYTES = 20 + 1 + 64 + 1 + 8 + 1

Slots = tuple[Head | None, Head | None]
"""What both slots say; None for one that is damaged."""


class Witness:
    """The open witness file of a log that is being written."""

    def __init__(self, fd: int, slots: Slots) -> None:
        """Take over an open file and what it says; see `open`."""
        self._fd = fd
        self._newest = 0 if _age(slots[0]) >= _age(slots[1]) else 1
        self._seen = slots[self._newest]

    @classmethod
    def open(cls, path: Path, slots: Slots | None) -> "Witness":
        """Open the file for writing; ``slots`` is what `read` found.

        A file that says nothing, which only a log without rows may have, is begun anew.

        Raises:
            OSError: it can't be opened or created.

        """
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            if slots is None or not any(slots):
                slots = (START, START)
                _write(fd, encode(START).ljust(SLOT_BYTES, b"\0") * 2, 0)
                # Once, so that a power cut can't leave a log with rows and no witness.
                os.fsync(fd)
        except OSError:
            os.close(fd)
            raise
        return cls(fd, slots)

    @property
    def seen(self) -> Head | None:
        """The newest head noted."""
        return self._seen

    def note(self, head: Head) -> None:
        """Overwrite the older slot.

        Raises:
            OSError: the note may be torn; the newer slot is as it was.

        """
        older = 1 - self._newest
        _write(self._fd, encode(head), older * SLOT_BYTES)
        self._newest = older
        self._seen = head

    def close(self) -> None:
        """Close the file, once."""
        os.close(self._fd)


def encode(head: Head) -> bytes:
    """Return the line that notes a head."""
    text = f"{head.seq:020d} {head.hash}".encode()
    return text + f" {zlib.crc32(text):08x}\n".encode()


def decode(slot: bytes) -> Head | None:
    """Return the head that a slot notes, or None if the slot is damaged."""
    match = _LINE.match(slot)
    if match is None or int(match[4], 16) != zlib.crc32(match[1]):
        return None
    return Head(int(match[2]), match[3].decode())


def read(path: Path) -> Slots | None:
    """Return what the witness says, or None if there is none.

    Raises:
        OSError: the file can't be read.

    """
    try:
        fd = open_file(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        return (
            decode(os.pread(fd, _LINE_BYTES, 0)),
            decode(os.pread(fd, _LINE_BYTES, SLOT_BYTES)),
        )
    finally:
        os.close(fd)


def furthest(slots: Slots | None) -> int:
    """Return the highest sequence that a witness noted, 0 if none."""
    return max((slot.seq for slot in slots or () if slot), default=0)


def since(slots: Slots | None, first: int) -> Slots | None:
    """Return what a witness says of the rows from the first one on, where others are not there."""
    if slots is None:
        return None
    one, other = (START if slot and 0 < slot.seq < first else slot for slot in slots)
    return one, other


def contradiction(
    slots: Slots | None, head: Head, hash_at: Callable[[int], str | None]
) -> tuple[int, str] | None:
    """Compare a witness with a log; return the first event concerned and what is wrong.

    A log that goes further than its witness is in order: the power failed between the two.
    ``hash_at`` gives the hash of a row of the log.
    """
    seen = sorted(slot for slot in slots or () if slot is not None)
    if not seen and head.seq:
        return (
            head.seq,
            "the witness file was removed" if slots is None else "the witness is damaged",
        )
    if seen and seen[-1].seq > head.seq:
        what = (
            f"rows after {head.seq} cut off: the witness saw {seen[-1].seq}"
            " (removed by hand, or lost by a disk that does not keep what it confirmed)"
        )
        return head.seq + 1, what
    for noted in seen:
        if noted.hash != (hash_at(noted.seq) if noted.seq else START.hash):
            what = (
                "the witness saw another hash here: this or earlier rows were rewritten and"
                " their hashes computed anew, or the witness was changed"
            )
            return noted.seq, what
    return None


def _age(slot: Head | None) -> int:
    return -1 if slot is None else slot.seq


def _write(fd: int, data: bytes, offset: int) -> None:
    if os.pwrite(fd, data, offset) != len(data):
        raise OSError(errno.EIO, "the witness was written only in part")
