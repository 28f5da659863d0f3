"""Debian's kernel for a table PC: the package that ``linux-image-amd64`` stands for now."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.appliance.debian import cache
from tests.appliance.programs import do, found

STANDS_FOR = "linux-image-amd64"
GOT_WITHIN = 300.0


class Kernel(NamedTuple):
    """An unpacked kernel."""

    version: str
    """As ``uname -r`` tells it."""
    image: Path
    """What a PC is started with."""
    tree: Path
    """The folder in which its ``lib/modules`` is."""

    def needed(self, names: Sequence[str]) -> list[Path]:
        """Return the files of modules and of all that they need, in the order to load them."""
        wanted = ("-d", self.tree, "-S", self.version, "--show-depends", "--all", *names)
        told = said("modprobe", *wanted)
        files = [Path(line.split()[1]) for line in told.splitlines() if line.startswith("insmod")]
        return list(dict.fromkeys(files))

    def below(self, *folders: str) -> list[str]:
        """Return the names of all modules in these folders of ``kernel``."""
        above = self.tree / "lib/modules" / self.version / "kernel"
        return sorted(file.stem for folder in folders for file in (above / folder).rglob("*.ko"))


def said(name: str, *arguments: object) -> str:
    """Run a program that has to succeed; return what it printed."""
    command = [found(name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=GOT_WITHIN, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def package() -> Path:
    """Return Debian's package of the kernel, fetched if it is not there yet."""
    name = _name() or _name_after_update()
    assert name, f"apt does not know {STANDS_FOR}: it needs Debian's main as a source"
    kept = sorted(cache().glob(f"{name}_*.deb"))
    if kept:
        return kept[-1]
    with TemporaryDirectory(prefix="kernel-", dir=cache()) as folder:
        command = [found("apt-get"), "download", "-q", name]
        subprocess.run(command, cwd=folder, check=True, timeout=GOT_WITHIN, capture_output=True)
        (fresh,) = Path(folder).glob("*.deb")
        return fresh.replace(cache() / fresh.name)


def _name() -> str:
    for line in said("apt-cache", "depends", STANDS_FOR).splitlines():
        if line.strip().startswith("Depends: linux-image-"):
            return line.split()[1]
    return ""


def _name_after_update() -> str:
    do("apt-get", "update", within=GOT_WITHIN)
    return _name()


def unpacked(folder: Path) -> Kernel:
    """Unpack the kernel into a folder."""
    do("dpkg-deb", "-x", package(), folder)
    (image,) = (folder / "boot").glob("vmlinuz-*")
    version = image.name.removeprefix("vmlinuz-")
    do("depmod", "-b", folder, version)
    return Kernel(version, image, folder)


def copy(kernel: Kernel, names: Sequence[str], root: Path) -> None:
    """Put modules and all that they need into the tree of a PC."""
    there = Path("lib/modules") / kernel.version
    for file in kernel.needed(names):
        place = root / "usr" / file.relative_to(kernel.tree)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    for listed in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copyfile(kernel.tree / there / listed, root / "usr" / there / listed)
    do("depmod", "-b", root, kernel.version)
