"""The table that is shown at the end: each kind of work, and what came of its power cuts."""

from collections.abc import Sequence

import pytest

from tests.pc.cuts.judged import Verdict

CUTS = pytest.StashKey["TableOfCuts"]()

COLUMNS = ("states", "acknowledged", "lost", "dead", "needed a human")


class TableOfCuts:
    """Rows in the order in which they came."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, ...]] = []

    def add(self, case: str, verdicts: Sequence[Verdict]) -> None:
        """Add the verdicts of a case."""
        figures = (
            len(verdicts),
            sum(one.acknowledged for one in verdicts),
            sum(len(one.lost) for one in verdicts),
            sum(bool(one.dead) for one in verdicts),
            sum(bool(one.human) for one in verdicts),
        )
        self._rows.append((case, *map(str, figures)))

    def lines(self) -> list[str]:
        """Return the table, a line a row; empty if nothing was cut."""
        if not self._rows:
            return []
        rows = [("", *COLUMNS), *self._rows]
        first = max(len(row[0]) for row in rows)
        return [
            row[0].ljust(first)
            + "".join(
                f"  {figure:>{len(column)}}"
                for figure, column in zip(row[1:], COLUMNS, strict=True)
            )
            for row in rows
        ]


def bad(verdicts: Sequence[Verdict]) -> str:
    """Return what was found that is not good, a line each; empty if all is."""
    return "\n".join(str(verdict) for verdict in verdicts if not verdict.good)
