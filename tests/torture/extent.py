"""How much torture: a share in every test run, all of it by ``make torture``."""

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from tests.torture.report import Figure

FULL: Final = os.environ.get("TORTURE") == "full"
"""All of it, as ``make torture`` has it."""

SEED: Final = int(os.environ.get("TORTURE_SEED", "1"))
"""What every random choice is drawn from."""

_ROOT: Final = Path(__file__).parents[2]
_KEPT: Final = os.environ.get("TORTURE_KEEP")
"""Folder in which parts that are done are kept, so that a run that was broken off goes on."""


def extent(share: int, full: int) -> int:
    """Return how often: the share, or all of it."""
    return full if FULL else share


def done_before(part: str) -> Figure | None:
    """Return the figure of a part that came out right in a run that was broken off.

    It counts only for the same seed and the same source code.
    """
    if _KEPT is None:
        return None
    try:
        return msgspec.json.decode(_file(_KEPT, part).read_bytes(), type=Figure)
    except FileNotFoundError:
        return None


def keep(part: str, figure: Figure) -> None:
    """Keep the figure of a part that came out right."""
    if _KEPT is None or figure.failures:
        return
    file = _file(_KEPT, part)
    file.parent.mkdir(parents=True, exist_ok=True)
    begun = file.with_suffix(".begun")
    begun.write_bytes(msgspec.json.encode(figure))
    begun.replace(file)


def _file(folder: str, part: str) -> Path:
    return Path(folder) / f"{part}-{SEED}-{_source()}.json"


@cache
def _source() -> str:
    """Return what tells one state of the source code from another."""
    digest = hashlib.sha256()
    for folder in ("controller", "drivers", "tests/rounds", "tests/torture"):
        for file in sorted((_ROOT / folder).rglob("*")):
            if file.suffix in {".py", ".yaml", ".toml", ".c"}:
                digest.update(str(file.relative_to(_ROOT)).encode() + b"\0")
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
