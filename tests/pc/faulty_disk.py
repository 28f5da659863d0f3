"""A disk of a PC that is made to fail: a device mapper between it and its file system."""

from pathlib import Path

from tests.appliance.table_pc import STATE
from tests.pc.vm import VM, device

NAME = "failing"
SIZE = 256 << 20
ALWAYS = 3600
"""Seconds that it stays as it is."""


def put_in(pc: VM, image: Path) -> None:
    """Put a new disk into the PC, and let it have the table's state; the table does not run."""
    with image.open("wb") as file:
        file.truncate(SIZE)
    pc.put_in(1, driver="file", filename=str(image))
    pc.run("mkfs.ext4", "-q", device(1))
    pc.run("modprobe", "dm-flakey")
    pc.run("dmsetup", "create", NAME, "--table", _table(well=True))
    mount(pc)
    pc.run("chown", "tablekeeper:tablekeeper-watch", STATE)
    pc.run("chmod", "700", STATE)


def mount(pc: VM) -> None:
    pc.run("mount", f"/dev/mapper/{NAME}", STATE)


def fail(pc: VM) -> None:
    """Let every write to the disk give an input/output error (EIO)."""
    _load(pc, well=False)


def mend(pc: VM) -> None:
    """Let the disk be well; what was mounted of it has given up and is mounted anew."""
    _load(pc, well=True)
    pc.run("umount", STATE)
    done = pc.run("e2fsck", "-y", f"/dev/mapper/{NAME}", check=False)
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    mount(pc)


def _load(pc: VM, *, well: bool) -> None:
    pc.run("dmsetup", "suspend", "--noflush", "--nolockfs", NAME)
    pc.run("dmsetup", "load", NAME, "--table", _table(well=well))
    pc.run("dmsetup", "resume", NAME)


def _table(*, well: bool) -> str:
    up, down = (ALWAYS, 0) if well else (0, ALWAYS)
    return f"0 {SIZE // 512} flakey {device(1)} 0 {up} {down} 1 error_writes"
