"""A table PC in QEMU: a machine of its own, with a kernel, udev, USB sockets and disks.

It is emulated throughout (TCG): that goes on every machine, and this machine's own virtualisation
is not asked for, because not every machine that offers it can boot a Debian with it.
"""

import contextlib
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from tests.appliance.programs import found
from tests.pc.image import Image
from tests.pc.line import Line, connected
from tests.pc.monitor import Monitor

MEMORY = 512
"""MB."""

UP_WITHIN = 600.0
RUN_WITHIN = 600.0
CONNECTED_WITHIN = 30.0

SOCKETS = 4
"""USB sockets that something can be plugged into, numbered from 1."""

SLOTS = 3
"""Slots that a disk can be put into while it runs, numbered from 1."""

FOLDERS = ("checkout", "wheels")
"""What of this machine it can mount, to read."""

WORDS = "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on systemd.show_status=0"


class VM:
    """One PC; a context manager, from switched on to off."""

    def __init__(
        self,
        folder: Path,
        image: Image,
        disk: Path,
        shared: Mapping[str, Path] | None = None,
        *,
        frozen: str = "",
        sets_clock: bool = True,
    ) -> None:
        """Take an own folder (a short path: sockets are in it) and what it is put together from.

        *disk* is a qcow2, written to.  *shared* are folders of this machine by their name in
        `FOLDERS`.  *frozen* names the snapshot in the disk that it goes on from; else it boots.
        Its clock stood still meanwhile, and *sets_clock* sets it.
        """
        self.folder = folder
        self.console = folder / "console"
        """All that was ever shown on its screen."""
        self.disk = disk
        self._image = image
        self._shared = shared or {}
        self._frozen = frozen
        self._sets_clock = sets_clock
        self._errors = folder / "qemu.err"
        self._qemu: subprocess.Popen[bytes] | None = None
        self._monitor: Monitor | None = None
        self._line: Line | None = None

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            undo.callback(self.cut)
            self.on()
            undo.pop_all()
        return self

    def __exit__(self, *_what: object) -> None:
        self.cut()

    # --- power ------------------------------------------------------------------------------------

    def on(self) -> float:
        """Switch it on; return the seconds until it does what it is asked for."""
        began = time.monotonic()
        self.power_on()
        self.until_up()
        return time.monotonic() - began

    def power_on(self) -> None:
        """Switch it on, and wait for nothing: it is at the beginning of its boot."""
        self.folder.mkdir(exist_ok=True)
        for path in self.folder.glob("*.sock"):
            path.unlink()
        with self.console.open("ab") as screen, self._errors.open("ab") as errors:
            # Also off when the tests are killed.
            command = [found("setpriv"), "--pdeathsig", "KILL", *self._command()]
            self._qemu = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=screen, stderr=errors
            )
        self._monitor = Monitor(connected(self.folder / "monitor.sock", CONNECTED_WITHIN))
        self._line = Line(connected(self.folder / "porter.sock", CONNECTED_WITHIN))

    def until_up(self) -> None:
        """Wait until it does what it is asked for."""
        self.run("true", within=UP_WITHIN)
        if self._frozen and self._sets_clock:
            self.run("date", "--set", f"@{time.time():.3f}")

    def boot(self) -> float:
        """Switch it on, cold, whether it was frozen or not."""
        self._frozen = ""
        return self.on()

    def is_on(self) -> bool:
        return self._qemu is not None and self._qemu.poll() is None

    def cut(self) -> None:
        """Cut its power."""
        if self._qemu is not None:
            self._qemu.kill()
        self._gone()

    def off(self) -> None:
        """Switch it off in order."""
        self.run("systemctl", "poweroff", "--no-block")
        self.wait_off()

    def wait_off(self, within: float = RUN_WITHIN) -> None:
        """Wait until it has switched itself off, or has stopped itself dead."""
        assert self._qemu is not None
        self._qemu.wait(within)
        self._gone()

    def _gone(self) -> None:
        if self._line is not None:
            self._line.close()
        if self._monitor is not None:
            self._monitor.close()
        if self._qemu is not None:
            self._qemu.wait()
        self._qemu = self._monitor = self._line = None

    def freeze(self, name: str) -> None:
        """Keep it as it is now in its disk, to go on from; nothing of this machine is mounted."""
        self.run("sync")
        self.monitor.say(f"savevm {name}")

    @property
    def monitor(self) -> Monitor:
        """The machine as QEMU sees it."""
        assert self._monitor is not None, f"the machine is off: {self._errors.read_text()}"
        return self._monitor

    # --- what it is made of -----------------------------------------------------------------------

    def _command(self) -> list[str]:
        empty = self.folder / "empty"
        empty.mkdir(exist_ok=True)
        words = [
            *("qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none"),
            *("-no-reboot", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "qemu64"),
            *("-smp", "2", "-m", str(MEMORY), "-rtc", "base=utc"),
            *("-kernel", str(self._image.kernel), "-initrd", str(self._image.initrd)),
            *("-append", WORDS, "-serial", "stdio"),
            *("-qmp", f"unix:{self.folder}/monitor.sock,server=on,wait=off"),
            *("-drive", f"file={self.disk},format=qcow2,if=none,id=system,cache=writeback"),
            *("-device", "virtio-blk-pci,drive=system"),
            *("-device", "virtio-serial-pci"),
            *("-chardev", f"socket,path={self.folder}/porter.sock,server=on,wait=off,id=porter"),
            *("-device", "virtserialport,chardev=porter,name=porter"),
            *("-object", "rng-random,id=rng,filename=/dev/urandom"),
            *("-device", "virtio-rng-pci,rng=rng"),
            *("-device", "qemu-xhci,id=xhci,addr=0x14,p2=8,p3=4"),
        ]
        for name in FOLDERS:
            where = self._shared.get(name, empty)
            share = f"local,id={name},path={where},security_model=none,readonly=on"
            words += ["-fsdev", share]
            words += ["-device", f"virtio-9p-pci,fsdev={name},mount_tag={name}"]
        for number in range(1, SLOTS + 1):
            words += ["-device", f"pcie-root-port,id=slot{number},slot={number},chassis={number}"]
        for number in range(1, SOCKETS + 1):
            end = f"socket,path={self.usb(number)},server=on,wait=off,id=usb{number}"
            words += ["-chardev", end]
            words += ["-device", f"usb-redir,chardev=usb{number},bus=xhci.0,port={number}"]
        if self._frozen:
            words += ["-loadvm", self._frozen]
        return words

    def usb(self, number: int) -> Path:
        """Return the Unix socket of this machine that stands for a USB socket of the PC."""
        return self.folder / f"usb{number}.sock"

    def put_in(self, slot: int, **disk: object) -> None:
        """Put a disk into a slot; *disk* says what it is made of, in the words of blockdev-add."""
        self.monitor.do("blockdev-add", node_name=f"disk{slot}", **disk)
        self.monitor.do(
            "device_add",
            driver="virtio-blk-pci",
            id=f"slot{slot}disk",
            bus=f"slot{slot}",
            drive=f"disk{slot}",
            serial=f"disk{slot}",
        )
        self.run("udevadm", "wait", "--timeout=30", device(slot))

    def mount(self, name: str) -> str:
        """Mount a folder of this machine in it; return where."""
        place = f"/mnt/{name}"
        how = "trans=virtio,ro,version=9p2000.L,msize=262144,cache=loose"
        self.run("modprobe", "--all", "9p", "9pnet_virtio")
        self.run("mkdir", "-p", place)
        self.run("mount", "-t", "9p", "-o", how, name, place)
        return place

    # --- what is done in it -----------------------------------------------------------------------

    def run(
        self, *command: object, check: bool = True, within: float = RUN_WITHIN
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command in it as root, to its end."""
        done = self.line.run(list(map(str, command)), within)
        if check:
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done

    def sh(self, script: str, *, check: bool = True) -> str:
        """Run a line of shell in it; return what it printed."""
        return self.run("sh", "-c", script, check=check).stdout

    def write(self, path: str, text: str) -> None:
        """Write a file in it."""
        self.line.write(path, text.encode(), RUN_WITHIN)

    def read(self, path: str) -> bytes:
        """Read a file in it."""
        return self.line.read(path, RUN_WITHIN)

    def door(self, theirs: str) -> Path:
        """Return a socket of this machine that leads to one in it, as long as it is on."""
        ours = self.folder / f"door-{Path(theirs).name}"
        if not ours.exists():
            self.line.door(ours, theirs)
        return ours

    @property
    def line(self) -> Line:
        """The line to the porter in it."""
        assert self._line is not None, "the machine is off"
        return self._line

    def screen(self) -> str:
        """Return what was ever shown on its screen."""
        return self.console.read_text(errors="replace")


def device(slot: int) -> str:
    """Return the node of the disk in a slot."""
    return f"/dev/disk/by-id/virtio-disk{slot}"


def copied(disk: Path, place: Path) -> Path:
    """Return a copy of a disk with the snapshots in it."""
    return Path(shutil.copyfile(disk, place))
