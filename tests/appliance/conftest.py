"""One table PC for all tests here; without root and the Debian packages nothing of it can run."""

import contextlib
import json
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.simulated.client import Client as Hands
from tests.appliance import debian, disk
from tests.appliance.figures import FIGURES, Figures
from tests.appliance.machine import Machine
from tests.appliance.requirements import missing
from tests.appliance.table_pc import ROOT, SHOE, STATE, Parts, TablePC, wheels
from tests.system.processes import started

_ORDER = {"test_install.py": 0, "test_uninstall.py": 2}
"""All use one machine, on which it is installed once."""

HERE = Path(__file__).parent
NEEDED = list(missing())


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FIGURES] = Figures()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.appliance)
            item.add_marker(pytest.mark.timeout(900))  # the first one builds a Debian
            if NEEDED:
                item.add_marker(pytest.mark.skip(reason=f"needs {'; and '.join(NEEDED)}"))
    items.sort(key=lambda item: _ORDER.get(item.path.name, 1) if HERE in item.path.parents else 1)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and report.when == "setup" and "tests/appliance" in report.nodeid:
        _not_run.append(report.nodeid)


_not_run: list[str] = []


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if _not_run:
        terminalreporter.section("NOT RUN: the service under a real systemd", red=True, bold=True)
        for need in NEEDED:
            terminalreporter.line(f"missing: {need}", red=True)
        for test in _not_run:
            terminalreporter.line(f"not run: {test}", red=True)
    if rows := config.stash[FIGURES].rows():
        terminalreporter.section("measured under a real systemd")
        for row in rows:
            terminalreporter.line(row)


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> Figures:
    """What is measured; shown at the end."""
    return request.config.stash[FIGURES]


@pytest.fixture(scope="session")
def bare() -> Iterator[TablePC]:
    """A table PC with Debian on it and the shoe plugged in, and nothing of ours yet."""
    # Whoever ends the tests early finds the machine switched off and unmounted as well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tk-")))
        wheels(folder / "wheels")
        line, hands = stack.enter_context(_shoe(folder))
        readable = {ROOT: "/checkout", folder / "wheels": "/wheels"}
        with _or_not_run():
            stack.enter_context(disk.in_memory(folder / "root"))
            debian.unpack(folder / "root")
            place = stack.enter_context(disk.mounted(folder))
            binds = {line: SHOE, place: STATE}
            machine = stack.enter_context(Machine(folder / "root", binds, readable))
        yield TablePC(Parts(machine, hands, line, place))


@contextlib.contextmanager
def _or_not_run() -> Iterator[None]:
    """Say that nothing was run, where this machine can't have a Debian in a container.

    Nothing of ours is in it yet: no mirror in reach, no mounts, no namespaces are this machine's.
    """
    try:
        yield
    except Exception as fault:  # noqa: BLE001 - whatever it is, it is this machine's
        why = f"a Debian in a container, which this machine does not get up: {fault}"
        NEEDED.append(why)
        pytest.skip(f"needs {why}")


@contextlib.contextmanager
def _shoe(folder: Path) -> Iterator[tuple[Path, Hands]]:
    """Plug a simulated shoe in; yield its serial line and whoever moves its cards."""
    command = [sys.executable, "-m", "drivers.simulated", folder / "dev", "--devices", "shoe"]
    errors = folder / "devices.err"
    with started([*command, "--until-stdin-closes"], errors=errors) as devices:
        assert devices.stdout is not None
        said = devices.stdout.readline()
        assert said, errors.read_text()
        ready = json.loads(said)
        with Hands(Path(ready["control"])) as hands:
            yield Path(ready["ports"]["shoe"]).resolve(), hands


@pytest.fixture(scope="session")
def installed(bare: TablePC) -> TablePC:
    """The table PC with the service installed."""
    if not bare.is_installed:
        bare.make("install")
    return bare


@pytest.fixture
def pc(installed: TablePC) -> Iterator[TablePC]:
    """A table PC whose table was never opened."""
    installed.anew()
    yield installed
    installed.anew()
