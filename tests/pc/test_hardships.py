"""What a PC goes through in the middle of a round; the round goes on and nothing of it is lost.

Nobody has to do anything at the table but to say whether it lies as shown.
"""

import json
from pathlib import Path

from tests.appliance.table_pc import STATE, UNIT
from tests.pc import faulty_disk
from tests.pc.table import NAMES, PATIENCE, Table


def until_started_again(table: Table, times: int) -> None:
    """Wait until systemd has started the table again, by itself, so many times."""
    shown = ("systemctl", "show", UNIT, "--property=NRestarts,ActiveState", "--value")
    script = (
        f"until [ \"$({' '.join(shown)} | sort | xargs)\" = '{times} active' ]; do sleep 1; done"
    )
    table.pc.run("timeout", f"{PATIENCE:.0f}", "sh", "-c", script)
    table.watch_anew()


def goes_on(table: Table, lay: dict[str, object], folder: Path) -> None:
    """The cards lie as they lay, and the round is played to its end and recorded."""
    table.until_online(*NAMES)
    assert table.lies() == lay
    table.finish()
    table.recorded(folder / "record")


def in_a_round(table: Table) -> dict[str, object]:
    """Begin a round; return what lies on the table."""
    table.plug(*NAMES)
    table.until_online(*NAMES)
    table.deal()
    return table.lies()


def test_a_table_that_hangs_is_started_again(table: Table, folder: Path) -> None:
    lay = in_a_round(table)
    table.pc.run("systemctl", "kill", "--signal=STOP", UNIT)
    until_started_again(table, 1)
    goes_on(table, lay, folder)
    assert "watchdog" in table.journal().lower()


def test_a_table_has_its_share_of_the_memory_and_no_more(table: Table, folder: Path) -> None:
    lay = in_a_round(table)
    told = table.pc.run("systemctl", "show", UNIT, "--property=MemoryMax", "--value").stdout
    assert told.strip().isdigit(), "a table that leaks takes the whole PC with it"
    # What it has already is too much from now on, until systemd starts it again with its own share.
    table.pc.sh(f"echo 8M > /sys/fs/cgroup/system.slice/{UNIT}/memory.max")
    until_started_again(table, 1)
    goes_on(table, lay, folder)
    assert "oom-kill" in table.journal().lower()


def test_a_memory_that_is_full_costs_something_else_first(table: Table, folder: Path) -> None:
    lay = in_a_round(table)
    eater = "x = [b'x' * (32 << 20) for _ in range(1000)]"
    table.pc.run("systemd-run", "--unit=eater", "python3", "-c", eater)
    table.pc.sh("until systemctl --quiet is-failed eater; do sleep 1; done")
    assert table.lies() == lay
    restarts = table.pc.run("systemctl", "show", UNIT, "--property=NRestarts", "--value").stdout
    assert restarts.strip() == "0"
    goes_on(table, lay, folder)


def test_a_kernel_that_panics_is_booted_and_the_table_with_it(table: Table, folder: Path) -> None:
    lay = in_a_round(table)
    table.panic()
    table.pc.boot()
    table.plug(*NAMES)
    goes_on(table, lay, folder)


def test_a_disk_that_fails_and_is_mended(closed: Table, folder: Path) -> None:
    pc = closed.pc
    faulty_disk.put_in(pc, folder / "state.img")
    pc.run("systemctl", "start", UNIT)
    lay = in_a_round(closed)
    faulty_disk.fail(pc)
    closed.watch.send(json.dumps({"id": 900, "ask": {"do": "stand"}}).encode() + b"\n")
    # Nothing is answered that is not recorded: the table says so, or ends and says so.
    assert closed.is_in_trouble()
    pc.run("systemctl", "stop", UNIT)
    faulty_disk.mend(pc)
    pc.run("systemctl", "reset-failed", UNIT, check=False)
    pc.run("systemctl", "start", UNIT)
    closed.watch_anew()
    goes_on(closed, lay, folder)


def test_a_disk_that_is_full_for_a_while(closed: Table, folder: Path) -> None:
    pc = closed.pc
    faulty_disk.put_in(pc, folder / "state.img")
    pc.run("systemctl", "start", UNIT)
    lay = in_a_round(closed)
    fill = f"dd if=/dev/zero of={STATE}/ballast bs=64k 2>/dev/null"
    pc.run("runuser", "-u", "tablekeeper", "--", "sh", "-c", fill, check=False)
    pc.run("systemctl", "kill", "--signal=KILL", UNIT)
    until_started_again(closed, 1)
    closed.until_online(*NAMES)
    assert closed.lies() == lay
    pc.run("rm", f"{STATE}/ballast")
    goes_on(closed, lay, folder)
