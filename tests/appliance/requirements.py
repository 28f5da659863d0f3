"""What these tests need of the machine that they run on, and how to get it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

SYS_ADMIN = 1 << 21

PROGRAMS = {
    "systemd-nspawn": "systemd-container",
    "mmdebstrap": "mmdebstrap",
    "nsenter": "util-linux",
    "mkfs.ext4": "e2fsprogs",
}
"""Each program and the Debian package that has it."""


def missing() -> Iterator[str]:
    """Yield what is missing, each with what to do."""
    if os.geteuid() != 0:
        yield "root: containers are made by root only (sudo make test-appliance)"
    elif not may_administer():
        yield "the right to make containers (CAP_SYS_ADMIN): run it outside of an unprivileged one"
    packages = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if packages:
        yield f"packages: apt-get install --no-install-recommends {' '.join(packages)}"


def may_administer() -> bool:
    """Whether root may here what root may elsewhere."""
    return bool(_effective() & SYS_ADMIN)


def _effective() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            return int(line.split()[1], 16)
    return 0
