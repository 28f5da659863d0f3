"""The disk under the record: rights, kind, room, and how long it lasts."""

import contextlib
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from controller.doctor import disk
from controller.doctor.disk import in_bytes
from controller.doctor.finding import Finding
from controller.doctor.growth import bytes_a_day, times_of
from controller.doctor.machine import Machine
from controller.doctor.mounts import mount_of
from controller.doctor.patient import Patient
from controller.doctor.user import User
from controller.eventlog import Entry, EventLog
from controller.settings import read_settings
from tests.controller.doctor.tree import Tree, serial


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder with a log in it."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    write_log(folder, [datetime.now(UTC)])
    return folder


def write_log(state: Path, times: Sequence[datetime], body: bytes = b"{}") -> None:
    """Record an event at each of the times."""
    with contextlib.closing(EventLog.open(state / "log")) as log:
        for time in times:
            log.append(f"{time:%Y-%m-%dT%H:%M:%S.%fZ}", Entry(0, "note", body))


def said(state: Path, user: User | None = None) -> list[Finding]:
    tree = Tree(state.parent / "config")
    settings = read_settings(tree.config(serial("/dev/x"), state=state))
    me = user or User("you", os.geteuid(), frozenset({os.getegid()}))
    return list(disk.check(Patient(Machine(), settings, {}, me)))


def worst(findings: list[Finding]) -> list[str]:
    return [
        f"{each.level}: {each.what}" for each in findings if each.level in {"trouble", "warning"}
    ]


STRANGER = User("tablekeeper", 4711, frozenset({4711}))


def test_a_folder_that_is_the_tables_own(state: Path) -> None:
    assert [each for each in worst(said(state)) if "may" in each or "belong" in each] == []


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        (0o750, "warning: others than the table may read"),
        (0o730, "trouble: others than the table may write"),
        (0o700, ""),
    ],
)
def test_a_folder_that_is_open_to_others(state: Path, mode: int, words: str) -> None:
    state.chmod(mode)
    found = [each for each in worst(said(state)) if "others than the table" in each]

    assert [each.startswith(words) for each in found] == ([True] if words else [])


def test_a_folder_that_the_tables_user_cannot_write_to(state: Path) -> None:
    (found,) = (each for each in said(state, STRANGER) if "may not write" in each.what)

    assert found.level == "trouble"
    assert found.mend.endswith(f"sudo chown -R tablekeeper: {state}")


def test_files_that_a_start_by_root_left_behind(state: Path, tmp_path: Path) -> None:
    state.chmod(0o707)
    tmp_path.chmod(0o755)
    tree = Tree(tmp_path)
    settings = read_settings(tree.config(serial("/dev/x"), state=Path("/state")))
    found = list(disk.check(Patient(tree.machine, settings, {}, STRANGER)))

    (belong,) = (each for each in found if "belong" in each.what)
    assert belong.level == "trouble"
    assert "to somebody else than tablekeeper" in belong.what
    assert belong.mend.endswith("sudo chown -R tablekeeper: /state")


@pytest.mark.parametrize("what", ["file", "dangling"])
def test_something_else_than_a_folder(tmp_path: Path, what: str) -> None:
    state = tmp_path / "state"
    if what == "file":
        state.touch()
    else:
        state.symlink_to("nowhere")

    assert [each for each in worst(said(state)) if "no folder" in each] == [
        "trouble: the state is no folder, but something else of that name"
    ]


def test_no_folder_yet(tmp_path: Path) -> None:
    made = [each.level for each in said(tmp_path / "later") if "is made" in each.what]
    assert made == ["ok"]
    (stranger,) = (each for each in said(tmp_path / "later", STRANGER) if each.level == "trouble")
    assert "tablekeeper may not make it" in stranger.what
    assert stranger.mend == f"sudo install -d -m 700 -o tablekeeper {tmp_path / 'later'}"


# --- real file systems ----------------------------------------------------------------------------


