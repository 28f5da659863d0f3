"""What the tests measure, for whoever runs them to read: nothing fails by a figure."""

import pytest


class Figures:
    """Figures by name, in the order in which they were measured."""

    def __init__(self) -> None:
        self._seconds: dict[str, list[float]] = {}

    def note(self, what: str, seconds: float) -> None:
        """Note how long something took."""
        self._seconds.setdefault(what, []).append(seconds)

    def rows(self) -> list[str]:
        """Return a table of them."""
        if not self._seconds:
            return []
        wide = max(map(len, self._seconds))
        head = f"{'':<{wide}}  seconds"
        return [head, *(f"{what:<{wide}}  {_shown(all_)}" for what, all_ in self._seconds.items())]


def _shown(seconds: list[float]) -> str:
    low, high = min(seconds), max(seconds)
    return f"{low:7.2f}" if low == high else f"{low:7.2f} to {high:.2f}"


FIGURES = pytest.StashKey[Figures]()
