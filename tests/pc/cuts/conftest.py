"""Power cuts need root, the loop device, FUSE, and QEMU's storage daemon."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pc.cuts.table_of_cuts import CUTS, TableOfCuts

HERE = Path(__file__).parent
WITHIN = 1800.0
PROGRAMS = {
    "qemu-storage-daemon": "qemu-utils",
    "systemd-nspawn": "systemd-container",
    "mmdebstrap": "mmdebstrap",
    "mkfs.ext4": "e2fsprogs",
    "unshare": "util-linux",
}
"""Each program and the Debian package that has it."""


def missing() -> Iterator[str]:
    """Yield what is missing, each with what to do."""
    if os.geteuid() != 0:
        yield "root, who may mount (sudo make system-test)"
    for device in ("/dev/loop-control", "/dev/fuse"):
        if not Path(device).exists():
            yield f"{device} (modprobe {Path(device).name.partition('-')[0]})"
    packages = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if packages:
        yield f"packages: apt-get install --no-install-recommends {' '.join(packages)}"


NEEDED = list(missing())


def pytest_configure(config: pytest.Config) -> None:
    config.stash[CUTS] = TableOfCuts()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE and item.path.name.startswith("test_cut_"):
            item.add_marker(pytest.mark.pc)
            item.add_marker(pytest.mark.timeout(WITHIN))
            if NEEDED:
                item.add_marker(pytest.mark.skip(reason=f"needs {'; and '.join(NEEDED)}"))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if lines := config.stash[CUTS].lines():
        terminalreporter.section("power cuts")
        for line in lines:
            terminalreporter.line(line)


@pytest.fixture
def states(request: pytest.FixtureRequest) -> int:
    """How many power cuts of each kind of work are looked at."""
    return int(request.config.getoption("--states"))


@pytest.fixture
def few_states(states: int) -> int:
    """How many are enough where nearly each has to be found bad."""
    return max(states // 5, 5)


@pytest.fixture
def table_of_cuts(request: pytest.FixtureRequest) -> TableOfCuts:
    """What came of the cuts; shown at the end."""
    return request.config.stash[CUTS]


@pytest.fixture
def in_memory() -> Iterator[Path]:
    """A folder in memory, with a short path: a log of writes is no test of this machine's disk."""
    with _folder_in_memory() as folder:
        yield folder


@pytest.fixture(scope="module")
def memory() -> Iterator[Path]:
    """Another, for what several tests need."""
    with _folder_in_memory() as folder:
        yield folder


@contextlib.contextmanager
def _folder_in_memory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tk-", dir="/dev/shm") as name:
        yield Path(name)
