"""The first installation on a table PC, and what it leaves for the technician to do."""

import re
import time

from tests.appliance.figures import Figures
from tests.appliance.table_pc import CONFIG, GAVE_UP, ROOT, STATE, UNIT, TablePC
from tests.system.processes import eventually


def test_install_puts_everything_in_its_place_and_starts_nothing(
    bare: TablePC, figures: Figures
) -> None:
    began = time.monotonic()
    said = bare.make("install").stdout
    figures.note("make install, the first time", time.monotonic() - began)

    assert "Name the devices: sudo tablekeeper setup" in said
    assert "systemctl start tablekeeper" in said
    machine = bare.machine
    assert machine.run("tablekeeper", "--version").stdout == "0.1.0\n"
    example = (ROOT / "config" / "table.toml").read_bytes()
    assert machine.inside(f"{CONFIG}.example").read_bytes() == example
    owner = machine.run("stat", "--format=%U:%G %a", "/etc/tablekeeper").stdout
    assert owner.strip() == "root:tablekeeper 750"
    assert machine.run("systemctl", "is-enabled", UNIT).stdout.strip() == "enabled"
    assert machine.show(UNIT, "ActiveState") == {"ActiveState": "inactive"}
    assert ":/usr/sbin/nologin" in machine.run("getent", "passwd", "tablekeeper").stdout


def test_a_pc_that_was_never_set_up_is_left_in_peace(installed: TablePC) -> None:
    machine = installed.machine
    assert not machine.inside(CONFIG).exists()
    machine.run("systemctl", "start", UNIT)

    assert machine.show(UNIT, "ActiveState", "Result") == {
        "ActiveState": "inactive",
        "Result": "success",
    }
    assert machine.run("systemctl", "is-failed", UNIT, check=False).stdout.strip() == "inactive"
    assert installed.note() == ""
    told = machine.run("tablekeeper", "doctor", check=False).stdout
    assert "it starts once there is a table to start" in told


def test_with_a_log_but_no_settings_it_is_not_left_in_peace(pc: TablePC) -> None:
    pc.machine.run("rm", CONFIG)
    pc.machine.run("touch", f"{STATE}/something")
    assert pc.machine.run("systemctl", "start", UNIT, check=False).returncode != 0
    eventually(lambda: bool(pc.note()), "the note is there")

    assert "THE TABLE HAS STOPPED" in pc.note()
    assert "there is no such file" in pc.note()


def test_the_example_opens_no_table_and_no_alarm_is_raised(pc: TablePC) -> None:
    pc.write(CONFIG, "# tried\n" + (ROOT / "config" / "table.toml").read_text())
    said = pc.make("install").stdout
    assert f"{CONFIG} is still the example" in said
    assert pc.machine.run("systemctl", "start", UNIT, check=False).returncode != 0
    eventually(lambda: bool(pc.note()), "the note is there")

    assert "THIS TABLE IS NOT SET UP YET" in pc.note()
    assert "sudo tablekeeper setup" in pc.note()
    assert "STOPPED" not in pc.note()
    assert "the settings are still the example's" in pc.machine.journal(UNIT)
    assert pc.machine.run("ls", STATE).stdout == ""


def test_systemd_and_udev_understand_every_line(installed: TablePC) -> None:
    units = [f"/usr/lib/systemd/system/{unit}" for unit in (UNIT, GAVE_UP)]
    done = installed.machine.run("systemd-analyze", "verify", *units)
    assert done.stdout + done.stderr == ""

    assert udev_complaints(installed) == []
    spoilt = "/run/udev/rules.d/60-tablekeeper.rules"  # in the place of the one in /usr
    rules = (ROOT / "systemd" / "60-tablekeeper.rules").read_text()
    installed.write(spoilt, rules.replace('TEST=="power', 'TSET=="power'))
    assert udev_complaints(installed) != []
    installed.machine.run("rm", spoilt)


def udev_complaints(pc: TablePC) -> list[str]:
    """Return what udev says of the rules, besides that it reads them."""
    done = pc.machine.run("udevadm", "test", "/sys/class/mem/null")
    lines = (done.stdout + done.stderr).splitlines()
    assert any("60-tablekeeper.rules" in line for line in lines), lines
    return [line for line in lines if "60-tablekeeper.rules" in line and "Reading" not in line]


