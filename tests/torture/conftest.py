"""Figures of the tests here travel to the table that ``make torture`` prints."""

from collections.abc import Callable, Iterator

import pytest

from tests.torture.report import PROPERTY, Figure, encoded, kept, table


class Figures:
    """The figures of one test."""

    def __init__(self) -> None:
        self.all: list[Figure] = []

    def __call__(self, what: str) -> Figure:
        """Begin one."""
        return self.keep(Figure(what))

    def keep(self, figure: Figure) -> Figure:
        """Take one that was counted elsewhere."""
        self.all.append(figure)
        return figure


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Iterator[Figures]:
    """Return where a test begins its figures; they are in the table however the test ends."""
    figures = Figures()
    yield figures
    for one in figures.all:
        record_property(PROPERTY, encoded(one))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table."""
    figures = [
        figure
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "teardown"
        for figure in kept(report.user_properties)
    ]
    if figures:
        terminalreporter.section("torture")
        for line in table(figures):
            terminalreporter.write_line(line)
