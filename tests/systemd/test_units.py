"""The units and rules as they lie in the checkout; tests/appliance runs them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from controller.service.connection import MOST_ANSWERS
from controller.service.places import KEPT_FREE, MOST_IN_ALL, Places
from drivers.pcsensor import VARIANTS

HERE = Path(__file__).parents[2] / "systemd"
UNITS = ("tablekeeper.service", "tablekeeper-gave-up.service")
A_TABLE = 96 * 1024 * 1024
"""Bytes that a table has while 256 clients flood it, reading nothing."""
MOST_EXPOSED = 10
"""systemd-analyze's tenths: an exposure of 1.0, of at most 10."""


def analyze() -> str:
    found = shutil.which("systemd-analyze")
    if found is None:
        pytest.skip("systemd-analyze is missing: apt-get install systemd")
    return found


def security(unit: Path) -> "subprocess.CompletedProcess[str]":
    threshold = f"--threshold={MOST_EXPOSED}"
    command = [analyze(), "security", "--offline=true", "--no-pager", threshold, str(unit)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("unit", UNITS)
def test_it_is_exposed_no_more_than_it_must(unit: str) -> None:
    done = security(HERE / unit)

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_unit_with_less_protection_would_be_found(tmp_path: Path) -> None:
    open_to_all = tmp_path / "tablekeeper.service"
    text = (HERE / "tablekeeper.service").read_text()
    open_to_all.write_text(text.replace("PrivateNetwork=yes", "").replace("User=tablekeeper", ""))

    assert security(open_to_all).returncode != 0


def test_every_pedal_that_a_driver_knows_is_given_to_the_table() -> None:
    rules = (HERE / "60-tablekeeper.rules").read_text()
    given = {
        (int(vendor, 16), int(product, 16))
        for vendor, products in re.findall(
            r'^ATTR\{idVendor\}=="(\w{4})", ATTR\{idProduct\}=="([\w|]+)"', rules, re.MULTILINE
        )
        for product in products.split("|")
    }

    assert set(VARIANTS) - given == set()


def test_there_are_descriptors_for_every_client_and_for_the_table_itself() -> None:
    unit = (HERE / "tablekeeper.service").read_text()
    (limit,) = re.findall(r"^LimitNOFILE=(\d+)$", unit, re.MULTILINE)

    assert int(limit) >= MOST_IN_ALL + KEPT_FREE
    assert Places(int(limit)).in_all == MOST_IN_ALL


def test_the_memory_holds_what_all_clients_may_leave_unread_and_a_table_beside_it() -> None:
    unit = (HERE / "tablekeeper.service").read_text()
    (most,) = re.findall(r"^MemoryMax=(\d+)M$", unit, re.MULTILINE)

    assert int(most) * 1024 * 1024 >= MOST_IN_ALL * MOST_ANSWERS + 2 * A_TABLE
    assert re.search(r"^Restart=on-failure$", unit, re.MULTILINE)


def test_the_group_of_the_socket_is_not_that_of_the_devices() -> None:
    rules = (HERE / "60-tablekeeper.rules").read_text()
    devices = set(re.findall(r'^[^#\n]*GROUP="(\S+?)"', rules, re.MULTILINE))
    socket = set()
    for unit in UNITS:
        socket |= set(re.findall(r"^Group=(\S+)$", (HERE / unit).read_text(), re.MULTILINE))

    assert (devices, socket) == ({"tablekeeper"}, {"tablekeeper-watch"})


def test_every_class_that_is_let_in_is_there_before_the_service_starts() -> None:
    unit = (HERE / "tablekeeper.service").read_text()
    classes = set(re.findall(r"^DeviceAllow=char-(\w+) rw$", unit, re.MULTILINE))
    brought_by = {"usb_device": "usbcore", "ttyUSB": "usbserial", "ttyACM": "cdc_acm"}
    early = (HERE / "tablekeeper.modules").read_text().splitlines()

    assert classes == set(brought_by), "ttyS is of the screens' major, and no class of its own"
    for module in brought_by.values():
        assert module in early
        for key in ("Wants", "After"):
            (units,) = re.findall(rf"^{key}=(.*)$", unit, re.MULTILINE)
            assert f"modprobe@{module}.service" in units.split()


@pytest.mark.parametrize("script", ["gave-up", "tablekeeper", "install.sh", "uninstall.sh"])
def test_the_scripts_are_scripts_and_may_be_run(script: str) -> None:
    assert (HERE / script).stat().st_mode & 0o111
    done = subprocess.run(["/bin/sh", "-n", str(HERE / script)], check=False, timeout=60)
    assert done.returncode == 0
