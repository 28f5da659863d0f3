"""Who counts as others: groups with and without somebody else in them, sticky folders, roots."""

import grp
import os
import pwd
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.custody import Custodian, OutOfCustody, faults, faults_around, read_file
from controller.custody.inspection import MOST_FILES
from tests.system.folder import short_folder
from tests.system.processes import PATIENCE, PROGRAM
from tests.system.user import NOBODY, as_ordinary_user

ME = os.geteuid()


def said(state: Path, *, real: bool = False) -> list[str]:
    return [fault.what for fault in faults(state, Custodian(), real=real)]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir(0o700)
    return folder


def group_with_others() -> int:
    """Return a group of this machine in which somebody else is."""
    return next(user.pw_gid for user in pwd.getpwall() if user.pw_uid != ME and user.pw_gid)


def test_what_a_umask_of_002_makes_goes_on_working_at_a_rehearsal(state: Path) -> None:
    alone = pwd.getpwuid(ME).pw_gid
    os.chown(state, -1, alone)
    state.chmod(0o775)
    shared = {user.pw_uid for user in pwd.getpwall() if user.pw_gid == alone} | {
        pwd.getpwnam(name).pw_uid for name in grp.getgrgid(alone).gr_mem
    }
    is_others = shared != {ME}

    assert bool(said(state)) == is_others
    assert len(said(state, real=True)) == 1


def test_a_group_in_which_somebody_else_is_may_not_write(state: Path) -> None:
    os.chown(state, -1, group_with_others())
    state.chmod(0o770)

    (what,) = said(state)
    assert what.startswith("others than the table may write there (drwxrwx---")


def test_a_group_that_nobody_knows_may_not_write(state: Path) -> None:
    os.chown(state, -1, 54321)
    state.chmod(0o770)

    assert len(said(state)) == 1


def test_a_rehearsal_may_lie_in_a_sticky_folder_and_a_real_table_may_not(state: Path) -> None:
    state.chmod(0o1777)

    assert said(state) == []
    assert len(said(state, real=True)) == 1


def test_a_folder_that_somebody_fills_is_told_and_not_looked_through(state: Path) -> None:
    for number in range(MOST_FILES + 1):
        os.mknod(state / str(number))

    (what,) = said(state)
    assert what == "more than 100,000 files lie there, which cannot be the table's"


def test_only_what_lies_inside_the_root_is_judged(tmp_path: Path) -> None:
    (tmp_path / "machine" / "var").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "machine" / "var"):
        folder.chmod(0o777)
    path = tmp_path / "machine" / "var" / "state"

    found = list(faults_around(path, Custodian(), root=tmp_path / "machine"))
    assert [fault.path for fault in found] == [tmp_path / "machine" / "var"]


def test_links_that_lead_round_and_round_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="symbolic links"):
        list(faults(tmp_path / "a" / "state", Custodian(), real=True))


def test_a_file_that_is_too_long_is_not_read_into_memory(tmp_path: Path) -> None:
    file = tmp_path / "much"
    file.touch()
    os.truncate(file, 1 << 40)

    with pytest.raises(OutOfCustody, match="more than 1,000 bytes"):
        read_file(file, 1000)


@pytest.fixture
def home() -> Iterator[Path]:
    """The folder of an ordinary user, in which a umask of 002 counts."""
    with short_folder() as path:
        if ME == 0:
            os.chown(path, NOBODY, NOBODY)
        path.chmod(0o775)
        yield path


@pytest.mark.parametrize("kept", ["default", "named"])
def test_a_demo_in_ones_own_folder_plays_under_a_umask_of_002(home: Path, kept: str) -> None:
    words = ["--rounds", "1", "--fast", "--seed", "1"]
    where = ["--state", str(home / "demo")] if kept == "named" else []
    done = subprocess.run(
        [*as_ordinary_user(), *PROGRAM, "demo", *words, *where],
        env={**os.environ, "XDG_STATE_HOME": str(home), "HOME": str(home)},
        umask=0o002,
        capture_output=True,
        text=True,
        timeout=PATIENCE * 2,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_the_same_demo_goes_on_in_the_folder_that_it_has_made(home: Path) -> None:
    for _ in range(2):
        test_a_demo_in_ones_own_folder_plays_under_a_umask_of_002(home, "named")
