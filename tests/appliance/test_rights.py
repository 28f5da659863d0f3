"""What the service can reach, tried out from inside its own unit, and what it cannot."""

import json

from tests.appliance.table_pc import SHOE, SOCKET, UNIT, TablePC

PROBE = "/run/systemd/system/probe.service"
MAY = (
    "write its log's folder",
    "write beside its socket",
    "read its settings",
    "open the shoe's line",
    "open a unix socket",
    "open a netlink socket",
)
"""All that a controller needs; everything else that the probe tries is refused."""


def tried_in_unit(pc: TablePC) -> dict[str, str]:
    """Run the probe in a unit that differs from the service's by its program only."""
    machine = pc.machine
    lines = machine.inside(f"/usr/lib/systemd/system/{UNIT}").read_text().splitlines()
    program = "/opt/tablekeeper/current/bin/python /checkout/tests/appliance/probe.py"
    changed = {"Type=": "Type=oneshot", "ExecStart=": f"ExecStart={program} {SHOE}"}
    dropped = ("Restart", "WatchdogSec=", "OnFailure=")
    kept = [
        next((other for key, other in changed.items() if line.startswith(key)), line)
        for line in lines
        if not line.startswith(dropped)
    ]
    pc.write(PROBE, "\n".join(kept) + "\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "start", "probe.service")
    said = machine.journal("probe.service").splitlines()
    machine.run("rm", PROBE)
    (found,) = [line for line in said if line.startswith("{")]
    assert "bug: " not in found
    tried: dict[str, str] = json.loads(found)
    return tried


def tried_outside(pc: TablePC) -> dict[str, str]:
    """Run the probe as root without any sandbox."""
    probe = ["/opt/tablekeeper/current/bin/python", "/checkout/tests/appliance/probe.py", SHOE]
    tried: dict[str, str] = json.loads(pc.machine.run(*probe).stdout)
    return tried


def test_the_unit_reaches_what_it_needs_and_nothing_else(pc: TablePC) -> None:
    pc.machine.run("sh", "-c", "mkdir -p /home/dealer && touch /home/dealer/letter")
    inside = tried_in_unit(pc)

    assert {name: inside[name] for name in MAY} == dict.fromkeys(MAY, "yes")
    assert [name for name, came in inside.items() if came == "yes" and name not in MAY] == []
    # And the probe tells the truth: without the sandbox all of it can be done.
    assert {name: came for name, came in tried_outside(pc).items() if came != "yes"} == {}


def test_without_the_udev_rules_group_the_line_is_refused_and_that_is_said(pc: TablePC) -> None:
    pc.line.chmod(0o600)
    pc.start()
    with pc.talk() as talk:
        asked = "no permission; is the udev rule installed?"
        talk.until(lambda view: asked in view["health"]["shoe"]["detail"], "the shoe is refused")


def test_who_may_talk_to_the_table_may_not_open_its_devices(pc: TablePC) -> None:
    machine = pc.machine
    machine.run("useradd", "--groups", "tablekeeper-watch", "ann")
    machine.run("useradd", "bob")
    try:
        pc.start()
        with pc.talk() as talk:
            talk.until(lambda view: view["devices"]["shoe"]["online"], "the shoe is the table's")
        assert pc.may("ann") == {"talk": "yes", "open the shoe": "PermissionError"}
        assert pc.may("bob") == {"talk": "PermissionError", "open the shoe": "PermissionError"}
        lie = machine.run("stat", "--format=%U:%G %a", "/run/tablekeeper", SOCKET).stdout
        assert lie.split("\n")[:2] == [
            "tablekeeper:tablekeeper-watch 750",
            "tablekeeper:tablekeeper-watch 660",
        ]
        # It is the group alone that keeps them off, and the test sees it.
        machine.run("gpasswd", "--add", "bob", "tablekeeper")
        assert pc.may("bob") == {"talk": "PermissionError", "open the shoe": "yes"}
        told = json.loads(machine.run("tablekeeper", "doctor", "--json", check=False).stdout)
        (found,) = [each for each in told["findings"] if each["about"] == "access"]
        assert found["what"].startswith("bob is in the group tablekeeper")
        machine.run("sh", "-c", found["mend"].replace("sudo ", ""))
        assert pc.may("bob") == {"talk": "yes", "open the shoe": "PermissionError"}
    finally:
        for who in ("ann", "bob"):
            machine.run("userdel", who)


def test_a_service_whose_key_others_may_read_says_what_to_do_and_then_starts(pc: TablePC) -> None:
    pc.start()
    pc.stop()
    machine = pc.machine
    key = "/var/lib/tablekeeper/log-key/day-0001.key"
    machine.run("chmod", "644", key)
    machine.run("systemctl", "start", UNIT, check=False)
    machine.until(UNIT, ActiveState="failed", ExecMainStatus="78")

    mend = f"chmod 600 {key}"
    assert f"others may read or write it (0644): {mend}" in machine.journal(UNIT)
    told = json.loads(machine.run("tablekeeper", "doctor", "--json", check=False).stdout)
    assert f"sudo {mend}" in [each["mend"] for each in told["findings"]]
    machine.run("sh", "-c", mend)
    machine.run("systemctl", "reset-failed", UNIT)
    pc.start()
