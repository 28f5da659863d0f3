"""The disk of a table PC before the controller is on it: Debian, its kernel, and a porter in it.

Built from Debian's packages and kept; the name of what is kept has all in it that it is made of.
"""

import hashlib
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.appliance import debian
from tests.appliance.programs import do, found
from tests.pc import kernel as kernels
from tests.pc.kernel import Kernel

PACKAGES = (*debian.PACKAGES, "kmod", "e2fsprogs", "dmsetup")
SIZE = 3 << 30

TO_BOOT = ("virtio_pci", "virtio_blk", "crc32c_generic", "ext4")
"""Modules without which the PC does not find its disk."""

FOLDERS = ("drivers/usb", "drivers/hid/usbhid")
"""Modules of these folders are all there: which is loaded, and when, is Debian's business."""

MODULES = (
    *TO_BOOT,
    *("virtio_console", "virtio-rng", "9p", "9pnet_virtio", "evdev", "hid-generic"),
    *("dm-flakey", "dm-delay", "dm-log-writes", "softdog"),
)

HERE = Path(__file__).parent

INIT = """\
#!/bin/busybox sh
/bin/busybox mkdir -p /dev /proc /sys /new
/bin/busybox mount -t devtmpfs dev /dev
for module in $(/bin/busybox cat /order); do /bin/busybox insmod "/$module"; done
disk=
while [ -z "$disk" ]; do
  disk=$(/bin/busybox findfs LABEL=tableroot 2>/dev/null) || /bin/busybox sleep 0.05
done
/bin/busybox mount -t ext4 -o rw "$disk" /new || exec /bin/busybox sh
exec /bin/busybox switch_root /new /lib/systemd/systemd
"""
"""An own start: Debian's tools to make one would have to be in the image, and are slow there."""

PORTER = """\
[Unit]
Description=Does in this machine what the tests ask for
# While the program is installed, the disk is a container's.
ConditionVirtualization=!container
[Service]
ExecStart=/usr/bin/python3 -u /usr/local/lib/porter.py
OOMScoreAdjust=-1000
Restart=always
[Install]
WantedBy=multi-user.target
"""

MASKED = (
    *("apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "e2scrub_reap.service"),
    *("fstrim.timer", "dpkg-db-backup.timer", "getty@tty1.service", "serial-getty@ttyS0.service"),
)
"""What costs time and has nothing to do with a table."""


class Image(NamedTuple):
    """All that a table PC is booted from."""

    disk: Path
    kernel: Path
    initrd: Path


def image() -> Image:
    """Return the image, built if it is not there yet."""
    folder = debian.cache() / f"pc-{_key()}"
    if not folder.exists():
        with TemporaryDirectory(prefix="new-", dir=debian.cache()) as scratch:
            fresh = Path(scratch, "image")
            fresh.mkdir()
            _build(fresh, Path(scratch))
            fresh.rename(folder)
    debian.in_use(folder)
    return Image(folder / "disk.raw", folder / "vmlinuz", folder / "initrd")


def _key() -> str:
    parts = [debian.SUITE, *PACKAGES, kernels.package().name]
    parts += [file.read_text() for file in (Path(__file__), HERE / "porter.py")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def _build(fresh: Path, scratch: Path) -> None:
    kernel = kernels.unpacked(scratch / "kernel")
    shutil.copyfile(kernel.image, fresh / "vmlinuz")
    _initrd(kernel, scratch / "start", fresh / "initrd")
    root = scratch / "root"
    root.mkdir()
    debian.unpack(root, PACKAGES)
    kernels.copy(kernel, [*MODULES, *kernel.below(*FOLDERS)], root)
    _furnish(root)
    disk = fresh / "disk.raw"
    with disk.open("wb") as file:
        file.truncate(SIZE)
    do("mkfs.ext4", "-q", "-F", "-L", "tableroot", "-d", root, disk)


def _initrd(kernel: Kernel, folder: Path, place: Path) -> None:
    (folder / "bin").mkdir(parents=True)
    shutil.copy(found("busybox"), folder / "bin/busybox")
    order = []
    for file in kernel.needed(TO_BOOT):
        shutil.copyfile(file, folder / file.name)
        order.append(file.name)
    (folder / "order").write_text("\n".join(order))
    (folder / "init").write_text(INIT)
    (folder / "init").chmod(0o755)
    do("sh", "-c", f"cd {folder} && find . | cpio --quiet -o -H newc | gzip -1 > {place}")


def _furnish(root: Path) -> None:
    (root / "etc/hostname").write_text("table\n")
    (root / "etc/fstab").write_text("")
    (root / "etc/machine-id").write_text("")
    shutil.copyfile(HERE / "porter.py", root / "usr/local/lib/porter.py")
    units = root / "etc/systemd/system"
    (units / "porter.service").write_text(PORTER)
    wanted = units / "multi-user.target.wants"
    wanted.mkdir(exist_ok=True)
    (wanted / "porter.service").symlink_to("../porter.service")
    for name in MASKED:
        (units / name).unlink(missing_ok=True)
        (units / name).symlink_to("/dev/null")


def overlaid(below: Path, place: Path) -> Path:
    """Lay a disk over another, so that the one below stays as it is; return the one above."""
    how = "raw" if below.suffix == ".raw" else "qcow2"
    do("qemu-img", "create", "-q", "-f", "qcow2", "-b", below, "-F", how, place)
    return place
