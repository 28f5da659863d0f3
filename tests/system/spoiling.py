"""What somebody with a moment at the table's disk can do to its files."""

import contextlib
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

ANOTHER = 4711
"""A user who is neither root nor the table's."""

Spoil = Callable[[Path], None]


def link(path: Path) -> None:
    """Put a link in its place, to the same thing elsewhere."""
    elsewhere = path.with_name("elsewhere")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def dangling(path: Path) -> None:
    """Put a link in its place that leads nowhere."""
    _remove(path)
    path.symlink_to("nowhere")


def pipe(path: Path) -> None:
    """Put a pipe in its place that nobody writes to."""
    _remove(path)
    os.mkfifo(path, 0o600)
    _as_its_folder(path)


def folder(path: Path) -> None:
    """Put a folder in its place."""
    _remove(path)
    path.mkdir(0o700)
    _as_its_folder(path)


def file(path: Path) -> None:
    """Put a file in its place."""
    _remove(path)
    path.touch(0o600)
    _as_its_folder(path)


def a_socket(path: Path) -> None:
    """Put a socket in its place."""
    _remove(path)
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(path))
    path.chmod(0o600)
    _as_its_folder(path)


def hard_link(path: Path) -> None:
    """Give it a second name."""
    path.with_name("second").hardlink_to(path)


def mode(bits: int) -> Spoil:
    """Return what gives it other rights."""
    return lambda path: path.chmod(bits)


def given_away(path: Path) -> None:
    """Give it to another user."""
    os.chown(path, ANOTHER, -1)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _as_its_folder(path: Path) -> None:
    there = path.parent.stat()
    os.chown(path, there.st_uid, there.st_gid)
