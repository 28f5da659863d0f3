"""The configuration that ships with the program: the games and an example table.

In an installed wheel it lies inside the package, in a checkout beside it.
"""

from pathlib import Path

_HERE = Path(__file__).parent
_INSTALLED = _HERE / "shipped_config"
_CHECKOUT = _HERE.parent / "config"


def shipped(name: str) -> Path:
    """Return the path of a shipped file, as ``games/pontoon-nsw.toml``."""
    folder = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
    return folder / name
