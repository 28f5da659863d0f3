"""The unit fits the settings: a second copy on a disk of any moment, a serial line of the board."""

import contextlib
import json
from collections.abc import Iterator

import pytest

from tests.appliance.table_pc import CONFIG, SETTINGS, UNIT, TablePC
from tests.system.processes import eventually

DISK = "/media/second disk"
COPY = f"{DISK}/log"
DROP_IN = f"/etc/systemd/system/{UNIT}.d/settings.conf"
MODULES = "/etc/modules-load.d/tablekeeper.conf"
WITH_COPY = SETTINGS.replace("\n[devices", f'\nmirror = "{COPY}"\n\n[devices')


@pytest.fixture
def fitted(pc: TablePC) -> Iterator[TablePC]:
    """A table with a second copy, whose unit was made to fit; its disk is not there."""
    pc.write(CONFIG, WITH_COPY)
    pc.machine.run("mkdir", "-p", DISK)
    said = pc.machine.run("tablekeeper", "setup", "--service").stdout
    assert f"{DROP_IN} is written" in said
    try:
        yield pc
    finally:
        pc.machine.run("systemctl", "stop", UNIT)
        take_out(pc)
        pc.write(CONFIG, SETTINGS)
        pc.machine.run("tablekeeper", "setup", "--service")
        pc.machine.run("rm", "-r", DISK)


def put_in(pc: TablePC, *, folder: bool = True) -> None:
    """Mount a disk; its folder for the copy is the table's."""
    pc.machine.run("mount", "-t", "tmpfs", "disk", DISK)
    if folder:
        make_folder(pc)


def make_folder(pc: TablePC) -> None:
    pc.machine.run("install", "-d", "-o", "tablekeeper", COPY)


def take_out(pc: TablePC) -> None:
    """Pull the disk, whatever is open on it."""
    pc.machine.run("umount", "--lazy", DISK, check=False)


def is_kept(pc: TablePC) -> bool:
    """Tell whether the copy on the disk that is mounted now has a day of the log."""
    return ".db\n" in pc.machine.run("ls", COPY, check=False).stdout


def told(pc: TablePC) -> list[tuple[str, str, str]]:
    """Return what the doctor says of the second copy."""
    found = json.loads(pc.machine.run("tablekeeper", "doctor", "--json", check=False).stdout)
    return [
        (each["level"], each["what"], each["mend"])
        for each in found["findings"]
        if each["about"] == "second copy"
    ]


def sees(pc: TablePC, file: str) -> bool:
    """Tell whether the running service can write beside a file, and sees it."""
    tried = f'test -e "{COPY}/{file}" && touch "{COPY}/tried" && rm "{COPY}/tried"'
    entering = ["nsenter", "--target", pc.pid, "--mount"]
    return pc.machine.run(*entering, "sh", "-c", tried, check=False).returncode == 0


def test_the_modules_of_its_classes_are_named_where_they_are_looked_for(installed: TablePC) -> None:
    names = installed.machine.run("grep", "-v", "^#", MODULES).stdout.split()

    assert {"usbcore", "usbserial", "cdc_acm", "ftdi_sio"} <= set(names)
    waits = installed.machine.show(UNIT, "After")["After"].split()
    assert {"sysinit.target", "modprobe@usbserial.service"} <= set(waits)
    loads = installed.machine.show("systemd-modules-load.service", "Before")["Before"]
    assert "sysinit.target" in loads.split()


def test_the_second_copy_is_written_under_the_shipped_unit(fitted: TablePC) -> None:
    put_in(fitted)
    fitted.start()

    eventually(lambda: is_kept(fitted), "the copy is written")
    assert [level for level, _, _ in told(fitted)] == ["ok"]


def test_a_disk_that_comes_after_the_start_is_written(fitted: TablePC) -> None:
    fitted.start()
    assert not is_kept(fitted)
    put_in(fitted)

    eventually(lambda: is_kept(fitted), "the copy is written")


