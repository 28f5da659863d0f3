"""Table PCs for the tests here; without root and the Debian packages nothing of it can run."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pc.installed import CLOSED, OPEN, Installed, installed
from tests.pc.requirements import missing
from tests.pc.table import Devices, Table, devices
from tests.system.folder import short_folder

HERE = Path(__file__).parent
NEEDED = list(missing())
WITHIN = 1800
"""Seconds for one test; the first makes the PC."""

_results: dict[str, tuple[str, float]] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--states",
        type=int,
        default=100,
        help="power cuts that are looked at, of each kind of work",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.pc)
            item.add_marker(pytest.mark.timeout(WITHIN))
            if NEEDED:
                item.add_marker(pytest.mark.skip(reason=f"needs {'; and '.join(NEEDED)}"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if "tests/pc/" in report.nodeid and "/test_write_log.py" not in report.nodeid:  # needs no PC
        result, seconds = _results.get(report.nodeid, ("", 0.0))
        if report.outcome != "passed" or report.when == "call":
            result = {"skipped": "NOT RUN"}.get(report.outcome, report.outcome)
        _results[report.nodeid] = (result, seconds + report.duration)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _results:
        return
    terminalreporter.section("a whole table PC")
    for need in NEEDED:
        terminalreporter.line(f"missing: {need}", red=True)
    wide = max(map(len, map(_words, _results)))
    terminalreporter.line(f"{'':<{wide}}  seconds  result")
    for test, (result, seconds) in _results.items():
        line = f"{_words(test):<{wide}}  {seconds:7.0f}  {result}"
        terminalreporter.line(line, red=result != "passed")


def _words(test: str) -> str:
    return test.split("::", 1)[1].removeprefix("test_").replace("_", " ")


@pytest.fixture(scope="session")
def disks() -> Installed:
    """A table PC with the program of this checkout on it."""
    # Whoever ends the tests early finds the machines switched off as well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return installed()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path; gone afterwards."""
    with short_folder() as path:
        yield path


@pytest.fixture
def bench(folder: Path) -> Iterator[Devices]:
    """Simulated devices, not plugged into anything."""
    with devices(folder / "dev") as there:
        yield there


@pytest.fixture
def cold(disks: Installed, folder: Path, bench: Devices) -> Iterator[Table]:
    """A table whose PC is off."""
    with Table(disks.cold(folder / "pc"), bench) as table:
        yield table


@pytest.fixture
def closed(disks: Installed, folder: Path, bench: Devices) -> Iterator[Table]:
    """A PC that is on; its table does not run, and never did."""
    with Table(disks.thawed(folder / "pc", CLOSED), bench) as table:
        table.pc.on()
        yield table


@pytest.fixture
def table(disks: Installed, folder: Path, bench: Devices) -> Iterator[Table]:
    """A table that runs since its PC was switched on, with nothing plugged in so far."""
    with Table(disks.thawed(folder / "pc", OPEN), bench) as table:
        table.pc.on()
        yield table
