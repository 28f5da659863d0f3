"""The first installation on a table PC, and what it leaves for the technician to do."""

import time

from tests.appliance.figures import Figures
from tests.appliance.table_pc import CONFIG, GAVE_UP, ROOT, UNIT, TablePC


def test_install_puts_everything_in_its_place_and_starts_nothing(
    bare: TablePC, figures: Figures
) -> None:
    began = time.monotonic()
    said = bare.make("install").stdout
    figures.note("make install, the first time", time.monotonic() - began)

    assert f"Name the devices in {CONFIG}" in said
    assert "systemctl start tablekeeper" in said
    machine = bare.machine
    assert machine.run("tablekeeper", "--version").stdout == "0.1.0\n"
    assert machine.inside(CONFIG).read_bytes() == (ROOT / "config" / "table.toml").read_bytes()
    owner = machine.run("stat", "--format=%U:%G %a", "/etc/tablekeeper", CONFIG).stdout
    assert owner.splitlines() == ["root:tablekeeper 750", "root:tablekeeper 640"]
    assert machine.run("systemctl", "is-enabled", UNIT).stdout.strip() == "enabled"
    assert machine.show(UNIT, "ActiveState") == {"ActiveState": "inactive"}
    assert ":/usr/sbin/nologin" in machine.run("getent", "passwd", "tablekeeper").stdout


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


def test_an_image_can_be_built_in_a_folder(installed: TablePC) -> None:
    tree = "/opt/image"
    installed.make("install", f"DESTDIR={tree}")
    machine = installed.machine

    for place in (
        "/etc/tablekeeper/table.toml",
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
