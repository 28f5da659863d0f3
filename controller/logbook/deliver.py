"""A file that is there as a whole or not at all, and that replaces none unless it is told to."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from controller.errors import UsageError


@contextlib.contextmanager
def delivered(file: Path, *, force: bool) -> Iterator[BinaryIO]:
    """Open a file under another name beside it; once it is written and on disk, give it its own.

    It is for its owner alone, as the log is.

    Raises:
        UsageError: the file is there already and ``force`` is not given, or it can't be written.
    """
    if not force and os.path.lexists(file):
        raise _in_the_way(file)
    other = file.with_name(f".{file.name}.{secrets.token_hex(4)}.part")
    try:
        with _created(other) as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        _give_name(other, file, force=force)
        _sync(file.parent)
    except OSError as fault:
        raise UsageError(f"--output {file}: {fault.strerror or fault}") from None
    finally:
        with contextlib.suppress(OSError):
            other.unlink()


def _created(path: Path) -> BinaryIO:
    return os.fdopen(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb"
    )


def _give_name(other: Path, file: Path, *, force: bool) -> None:
    if force:
        other.replace(file)
        return
    try:
        file.hardlink_to(other)  # unlike a rename it never replaces a file made in the meantime
    except FileExistsError:
        raise _in_the_way(file) from None
    except OSError:  # a disk without hard links, as memory sticks are
        if os.path.lexists(file):
            raise _in_the_way(file) from None
        other.rename(file)


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _in_the_way(file: Path) -> UsageError:
    return UsageError(f"--output {file}: it is there already; --force replaces it")
