"""The pepper: random bytes that every PIN's hash needs, in a file beside the database."""

import contextlib
import os
from pathlib import Path
from typing import Final

from controller.custody import PEPPER, read_file
from controller.errors import OperatorsError
from controller.operators.reasons import unusable

NAME: Final = "pepper"
BYTES: Final = 32
MOST_BYTES: Final = 4096


def read_pepper(folder: Path) -> bytes:
    """Return the pepper of a state folder.

    Raises:
        OperatorsError: it is missing, not as it was written, or others may read it.
    """
    file = folder / NAME
    try:
        text = read_file(file, MOST_BYTES, demand=PEPPER)
    except FileNotFoundError:
        what = "it is gone, and without it no PIN can be checked: put it back from its backup"
        raise OperatorsError(f"{file}: {what}") from None
    except OSError as fault:
        raise unusable(file, fault) from None
    with contextlib.suppress(ValueError):
        pepper = bytes.fromhex(text.decode("ascii"))
        if len(pepper) == BYTES:
            return pepper
    raise OperatorsError(f"{file}: it is not as it was written: put it back from its backup")


def make_pepper(folder: Path) -> bytes:
    """Return the pepper of a state folder; make one that outlives a power cut if there is none.

    Raises:
        OperatorsError: it cannot be written, or there is one that cannot be used.
    """
    file = folder / NAME
    new = folder / f"{NAME}.{os.getpid()}.new"
    try:
        if not os.path.lexists(file):
            _write(new, os.urandom(BYTES).hex() + "\n")
            with contextlib.suppress(FileExistsError):  # another command was first: its is taken
                file.hardlink_to(new)
            _sync(folder)
    except OSError as fault:
        raise unusable(file, fault) from None
    finally:
        with contextlib.suppress(OSError):
            new.unlink()
    return read_pepper(folder)


def _write(file: Path, text: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(file, flags, 0o600), "w", encoding="ascii") as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
