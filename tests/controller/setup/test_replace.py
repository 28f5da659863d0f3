"""The file on the disk: the old one stays until the new one is whole, and under its date after."""

import contextlib
import errno
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from controller.errors import SettingsError
from controller.setup.replace import replace, require_writable
from tests.system.processes import PATIENCE
from tests.system.table import config
from tests.system.user import as_ordinary_user

NOW = datetime(2026, 11, 30, 14, 5, 12)  # noqa: DTZ001 - a wall clock's words


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A configuration that stands already."""
    path = tmp_path / "table.toml"
    path.write_text(config(tmp_path, {"shoe": "/dev/old"}))
    return path


def new(file: Path) -> str:
    return config(file.parent, {"shoe": "/dev/new"})


def names(file: Path) -> list[str]:
    return sorted(each.name for each in file.parent.iterdir())


def test_the_old_file_is_kept_and_no_kept_one_is_lost(file: Path) -> None:
    old = file.read_text()
    first = replace(file, new(file), NOW)
    second = replace(file, old, NOW)
    third = replace(file, new(file), NOW)

    assert names(file) == [
        "table.toml",
        "table.toml.20261130-140512",
        "table.toml.20261130-140512-2",
        "table.toml.20261130-140512-3",
    ]
    assert first is not None
    assert second is not None
    assert third is not None
    assert [each.read_text() for each in (first, second, third)] == [old, new(file), old]
    assert file.read_text() == new(file)


def test_a_first_file_may_be_read_by_the_tables_user(tmp_path: Path) -> None:
    file = tmp_path / "etc" / "table.toml"

    assert replace(file, config(tmp_path, {"shoe": "/dev/new"}), NOW) is None
    assert file.stat().st_mode & 0o777 == 0o644


def test_what_would_not_be_accepted_is_never_put_there(file: Path) -> None:
    old = file.read_text()

    with pytest.raises(SettingsError, match=r"stays as it was.*table\.game") as told:
        replace(file, new(file).replace("game =", "games ="), NOW)
    assert str(file) in str(told.value)
    assert file.read_text() == old
    assert names(file) == ["table.toml"]


@contextlib.contextmanager
def no_room() -> Iterator[None]:
    """Let no file of this process grow."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_the_old_file(file: Path) -> None:
    old = file.read_text()

    with no_room(), pytest.raises(SettingsError, match="cannot be written"):
        replace(file, new(file), NOW)
    assert file.read_text() == old
    assert names(file) == ["table.toml"]


KILLED_AT = """
import os, signal, sys
from datetime import datetime
from pathlib import Path
from controller.setup.replace import replace

calls = 0
def count(event, arguments):
    global calls
    if any(folder in str(each) for each in arguments):
        calls += 1
        if calls == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)

text = Path(sys.argv[2]).read_text()
folder = str(Path(sys.argv[1]).parent)
sys.addaudithook(count)
replace(Path(sys.argv[1]), text, datetime(2026, 11, 30))
"""
"""Replaces a file, and is killed before its n-th touch of the disk."""


def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new(file: Path, tmp_path: Path) -> None:
    old, wanted = file.read_text(), tmp_path / "wanted"
    wanted.write_text(new(file))
    seen = []
    for moment in range(1, 40):
        file.write_text(old)
        arguments = [sys.executable, "-c", KILLED_AT, file, wanted, str(moment)]
        done = subprocess.run(arguments, timeout=PATIENCE, check=False)
        seen.append(file.read_text())
        kept = list(tmp_path.glob("table.toml.2026*"))

        assert seen[-1] == old or (seen[-1] == new(file) and kept[0].read_text() == old)
        for leftover in (*kept, *tmp_path.glob(".table.toml.*")):
            leftover.unlink()
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
    assert seen[0] == old
    assert seen[-1] == new(file)
    assert len(seen) > 6


def test_who_may_not_write_there_is_told_before_any_question(file: Path) -> None:
    file.parent.chmod(0o555)
    program = f"from pathlib import Path; from {require_writable.__module__} import *\n"
    program += f"require_writable(Path({str(file)!r}))"
    try:
        done = subprocess.run(
            [*as_ordinary_user(), sys.executable, "-c", program],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=os.environ,
            check=False,
        )
    finally:
        file.parent.chmod(0o755)
    assert "takes nothing from you; use sudo" in done.stderr


def test_a_file_system_without_second_names_gets_a_copy(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As vfat answers; none can be mounted wherever the tests run.
    def refused(self: Path, target: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refused)
    old = file.read_text()
    kept = [replace(file, new(file), NOW), replace(file, old, NOW)]

    assert [each and each.read_text() for each in kept] == [old, new(file)]
    assert file.read_text() == old
