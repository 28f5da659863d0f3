"""What a script comes to: settlements, refusals, and how far its expectations hold."""

from collections.abc import Mapping
from typing import Any

import msgspec

from controller.game.play import RoundState
from controller.scripts.script import Expected, Script
from controller.table.view import is_complete


class RefusedStep(msgspec.Struct, frozen=True):
    """A step that the rules forbade: the line as written, the clause, and why."""

    step: str
    rule: str
    why: str


class Failed(msgspec.Struct, frozen=True):
    """An expectation that did not hold, with what was there instead."""

    line: int
    expected: dict[str, Any]
    instead: list[dict[str, Any]]


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a script, in the order of its JSON."""

    title: str
    game: str
    ok: bool
    status: str
    source: str
    settlements: list[dict[str, Any]]
    pending: list[dict[str, Any]]
    corrections: list[dict[str, Any]]
    refused: list[RefusedStep]
    failed: list[Failed]
    events: int
    head: str


def result_of(
    script: Script, view: dict[str, Any], refused: list[RefusedStep], events: int, head: str
) -> Result:
    """Return the result of a script from the view after its last line."""
    failed = compare(script.expected, view["settlements"])
    return Result(
        title=script.title,
        game=script.game.name,
        ok=not failed,
        status=_status(view),
        source=view["source"],
        settlements=view["settlements"],
        pending=view["pending"],
        corrections=view["corrections"],
        refused=refused,
        failed=failed,
        events=events,
        head=head,
    )


def _status(view: dict[str, Any]) -> str:
    if view["state"] == RoundState.VOID.value:
        return "void"
    if view["procedure"] or view["suspended"]:
        return "suspended"
    return "complete" if is_complete(view) else "open"


def compare(expected: tuple[Expected, ...], rows: list[dict[str, Any]]) -> list[Failed]:
    """Return the expectations that cannot all be given a row of their own."""
    row_of: dict[int, int] = {}  # row to expectation

    def place(number: int, tried: set[int]) -> bool:
        for at, row in enumerate(rows):
            if at in tried or not _holds(expected[number].row, row):
                continue
            tried.add(at)
            if at not in row_of or place(row_of[at], tried):
                row_of[at] = number
                return True
        return False

    return [
        Failed(one.line, one.row, _instead(one.row, rows))
        for number, one in enumerate(expected)
        if not place(number, set())
    ]


def _holds(expected: Mapping[str, Any], row: dict[str, Any]) -> bool:
    return all(row[key] == value for key, value in expected.items())


def _instead(expected: dict[str, Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows that come nearest: of the same place, else of the same player, else all."""
    for keys in (("box", "player", "hand", "wager"), ("player",)):
        asked: dict[str, Any] = {key: expected[key] for key in keys if key in expected}
        if asked and (near := [row for row in rows if _holds(asked, row)]):
            return near
    return rows