@contextlib.contextmanager
def mounted(point: Path, options: str) -> Iterator[Path]:
    """Mount a small file system in memory; only root can."""
    point.mkdir()
    done = subprocess.run(
        ["/usr/bin/mount", "-t", "tmpfs", "-o", options, "tmpfs", point],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    try:
        yield point
    finally:
        subprocess.run(["/usr/bin/umount", point], check=True)


def test_a_record_in_memory_is_gone_with_the_power(tmp_path: Path) -> None:
    with mounted(tmp_path / "memory", "size=3g,mode=700") as point:
        found = worst(said(point))

    assert found == [
        "trouble: the state lies in memory (tmpfs): a power cut takes the whole record"
    ]


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    with mounted(tmp_path / "memory", "size=1m,mode=700") as point:
        with (point / "much").open("wb") as much, contextlib.suppress(OSError):
            much.write(b"x" * 2_000_000)
        found = worst(said(point))

    assert "trouble: the disk is full: 0 bytes free of 1.0 MB" in found


def test_a_disk_that_fills_up(tmp_path: Path) -> None:
    with mounted(tmp_path / "memory", "size=500m,mode=700") as point:
        found = worst(said(point))

    assert any(each.startswith("warning: the disk fills up: 524 MB free") for each in found)


def test_a_disk_that_is_really_read_only(tmp_path: Path) -> None:
    with mounted(tmp_path / "memory", "ro,size=3g,mode=700") as point:
        found = worst(said(point))

    assert "trouble: the disk is read-only: nothing can be recorded" in found


def test_a_disk_that_takes_no_more_files(tmp_path: Path) -> None:
    with mounted(tmp_path / "memory", "size=3g,mode=700,nr_inodes=2") as point:
        (point / "one").touch()
        found = worst(said(point))

    assert "trouble: no more files can be made (inodes are used up)" in found


@pytest.mark.parametrize(
    ("inodes", "words"),
    [
        (
            60,
            "trouble: only 5\\d more files can be made \\(inodes\\), and .* only with 100",
        ),
        (900, "warning: the disk fills up with files: 8\\d\\d more can be made \\(inodes\\)"),
        (0, ""),
    ],
)
def test_a_disk_that_takes_few_more_files(tmp_path: Path, inodes: int, words: str) -> None:
    with mounted(tmp_path / "memory", f"size=3g,mode=700,nr_inodes={inodes}") as point:
        found = [each for each in worst(said(point)) if "files" in each]

    assert [bool(re.fullmatch(words, each)) for each in found] == [True] * bool(words)


def test_a_disk_without_a_number_of_files_is_not_full_of_them(tmp_path: Path) -> None:
    """As btrfs: 0 of 0 are free; a tmpfs without a limit says the same."""
    with mounted(tmp_path / "memory", "size=3g,mode=700,nr_inodes=0") as point:
        assert os.statvfs(point).f_files == 0
        assert not [each for each in worst(said(point)) if "files" in each]


# --- other machines' mounts -----------------------------------------------------------------------

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 8:2 / /var rw,relatime shared:2 - {kind} {source} {options}
31 30 8:3 / /var/a\\040disk rw - vfat /dev/sdb1 rw
"""


@pytest.mark.parametrize(
    ("kind", "options", "level"),
    [
        ("ext4", "rw", "ok"),
        ("xfs", "rw", "ok"),
        ("ext4", "rw,nobarrier", "trouble"),
        ("vfat", "rw", "trouble"),
        ("nfs4", "rw", "trouble"),
        ("overlay", "rw", "warning"),
    ],
)
def test_what_the_record_lies_on(tmp_path: Path, kind: str, options: str, level: str) -> None:
    tree = Tree(tmp_path / "machine")
    mounts = MOUNTS.format(kind=kind, source="/dev/sda2", options=options)
    tree.write("proc/self/mountinfo", mounts)
    (tree.root / "var/lib/tablekeeper").mkdir(parents=True, mode=0o700)
    settings = read_settings(tree.config(serial("/dev/x"), state=Path("/var/lib/tablekeeper")))
    found = disk.check(Patient(tree.machine, settings, {}, None))

    (told,) = (each for each in found if each.where == "/var")
    assert told.level == level
    assert kind in told.what


def test_a_mount_with_a_blank_and_one_inside_another(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.write("proc/self/mountinfo", MOUNTS.format(kind="ext4", source="x", options="rw"))

    inner = mount_of(Path("/var/a disk/x"), tree.machine)
    outer = mount_of(Path("/home"), tree.machine)
    assert (inner and inner.kind, outer and str(outer.point)) == ("vfat", "/")


# --- growth ---------------------------------------------------------------------------------------


def test_growth_needs_a_day() -> None:
    first = datetime(2026, 11, 1, tzinfo=UTC)

    assert bytes_a_day(5_000, first, first + timedelta(hours=23)) is None
    assert bytes_a_day(5_000, first, first + timedelta(days=10)) == 500


def test_the_times_of_a_real_log(state: Path) -> None:
    times = times_of(state)

    assert times is not None
    assert times[0] == times[1]
    assert abs(datetime.now(UTC) - times[0]) < timedelta(minutes=10)


def grows(state: Path) -> Finding:
    """Return what is said of how long the room lasts."""
    (found,) = (each for each in said(state) if "lasts" in each.what or "grows" in each.what)
    return found


def test_a_young_log_says_nothing_of_its_growth(state: Path) -> None:
    assert grows(state).level == "unseen"
    assert grows(state).what.endswith("the log is less than a day old")


def test_an_old_log_says_how_long_the_room_lasts(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    now = datetime.now(UTC)
    write_log(state, [now - timedelta(days=9), now])

    assert grows(state).level == "ok"
    assert grows(state).what.endswith("a day: room for more than ten years")


def test_a_log_that_will_fill_its_disk_within_days(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    body = b'{"text":"' + 200_000 * b"x" + b'"}'
    with mounted(tmp_path / "memory", "size=4m,mode=700") as point:
        write_log(point, [now - timedelta(days=2), now], body)
        found = grows(point)

    assert found.level == "warning"
    assert re.fullmatch(r"the log grows by \d+ kB a day: room for \d+ days", found.what)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (83_900_000_000, "83.9 GB"),
        (271e9, "271 GB"),
        (5e15, "5000 TB"),
    ],
)
def test_bytes_as_people_say_them(number: float, words: str) -> None:
    assert in_bytes(number) == words