def test_a_second_installation_keeps_the_settings_and_leaves_a_closed_table_closed(
    pc: TablePC,
) -> None:
    before = pc.machine.inside(CONFIG).read_bytes()
    said = pc.make("install").stdout

    assert "stays so" in said
    assert pc.machine.inside(CONFIG).read_bytes() == before
    assert pc.machine.show(UNIT, "ActiveState") == {"ActiveState": "inactive"}


def test_a_version_that_does_not_take_the_settings_changes_nothing(pc: TablePC) -> None:
    machine = pc.machine
    current = machine.run("readlink", "/opt/tablekeeper/current").stdout
    releases = machine.run("ls", "/opt/tablekeeper/releases").stdout
    pc.write(CONFIG, "[table]\ncolour = 'green'\n")
    done = pc.make("install", check=False)

    assert done.returncode != 0
    assert "table.colour" in done.stderr
    assert "nothing has changed" in done.stderr
    assert machine.run("readlink", "/opt/tablekeeper/current").stdout == current
    assert machine.run("ls", "/opt/tablekeeper/releases").stdout == releases


def test_what_is_checked_is_what_was_installed_and_not_the_checkout(pc: TablePC) -> None:
    machine = pc.machine
    travels = "cd /checkout && cp -r Makefile *.t* README.md config controller drivers systemd"
    machine.run("sh", "-c", f"mkdir /spoilt && {travels} /spoilt")
    try:
        half = 's/^packages = .*/packages = ["controller"]/'
        machine.run("sed", "-i", half, "/spoilt/pyproject.toml")
        done = pc.make("-C", "/spoilt", "install", check=False)
        assert done.returncode != 0
        assert "site-packages/drivers/__init__.py is not there as in /spoilt/drivers" in done.stderr
        assert "nothing has changed" in done.stderr
    finally:
        machine.run("rm", "-rf", "/spoilt")


def test_without_a_network_debians_packages_are_among_the_wheels(pc: TablePC) -> None:
    machine = pc.machine
    machine.run("dpkg", "--purge", "--force-depends", "python3-venv", "python3.11-venv")
    missing = pc.make("install", check=False).stderr
    (command,) = re.findall(r"python3-venv is missing: (dpkg .*\.deb) \(that is", missing)
    machine.run("sh", "-c", command)

    assert "the table was closed and stays so" in pc.make("install").stdout


def test_a_unit_that_a_cut_has_emptied_is_told_and_mended(pc: TablePC) -> None:
    machine = pc.machine
    for place in (f"/usr/lib/systemd/system/{UNIT}", "/usr/lib/udev/rules.d/60-tablekeeper.rules"):
        machine.run("truncate", "--size=0", place)
    machine.run("systemctl", "daemon-reload")
    try:
        assert machine.show(UNIT, "LoadState") == {"LoadState": "masked"}
        told = machine.run("tablekeeper", "doctor", check=False).stdout
        assert told.count("it is empty: an installation was broken off") == 2
        assert "unmask" not in told
    finally:
        pc.make("install")

    assert "broken off" not in machine.run("tablekeeper", "doctor", check=False).stdout
    pc.start()


def test_an_image_can_be_built_in_a_folder(installed: TablePC) -> None:
    tree = "/opt/image"
    installed.make("install", f"DESTDIR={tree}")
    machine = installed.machine

    for place in (
        "/etc/tablekeeper/table.toml.example",
        "/opt/tablekeeper/gave-up",
        "/usr/lib/systemd/system/tablekeeper.service",
        "/usr/lib/udev/rules.d/60-tablekeeper.rules",
        "/usr/lib/sysusers.d/tablekeeper.conf",
        "/usr/lib/tmpfiles.d/tablekeeper.conf",
    ):
        assert machine.inside(f"{tree}{place}").is_file(), place
    program = machine.run("readlink", f"{tree}/usr/local/bin/tablekeeper").stdout.strip()
    assert program == "/opt/tablekeeper/tablekeeper"
    # As a machine that was made from the image would find it.
    kept = "/opt/tablekeeper.kept"
    machine.run("mv", "/opt/tablekeeper", kept)
    try:
        machine.run("mv", f"{tree}/opt/tablekeeper", "/opt/tablekeeper")
        assert machine.run("tablekeeper", "--version").stdout == "0.1.0\n"
        named = machine.run(
            "sh", "-c", f"grep -l {tree} /opt/tablekeeper/current/bin/*", check=False
        )
        assert named.stdout == ""
    finally:
        machine.run("rm", "-rf", "/opt/tablekeeper", tree)
        machine.run("mv", kept, "/opt/tablekeeper")
