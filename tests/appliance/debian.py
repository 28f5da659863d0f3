"""A Debian 12 to install on: built once, kept as an archive, unpacked for each run."""

import hashlib
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from tests.appliance.programs import do

SUITE = "bookworm"
PACKAGES = ("systemd", "systemd-sysv", "udev", "dbus", "procps", "make", "python3", "python3-venv")
"""What a table PC has before the controller is installed on it."""

BUILT_WITHIN = 500.0

KEPT_FOR = 12 * 3600.0
"""Seconds."""


def cache() -> Path:
    """Return the folder of what is worth keeping between runs; never in the checkout."""
    above = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(above) / "tablekeeper-tests"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def in_use(kept: Path) -> None:
    """Note that a kept folder is used; forget its like that were not used for long.

    There may be several checkouts, each with its own.
    """
    os.utime(kept)
    kind = kept.name.split("-")[0]
    for other in kept.parent.glob(f"{kind}-*"):
        if other.is_dir() and other.stat().st_mtime < time.time() - KEPT_FOR:
            shutil.rmtree(other)


def archive(packages: Sequence[str] = PACKAGES) -> Path:
    """Return the archive of the tree with these packages, built if it is not there yet."""
    name = hashlib.sha256(" ".join((SUITE, *packages)).encode()).hexdigest()[:12]
    kept = cache() / f"debian-{SUITE}-{name}.tar"
    if not kept.exists():
        fresh = kept.with_suffix(f".{os.getpid()}.tar")
        try:
            options = ("--quiet", "--variant=minbase", f"--include={','.join(packages)}")
            do("mmdebstrap", *options, SUITE, fresh, within=BUILT_WITHIN)
            fresh.replace(kept)
        finally:
            fresh.unlink(missing_ok=True)
    return kept


def unpack(root: Path, packages: Sequence[str] = PACKAGES) -> None:
    """Make the empty folder a Debian of its own."""
    do("tar", "-C", root, "-xf", archive(packages))
