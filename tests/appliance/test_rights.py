"""What the service can reach, tried out from inside its own unit, and what it cannot."""

import json

from tests.appliance.table_pc import SHOE, UNIT, TablePC

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