def test_a_folder_that_is_made_after_the_start_is_written(fitted: TablePC) -> None:
    put_in(fitted, folder=False)
    fitted.start()
    make_folder(fitted)

    eventually(lambda: is_kept(fitted), "the copy is written")


def test_a_disk_that_is_exchanged_while_the_table_runs_is_seen(fitted: TablePC) -> None:
    put_in(fitted)
    fitted.start()
    take_out(fitted)
    assert not sees(fitted, ".")
    put_in(fitted)
    fitted.machine.run("touch", f"{COPY}/another")

    assert sees(fitted, "another")


def test_without_the_drop_in_the_doctor_says_what_makes_it(fitted: TablePC) -> None:
    machine = fitted.machine
    put_in(fitted)
    machine.run("rm", DROP_IN)
    machine.run("systemctl", "daemon-reload")
    fitted.start()
    (trouble,) = [each for each in told(fitted) if each[0] == "trouble"]

    assert trouble[1] == f"the service may not write in {DISK}"
    machine.run("sh", "-c", trouble[2].replace("sudo ", ""))
    eventually(lambda: is_kept(fitted), "the copy is written")
    # A folder of the disk holds the disk: the service goes on with one that was taken out.
    fitted.stop()
    fitted.write(DROP_IN, f'[Service]\nReadWritePaths="-{COPY}"\n')
    machine.run("systemctl", "daemon-reload")
    fitted.start()
    take_out(fitted)
    assert sees(fitted, ".")


def test_install_fits_the_unit_to_the_settings_that_are_there(pc: TablePC) -> None:
    machine = pc.machine
    pc.write(CONFIG, f'{SETTINGS}\n[devices.keys]\ndriver = "reference"\nport = "/dev/ttyS3"\n')
    try:
        pc.make("install")
        assert "/dev/ttyS3 rw" in machine.run("systemctl", "show", UNIT, "-p", "DeviceAllow").stdout
        assert machine.show(UNIT, "NeedDaemonReload") == {"NeedDaemonReload": "no"}
        pc.write(CONFIG, SETTINGS)
        pc.make("install")
        assert machine.run("ls", f"/etc/systemd/system/{UNIT}.d").stdout == ""
    finally:
        with contextlib.suppress(AssertionError):
            machine.run("rm", "-f", DROP_IN)
        machine.run("systemctl", "daemon-reload")


def test_systemd_understands_every_name_that_is_written(pc: TablePC) -> None:
    odd = "/media/my 100% \\ 'disk' \\\"x\\\"; #ü"
    as_toml = odd.replace("\\", "\\\\").replace('\\\\"', '\\"')
    settings = SETTINGS.replace("\n[devices", f'\nmirror = "{as_toml}/log"\n\n[devices')
    pc.write(CONFIG, settings)
    machine = pc.machine
    try:
        machine.run("tablekeeper", "setup", "--service")
        machine.run("systemctl", "start", UNIT)
        found = machine.show(UNIT, "ReadWritePaths")["ReadWritePaths"]
        assert [each for each in told(pc) if "may not write" in each[1]] == [], found
    finally:
        pc.write(CONFIG, SETTINGS)
        machine.run("tablekeeper", "setup", "--service")


def test_setup_fits_the_unit_to_what_it_has_written(pc: TablePC) -> None:
    pc.write(CONFIG, WITH_COPY)
    machine = pc.machine
    try:
        # Enter at every question: all stays as it is.
        said = machine.run("sh", "-c", "yes '' | tablekeeper setup").stdout
        assert f"{CONFIG} is written" in said
        assert f"{DROP_IN} is written" in said
        assert f'ReadWritePaths="-{DISK}"' in machine.run("cat", DROP_IN).stdout
        assert DISK in machine.show(UNIT, "ReadWritePaths")["ReadWritePaths"]
    finally:
        pc.write(CONFIG, SETTINGS)
        machine.run("tablekeeper", "setup", "--service")
