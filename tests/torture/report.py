"""What was done to the log and the round, how often, and how often it came out right.

A test `keep`s a `Figure`; at the end of ``make torture`` all of them stand in one table, and below
it every failure in full.
"""

import time
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

PROPERTY: Final = "torture"
"""Name of the test property in which a figure travels from a test to the table."""

_HEADINGS: Final = ("what was done", "times", "right", "wrong", "seconds", "beside it")


class Failure(msgspec.Struct, frozen=True):
    """One thing that came out wrong: what, and how to have it again."""

    what: str
    again: str


class Figure(msgspec.Struct):
    """How often one thing was done, and what came of it.

    Attributes:
        what: the thing, as the table calls it; figures of the same name are added up.
        done: how often it was done.
        failures: each time that it came out wrong.
        seconds: what it took, by the wall clock.
        counts: what else was counted meanwhile, by name; added up as well.
        beside: what else is to be said, once.

    """

    what: str
    done: int = 0
    failures: list[Failure] = msgspec.field(default_factory=list)
    seconds: float = 0.0
    counts: dict[str, int] = msgspec.field(default_factory=dict)
    beside: list[str] = msgspec.field(default_factory=list)

    @property
    def right(self) -> int:
        """How often it came out right."""
        return self.done - len(self.failures)

    def count(self, name: str, more: int = 1) -> None:
        """Count something else."""
        self.counts[name] = self.counts.get(name, 0) + more

    def fail(self, what: str, again: str) -> None:
        """Count one that came out wrong."""
        self.failures.append(Failure(what, again))

    def must_be_right(self) -> None:
        """Fail the test if anything came out wrong, or nothing was done at all.

        Raises:
            AssertionError: says every failure in full.

        """
        assert self.done, f"{self.what}: nothing was done"
        assert not self.failures, "\n".join(_in_full(self))


class Stopwatch:
    """Counts the seconds of a figure while it is entered."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._since = 0.0

    def __enter__(self) -> Figure:
        self._since = time.monotonic()
        return self._figure

    def __exit__(self, *_what: object) -> None:
        self._figure.seconds += time.monotonic() - self._since


def kept(properties: Iterable[tuple[str, Any]]) -> Iterator[Figure]:
    """Yield the figures among the properties of a test."""
    for name, value in properties:
        if name == PROPERTY:
            yield msgspec.json.decode(value, type=Figure)


def encoded(figure: Figure) -> str:
    """Return a figure as the text that travels."""
    return msgspec.json.encode(figure).decode()


def added_up(figures: Iterable[Figure]) -> list[Figure]:
    """Return one figure for each name, in the order in which they first came."""
    sums: dict[str, Figure] = {}
    for figure in figures:
        whole = sums.setdefault(figure.what, Figure(figure.what))
        whole.done += figure.done
        whole.seconds += figure.seconds
        whole.failures += figure.failures
        for name, more in figure.counts.items():
            whole.count(name, more)
        whole.beside += [note for note in figure.beside if note not in whole.beside]
    return list(sums.values())


def table(figures: Iterable[Figure]) -> list[str]:
    """Return the lines of the table and, below it, every failure in full."""
    whole = added_up(figures)
    rows = [_HEADINGS, *map(_cells, whole)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADINGS) - 1)]
    lines = [_line(row, widths) for row in rows]
    lines.insert(1, "-" * max(map(len, lines)))
    for figure in whole:
        lines += _in_full(figure)
    return lines


def _cells(figure: Figure) -> tuple[str, ...]:
    return (
        figure.what,
        f"{figure.done:,}",
        f"{figure.right:,}",
        f"{len(figure.failures):,}",
        f"{figure.seconds:,.1f}",
        "; ".join([*(f"{much:,} {name}" for name, much in figure.counts.items()), *figure.beside]),
    )


def _line(row: tuple[str, ...], widths: list[int]) -> str:
    name, *numbers, beside = row
    cells = [name.ljust(widths[0])]
    cells += [text.rjust(width) for text, width in zip(numbers, widths[1:], strict=True)]
    return "  ".join([*cells, beside]).rstrip()


def _in_full(figure: Figure) -> Iterator[str]:
    for failure in figure.failures:
        yield f"{figure.what}: {failure.what}"
        yield f"    again: {failure.again}"
