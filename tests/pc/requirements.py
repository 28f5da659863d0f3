"""What these tests need of the machine that they run on, and how to get it."""

import os
import shutil
from collections.abc import Iterator

from tests.appliance import requirements

PROGRAMS = {
    **requirements.PROGRAMS,
    "qemu-system-x86_64": "qemu-system-x86",
    "qemu-img": "qemu-utils",
    "busybox": "busybox-static",
    "cpio": "cpio",
    "modprobe": "kmod",
    "dpkg-deb": "dpkg",
    "apt-get": "apt",
    "git": "git",
}
"""Each program and the Debian package that has it."""


def missing() -> Iterator[str]:
    """Yield what is missing, each with what to do."""
    if os.geteuid() != 0:
        yield "root: disks are mounted by root only (sudo make system-test)"
    elif not requirements.may_administer():
        yield "the right to mount disks (CAP_SYS_ADMIN), which an unprivileged container lacks"
    packages = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if packages:
        yield f"packages: apt-get install --no-install-recommends {' '.join(packages)}"
