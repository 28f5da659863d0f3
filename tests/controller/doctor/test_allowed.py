"""What the unit in force does not let the service do, as systemd and the kernel tell it."""

import os
import threading
from pathlib import Path

import pytest

from controller.doctor import allowed, service
from controller.doctor.finding import Finding
from controller.doctor.machine import Machine
from controller.doctor.patient import Patient
from controller.errors import SettingsError
from controller.settings import read_settings
from controller.setup import service as fitting
from tests.controller.doctor.tree import Tree, serial

SHIPPED = "char-rtc r\nchar-ttyUSB rw\nchar-ttyACM rw\nchar-usb_device rw"
LOADED = {"LoadState": "loaded", "ActiveState": "active", "DeviceAllow": SHIPPED}
CLASSES = "Character devices:\n  4 tty\n166 ttyACM\n188 ttyUSB\n189 usb_device\n\nBlock devices:\n"
REFIT = "sudo tablekeeper setup --service"
RESTART = "sudo systemctl restart tablekeeper.service"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A machine whose kernel has all classes."""
    tree = Tree(tmp_path / "machine")
    tree.write("proc/devices", CLASSES)
    return tree


def patient(tree: Tree, devices: str, mirror: str = "", **unit: str) -> Patient:
    """Return a table of this machine with what systemd says of its unit."""
    text = tree.config(devices).read_text()
    if mirror:
        text = text.replace("\n[devices", f'\nmirror = "{mirror}"\n[devices')
    settings = read_settings(tree.write("etc/tablekeeper/table.toml", text))
    return Patient(tree.machine, settings, {**LOADED, **unit}, None)


def look(tree: Tree, devices: str, mirror: str = "", **unit: str) -> list[Finding]:
    return list(allowed.check(patient(tree, devices, mirror, **unit)))


def test_all_is_well_with_the_shipped_unit_and_what_is_on_usb(tree: Tree) -> None:
    (only,) = look(tree, serial("/dev/ttyUSB0"))

    assert (only.level, only.about) == ("ok", "service may")


def test_a_line_of_the_board_that_the_unit_does_not_name(tree: Tree) -> None:
    (only,) = look(tree, serial("/dev/ttyS3"))

    assert (only.level, only.mend) == ("trouble", REFIT)
    assert "/dev/ttyS3" in only.what
    (well,) = look(tree, serial("/dev/ttyS3"), DeviceAllow=f"/dev/ttyS3 rw\n{SHIPPED}")
    assert well.level == "ok"


@pytest.mark.parametrize(
    ("may", "level"),
    [
        ("", "trouble"),
        ("-/media/other", "trouble"),
        ("-/media/second/log", "trouble"),  # systemd would hold that folder of a disk taken out
        ("-/media/second", "ok"),
        ('"-/srv/my disk" -/media', "ok"),
    ],
)
def test_a_second_copy_that_the_unit_keeps_read_only(tree: Tree, may: str, level: str) -> None:
    found = look(tree, serial("/dev/ttyUSB0"), "/media/second/log", ReadWritePaths=may)

    assert [each.level for each in found] == [level]
    if level == "trouble":
        assert found[0].mend == f"{REFIT}; {RESTART}"


def test_a_second_copy_where_the_service_sees_nothing(tree: Tree) -> None:
    (only,) = look(tree, serial("/dev/ttyUSB0"), "/home/ann/log")

    assert (only.level, only.about) == ("trouble", "second copy")
    assert "no user's files" in only.what


def test_the_running_service_sees_another_disk_than_the_machine(tree: Tree) -> None:
    tree.write("media/second/log/x")
    tree.write("proc/812/root/media/second/log/x")
    may = {"ReadWritePaths": "-/media/second", "MainPID": "812"}
    (only,) = look(tree, serial("/dev/ttyUSB0"), "/media/second/log", **may)

    assert (only.level, only.mend) == ("trouble", RESTART)
    (tree.root / "proc/812/root/media/second/log/x").unlink()
    (tree.root / "proc/812/root/media/second/log").rmdir()
    (only,) = look(tree, serial("/dev/ttyUSB0"), "/media/second/log", **may)
    assert (only.level, only.what) == ("trouble", "the service does not see it")
    (tree.root / "proc/812/root/media/second").rmdir()
    tree.link("proc/812/root/media/second", tree.root / "media/second")
    (only,) = look(tree, serial("/dev/ttyUSB0"), "/media/second/log", **may)
    assert only.level == "ok"


def test_a_changed_unit_that_systemd_has_not_read(tree: Tree) -> None:
    known = patient(tree, serial("/dev/ttyUSB0"), NeedDaemonReload="yes")
    found = [*allowed.check(known), *service.check(known)]
    (only,) = [finding for finding in found if "daemon-reload" in finding.mend]

    assert only.level == "warning"
    assert only.mend == f"sudo systemctl daemon-reload; {RESTART}"


def test_a_class_that_the_kernel_has_not_yet(tree: Tree) -> None:
    tree.write("proc/devices", CLASSES.replace("188 ttyUSB\n", ""))
    _, only = look(tree, serial("/dev/ttyACM0"))

    assert only.level == "warning"
    assert "ttyUSB" in only.what
    assert only.mend.startswith("sudo modprobe ")


def test_other_settings_than_the_services_are_not_judged_by_its_unit(tree: Tree) -> None:
    file = tree.config(serial("/dev/ttyS3"))
    one = Patient(tree.machine, read_settings(file), LOADED, None)

    assert list(allowed.check(one)) == []
    assert list(allowed.check(patient(tree, serial("/dev/ttyS3"), LoadState="not-found"))) == []


def test_the_kernel_is_asked_from_the_services_group_of_processes(tree: Tree) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root joins another's group of processes")
    processes = tree.write("sys/fs/cgroup/system.slice/t/cgroup.procs")
    node = tree.write("dev/ttyUSB0")
    one = patient(tree, serial("/dev/ttyUSB0"), ControlGroup="/system.slice/t")

    assert allowed.refuses(one, node) is False
    assert processes.read_text() == "0"
    assert allowed.refuses(one, tree.root / "dev/none") is True  # as refused: no right to it
    processes.unlink()
    processes.mkdir()
    assert allowed.refuses(one, node) is None


@pytest.mark.parametrize("unit", [{"ActiveState": "inactive"}, {"ControlGroup": ""}])
def test_without_a_running_service_the_kernel_is_not_asked(
    tree: Tree, unit: dict[str, str]
) -> None:
    one = patient(tree, serial("/dev/x"), **{"ControlGroup": "/t", **unit})

    assert allowed.refuses(one, Path("/dev/null")) is None


def test_what_systemd_says_in_several_lines_is_kept_whole(tmp_path: Path) -> None:
    class Told(Machine):
        def ask(self, *_command: str) -> str:
            return "DeviceAllow=char-ttyUSB rw\nUser=x\nDeviceAllow=/dev/ttyS3 rw\n"

    unit = service.unit_of(Told(tmp_path))
    assert unit == {"DeviceAllow": "char-ttyUSB rw\n/dev/ttyS3 rw", "User": "x"}


def test_a_disk_that_does_not_answer_holds_neither_the_doctor_nor_setup_up(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()
    for module in (allowed, fitting):
        monkeypatch.setattr(module, "HANGS_AFTER", 0.05)
        monkeypatch.setattr(module, "needs_of", lambda *_: answers.wait())
    try:
        (only,) = look(tree, serial("/dev/ttyUSB0"), "/media/second/log")
        with pytest.raises(SettingsError, match="disk does not answer"):
            fitting.fit(tree.machine)
    finally:
        answers.set()

    assert (only.level, only.what) == ("unseen", "the disk of the second copy does not answer")
