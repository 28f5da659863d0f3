"""``tablekeeper setup --service``: the unit's drop-in after a change by hand, asking nothing."""

import subprocess
from pathlib import Path

import pytest

from tests.controller.doctor.tree import Tree, serial
from tests.system.processes import tablekeeper

DROP_IN = "etc/systemd/system/tablekeeper.service.d/settings.conf"


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A machine with nothing on it."""
    return Tree(tmp_path / "machine")


def fit(tree: Tree, devices: str) -> "subprocess.CompletedProcess[str]":
    tree.write("etc/tablekeeper/table.toml", tree.config(devices).read_text())
    return tablekeeper("setup", "--service", "--root", tree.root)


def test_it_is_written_changed_kept_and_removed_as_the_settings_ask(tree: Tree) -> None:
    file = tree.root / DROP_IN
    done = fit(tree, serial("/dev/ttyS3"))

    assert (done.returncode, done.stderr) == (0, "")
    assert f"/{DROP_IN} is written" in done.stdout
    assert file.read_text().endswith("[Service]\nDeviceAllow=/dev/ttyS3 rw\n")
    assert file.stat().st_mode & 0o777 == 0o644
    assert fit(tree, serial("/dev/ttyS3")).stdout == ""
    assert "is written" in fit(tree, serial("/dev/ttyS1")).stdout
    assert "ttyS3" not in file.read_text()
    assert "is removed" in fit(tree, serial("/dev/ttyUSB0")).stdout
    assert list(file.parent.iterdir()) == []
    assert fit(tree, serial("/dev/ttyUSB0")).stdout == ""


def test_settings_with_a_fault_leave_it_as_it_was(tree: Tree) -> None:
    fit(tree, serial("/dev/ttyS3"))
    done = fit(tree, serial("/dev/ttyUSB0") + "colour = 1\n")

    assert done.returncode == 78
    assert "devices.colour is not known" in done.stderr
    assert "ttyS3" in (tree.root / DROP_IN).read_text()


def test_a_second_copy_that_the_service_cannot_have_is_told(tree: Tree) -> None:
    text = tree.config(serial("/dev/ttyUSB0")).read_text()
    text = text.replace("\n[devices", '\nmirror = "/home/ann/log"\n[devices')
    tree.write("etc/tablekeeper/table.toml", text)
    done = tablekeeper("setup", "--service", "--root", tree.root)

    assert done.returncode == 0
    assert "/home/ann/log cannot be written by the service" in done.stdout


def test_where_it_cannot_be_written_is_said(tree: Tree) -> None:
    tree.write("etc/systemd/system/tablekeeper.service.d", "in the way")
    done = fit(tree, serial("/dev/ttyS3"))

    assert done.returncode == 78
    assert f"/{DROP_IN} cannot be written" in done.stderr


def test_it_is_for_the_services_own_settings(tree: Tree) -> None:
    done = tablekeeper("setup", "--service", "--config", tree.config(serial("/dev/ttyS3")))

    assert done.returncode == 2
    assert "--service" in done.stderr
