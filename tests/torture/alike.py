"""Whether a script came to the same, whatever was done to the table meanwhile."""

import contextlib
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.scripts.direct import DirectTable
from controller.scripts.perform import perform
from controller.scripts.read import read_script
from controller.scripts.result import Result
from controller.scripts.script import Script

ROUNDS: Final = Path(__file__).parents[1] / "rounds"

ALIKE: Final = ("title", "game", "ok", "status", "source", "pending", "refused", "corrections")
"""What must be the same beside the settlements."""

BY_CHANCE: Final = "18.14.4"
"""The clause of the one settlement whose amount is drawn (18.14.6)."""


def script_of(name: str) -> Script:
    """Read a script by its name under ``tests/rounds``."""
    return read_script(ROUNDS / f"{name}.yaml")


async def undisturbed(script: Script) -> Result:
    """Play the script in this process, where nothing happens to it."""
    with contextlib.closing(DirectTable(script, None, "undisturbed")) as table:
        return await perform(script, table)


def differences(one: Result, other: Result) -> list[str]:
    """Say what came out otherwise, beside the amounts that are drawn by chance."""
    before, after = msgspec.to_builtins(one), msgspec.to_builtins(other)
    found = [
        f"{key} is {after[key]}, undisturbed {before[key]}"
        for key in ALIKE
        if before[key] != after[key]
    ]
    wanted, got = (_without_chance(result["settlements"]) for result in (before, after))
    if wanted != got:
        found.append(f"settled {got}, undisturbed {wanted}")
    return found


def _without_chance(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "pays": None} if row["rule"] == BY_CHANCE else row for row in rows]
