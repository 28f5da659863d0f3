"""Logs on the disk, as a test handles them: where their files are, and how to copy them."""

import shutil
from pathlib import Path

from controller.eventlog.files import days_in, key_folder

A_DAY = "day-0001-2026-05-09.db"


def database(folder: Path) -> Path:
    """Return the file of the last day in a log's folder, or where the first would be."""
    days = days_in(folder)
    return days[-1].path if days else folder / A_DAY


def beside(file: Path, end: str) -> Path:
    """Return the file that SQLite keeps beside one, by the end of its name."""
    return file.with_name(f"{file.name}{end}")


def copy_log(folder: Path, to: Path) -> Path:
    """Copy a log with its private key, which is not in its folder; return the copy's folder."""
    shutil.copytree(folder, to)
    shutil.copytree(key_folder(folder), key_folder(to))
    return to
