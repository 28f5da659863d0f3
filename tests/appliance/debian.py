"""A Debian 12 to install on: built once, kept as an archive, unpacked for each run."""

import hashlib
import os
from pathlib import Path

from tests.appliance.programs import do

SUITE = "bookworm"
PACKAGES = ("systemd", "systemd-sysv", "udev", "dbus", "procps", "make", "python3", "python3-venv")
"""What a table PC has before the controller is installed on it."""

BUILT_WITHIN = 500.0


def cache() -> Path:
    """Return the folder of what is worth keeping between runs; never in the checkout."""
    above = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(above) / "tablekeeper-tests"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def archive() -> Path:
    """Return the archive of the tree, built if it is not there yet."""
    name = hashlib.sha256(" ".join((SUITE, *PACKAGES)).encode()).hexdigest()[:12]
    kept = cache() / f"debian-{SUITE}-{name}.tar"
    if not kept.exists():
        fresh = kept.with_suffix(f".{os.getpid()}.tar")
        try:
            options = ("--quiet", "--variant=minbase", f"--include={','.join(PACKAGES)}")
            do("mmdebstrap", *options, SUITE, fresh, within=BUILT_WITHIN)
            fresh.replace(kept)
        finally:
            fresh.unlink(missing_ok=True)
    return kept


def unpack(root: Path) -> None:
    """Make the empty folder a Debian of its own."""
    do("tar", "-C", root, "-xf", archive())
