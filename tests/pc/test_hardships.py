"""What a PC goes through in the middle of a round; the round goes on and nothing of it is lost.

Nobody has to do anything at the table but to say whether it lies as shown.
"""

import json
from pathlib import Path

from tests.appliance.table_pc import SOCKET, STATE, UNIT
from tests.pc import faulty_disk
from tests.pc.table import NAMES, PATIENCE, Patient, Table

LEFT = 20
"""MB; a table wants 100 to begin a round."""


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


def test_a_disk_that_is_nearly_full_and_then_full_for_a_while(closed: Table, folder: Path) -> None:
    pc = closed.pc
    faulty_disk.put_in(pc, folder / "state.img")
    pc.run("systemctl", "start", UNIT)
    lay = in_a_round(closed)
    # Less than a table wants to begin a round, when it is started again in the middle of one.
    fill(closed, leaving=LEFT)
    pc.run("systemctl", "kill", "--signal=KILL", UNIT)
    until_started_again(closed, 1)
    closed.until_online(*NAMES)
    assert closed.lies() == lay
    closed.as_shown()
    fill(closed, leaving=0)
    with Patient(pc.door(SOCKET)) as dealer:
        dealer.send(json.dumps({"id": 900, "ask": {"do": "stand"}}).encode() + b"\n")
        closed.watch.until(lambda view: view["trouble"], "it is told that nothing can be recorded")
        assert closed.lies() == lay
        pc.sh(f"rm {STATE}/ballast*")
        assert dealer.answer(900)["accepted"]
    closed.watch.until(lambda view: not view["trouble"] and view["turn"] is None, "ann stands")
    closed.draw("8C")
    closed.watch.until(lambda view: view["state"] == "final settlement", "the round is over")
    closed.must("cleared")
    closed.recorded(folder / "record")


def fill(table: Table, *, leaving: int) -> None:
    """Fill the disk of the table's state, as a user may, but for so many MB."""
    free = f"$(($(df --output=avail -BM {STATE} | tail -n 1 | tr -dc 0-9) - {leaving}))"
    script = f"dd if=/dev/zero of={STATE}/ballast{leaving} bs=1M count={free} 2>/dev/null"
    more = "" if leaving else f"; cat /dev/zero > {STATE}/ballast.more"
    table.pc.run("runuser", "-u", "tablekeeper", "--", "sh", "-c", script + more, check=False)
