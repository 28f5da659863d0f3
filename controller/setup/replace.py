"""The file on the disk: written beside the old one, checked, and put in its place in one step.

At no moment is there no configuration, or half of one; the old file stays under its date.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from controller.errors import SettingsError
from controller.settings import read_settings

_MODE: Final = 0o644


def require_writable(file: Path) -> None:
    """Refuse, before anybody has answered a question, a place where nothing can be written.

    Raises:
        SettingsError: the file is no file, or its folder may not be written to.
    """
    if file.exists() and not file.is_file():
        raise SettingsError(f"{file} is not a file")
    folder = next(each for each in file.parents if each.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
        raise SettingsError(f"{file} cannot be written: {folder} takes nothing from you; use sudo")


def replace(file: Path, text: str, now: datetime) -> Path | None:
    """Put a new configuration in the place of the old; return where the old one is kept.

    Raises:
        SettingsError: it cannot be written, or would not be accepted; the old one stands.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with _beside(file, text) as fresh:
            _check(fresh, file)
            kept = _keep(file, now)
            fresh.replace(file)
            _make_last(file.parent)
    except OSError as fault:
        raise SettingsError(f"{file} cannot be written: {fault.strerror}") from None
    return kept


@contextlib.contextmanager
def _beside(file: Path, text: str) -> Iterator[Path]:
    """Write the text into a new file of the same folder; it is gone at the end, if still there."""
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as fresh:
            _own_like(file, descriptor)
            fresh.write(text)
            fresh.flush()
            os.fsync(descriptor)
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _own_like(file: Path, descriptor: int) -> None:
    """Give a new file the mode and owner of the old, so that the table may read it as before."""
    if not file.exists():
        os.fchmod(descriptor, _MODE)
        return
    old = file.stat()
    os.fchmod(descriptor, old.st_mode & 0o777)
    with contextlib.suppress(PermissionError):  # somebody else's file stays readable to them
        os.fchown(descriptor, old.st_uid, old.st_gid)


def _check(fresh: Path, file: Path) -> None:
    try:
        read_settings(fresh)
    except SettingsError as fault:
        what = str(fault).removeprefix(f"{fresh}: ")
        raise SettingsError(f"{file} stays as it was, for the new one is wrong: {what}") from None


def _keep(file: Path, now: datetime) -> Path | None:
    """Give the old file a second name with the date; it never takes that of another."""
    if not file.exists():
        return None
    dated = file.with_name(f"{file.name}.{now:%Y%m%d-%H%M%S}")
    kept, number = dated, 1
    while True:
        try:
            _second_name(file, kept)
        except FileExistsError:
            number += 1
            kept = dated.with_name(f"{dated.name}-{number}")
        else:
            return kept


def _second_name(file: Path, kept: Path) -> None:
    try:
        kept.hardlink_to(file)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        with kept.open("xb") as copy:
            with file.open("rb") as old:
                shutil.copyfileobj(old, copy)
            copy.flush()
            os.fsync(copy.fileno())


def _make_last(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
