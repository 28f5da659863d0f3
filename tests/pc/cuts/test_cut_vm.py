"""The power of a whole emulated PC is cut while its table deals: its kernel, its udev, its unit.

It is about ten times slower than a PC, and the time after which a kernel writes back is not: that
is stretched, or what nobody has waited for would look safer than it is.
"""

import contextlib
from pathlib import Path
from typing import Final

from tests.appliance.programs import do
from tests.appliance.table_pc import CONFIG, SOCKET, STATE, UNIT
from tests.pc.cuts.cut_table import CutTable, Noting
from tests.pc.cuts.dealing import play
from tests.pc.cuts.judged import Verdict
from tests.pc.cuts.logged import LoggedDisk, formatted
from tests.pc.cuts.moments import looked_at
from tests.pc.cuts.recording import Recording
from tests.pc.cuts.table_of_cuts import TableOfCuts, bad
from tests.pc.cuts.test_cut_table import CARELESS, SEED
from tests.pc.installed import CLOSED, Installed
from tests.pc.vm import VM, device

ROUNDS: Final = 4
SLOWLY: Final = "sysctl -qw vm.dirty_writeback_centisecs=5000 vm.dirty_expire_centisecs=30000"
DROP_IN: Final = "/run/systemd/system/tablekeeper.service.d/careless.conf"


def give_disk(pc: VM, disk: LoggedDisk) -> None:
    """Put in a disk whose writes are logged, for the table's state."""
    now = disk.folder / "now.img"
    do("cp", "--sparse=always", disk.base, now)
    disk.log.touch()
    files = {"file": now, "log": disk.log}
    nodes = {name: {"driver": "file", "filename": str(path)} for name, path in files.items()}
    pc.put_in(1, driver="blklogwrites", **nodes)
    pc.sh(f"{SLOWLY}; mkdir /mnt/disk; mount {device(1)} /mnt/disk; mkdir -m 700 /mnt/disk/state")
    pc.sh(f"chown tablekeeper:tablekeeper-watch /mnt/disk/state; mount -B /mnt/disk/state {STATE}")


def recorded_in(pc: VM, folder: Path) -> Recording:
    """Let the table of a PC deal until its power is cut."""
    disk = LoggedDisk(folder / "disk-logged")
    disk.folder.mkdir()
    formatted(disk.base)
    give_disk(pc, disk)
    table = CutTable(folder)
    table.length = disk.length
    with looked_at([disk.log]) as seen:
        pc.run("systemctl", "start", UNIT)
        recording = Recording(folder, [disk], table, seen)
        recording.begin()
        with contextlib.closing(Noting(pc.door(SOCKET), table.note)) as talk:
            talk.watch()
            for _ in range(ROUNDS):
                play(talk)
        settings = pc.read(CONFIG).decode()
        pc.cut()
    settings = settings.replace(f'"{STATE}"', f'"{table.state}"')
    table.config.write_text(settings.replace(f'"{SOCKET}"', f'"{table.socket}"'))
    return recording


def judged(it: Recording, states: int, table_of_cuts: TableOfCuts, case: str) -> list[Verdict]:
    verdicts = it.cut(states, SEED)
    table_of_cuts.add(case, verdicts)
    return verdicts


def test_an_emulated_pc_that_deals(
    disks: Installed, folder: Path, in_memory: Path, states: int, table_of_cuts: TableOfCuts
) -> None:
    with disks.thawed(folder / "pc", CLOSED) as pc:
        it = recorded_in(pc, in_memory)
    verdicts = judged(it, states, table_of_cuts, "dealing, emulated PC")
    assert not bad(verdicts)
    assert sum(verdict.acknowledged for verdict in verdicts) > len(verdicts)


def test_an_emulated_pc_whose_database_does_not_wait_for_the_disk_is_found_out(
    disks: Installed, folder: Path, in_memory: Path, few_states: int, table_of_cuts: TableOfCuts
) -> None:
    with disks.thawed(folder / "pc", CLOSED) as pc:
        pc.sh("mkdir -p /opt/careless")
        pc.write("/opt/careless/sitecustomize.py", CARELESS)
        pc.sh(f"mkdir -p {Path(DROP_IN).parent}")
        pc.write(DROP_IN, "[Service]\nEnvironment=PYTHONPATH=/opt/careless\n")
        pc.run("systemctl", "daemon-reload")
        it = recorded_in(pc, in_memory)
    case = "control: emulated PC, does not wait for the disk"
    verdicts = judged(it, few_states, table_of_cuts, case)
    assert sum(bool(verdict.lost or verdict.dead) for verdict in verdicts) > len(verdicts) / 2
    assert any(verdict.lost for verdict in verdicts)
