"""The rows as a picture: a Mermaid state diagram with the clauses on its arrows."""

import enum
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from controller.game import malfunction, shuffle
from controller.game.moves import Advance
from controller.game.play import RoundState
from controller.game.row import Row
from controller.game.rows import ROWS, rows_name
from controller.settings import read_game

ROUND: Final = "round"
DIAGRAMS: Final = (ROUND, "malfunction", "shuffle")
"""The round of a game, rule 17 and rule 4."""


class _Table(NamedTuple):
    rows: Sequence[Row]
    states: type[enum.Enum]


def diagram(name: str, game: str) -> str:
    """Return the rows of ``name``, one of :data:`DIAGRAMS`, as Mermaid; ``game`` is the round's.

    Raises:
        SettingsError: there is no such game.
    """
    table = {
        ROUND: lambda: _Table(ROWS[rows_name(read_game(game, {}))], RoundState),
        "malfunction": lambda: _Table(malfunction.ROWS, malfunction.ProcedureState),
        "shuffle": lambda: _Table(shuffle.ROWS, shuffle.ShuffleState),
    }[name]()
    return "\n".join(mermaid(table.rows, table.states)) + "\n"


def mermaid(rows: Iterable[Row], states: type[enum.Enum]) -> Iterator[str]:
    """Yield the lines of the diagram.

    One arrow from a state to another, with a line for each clause and what is done by it; a
    clause alone follows by itself.  Rows that differ only in their guards are one line.
    """
    arrows: dict[tuple[enum.Enum, enum.Enum], dict[str, None]] = {}
    for row in rows:
        for state in row.states:
            arrows.setdefault((state, row.to or state), {})[_said(row)] = None
    yield "stateDiagram-v2"
    for state in states:
        yield f'    state "{state.value}" as {state.name}'
    yield f"    [*] --> {next(iter(states)).name}"
    for source in states:
        for target in states:
            if lines := arrows.get((source, target)):
                yield f"    {source.name} --> {target.name}: {'<br/>'.join(lines)}"
    leaving = {source for source, _ in arrows}
    for state in states:
        if state not in leaving:
            yield f"    {state.name} --> [*]"


def _said(row: Row) -> str:
    """Return a row's clause and move: ``10.1.4 card dealt``."""
    if row.on is Advance:
        return row.rule
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", row.on.__name__).lower()
    return f"{row.rule} {words}"
