"""The last test on the machine: the service is taken off it, and what it recorded stays."""

from tests.appliance.table_pc import CONFIG, STATE, UNIT, TablePC


def test_uninstall_takes_everything_but_the_log_and_the_settings(pc: TablePC) -> None:
    pc.start()
    with pc.talk() as talk:
        pc.deal(talk)
        pc.finish(talk)
    machine = pc.machine
    said = pc.make("uninstall").stdout

    assert f"the log in {STATE}" in said
    assert "the settings in" in said
    found = machine.run(
        *("find", "/", "-xdev", "-name", "*tablekeeper*", "-not", "-path", "/proc/*"),
        *("-not", "-path", "/checkout*", "-not", "-path", "/wheels*"),
    )
    assert sorted(found.stdout.split()) == ["/etc/tablekeeper", STATE]
    assert machine.inside(CONFIG).is_file()
    assert list(machine.inside(f"{STATE}/log").glob("*.db")) != []
    assert machine.run("systemctl", "status", UNIT, check=False).returncode == 4  # no such unit
    assert machine.run("getent", "passwd", "tablekeeper").returncode == 0
