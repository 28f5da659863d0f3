"""What was paid in a round, wager by wager, as it was recorded."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from controller.game.settlement import Pending, Settlement
from controller.logbook.table import table
from controller.money import to_the_cent
from controller.outcomes import Corrected, Outcome, Settled
from controller.rulebook.index import rule_index
from controller.table.decision import by_wager

_HEAD: Final = (
    "box", "player", "hand", "wager", "stake", "result", "odds", "pays", "returns", "clause", "why",
)  # fmt: skip
_RIGHT: Final = frozenset({"stake", "pays", "returns"})
_LAST: Final = 99
"""Sorts a wager without box or hand after those with one."""

Wager = tuple[int | None, str, int | None, str]


def settled(outcomes: Iterable[Outcome], order: Sequence[Wager] = ()) -> list[Settlement]:
    """Return the wagers as they are settled in the end, corrections put in.

    They come in the ``order`` given, and by box and hand where that does not name them.
    """
    found: dict[Wager, Settlement] = {}
    for outcome in outcomes:
        if isinstance(outcome, Settled):
            found[by_wager(outcome.row)] = outcome.row
        elif isinstance(outcome, Corrected):
            found.pop(by_wager(outcome.was), None)
            if outcome.now is not None:
                found[by_wager(outcome.now)] = outcome.now
    place = {wager: at for at, wager in enumerate(order)}

    def where(row: Settlement) -> tuple[int, int, str, int]:
        box, player, hand, _ = wager = by_wager(row)
        return place.get(wager, len(place)), box or _LAST, player, hand or _LAST

    return sorted(found.values(), key=where)


def payments(rows: Sequence[Settlement], waiting: Sequence[Pending] = ()) -> Iterator[str]:
    """Yield the table of payments with its sum, and below it what is not decided yet."""
    cells = [_cells(row) for row in rows] + [_open_cells(row) for row in waiting]
    if not cells:
        yield "no wager was settled"
        return
    total = ["all", "", "", "", *_sums(rows, waiting)]
    yield from table(_HEAD, [*cells, total], _RIGHT)


def _cells(row: Settlement) -> list[str]:
    return [
        "-" if row.box is None else str(row.box),
        row.player,
        "-" if row.hand is None else str(row.hand),
        row.wager.replace("-", " "),
        _amount(row.stake),
        row.result,
        row.odds or "-",
        _amount(row.pays),
        _amount(row.returns),
        row.rule,
        clause.says if (clause := rule_index().get(row.rule)) else "",
    ]


def _open_cells(row: Pending) -> list[str]:
    hand = "-" if row.hand is None else str(row.hand)
    name = row.wager.replace("-", " ")
    return [str(row.box), row.player, hand, name, _amount(row.stake), "open", *["-"] * 3, "", ""]


def _sums(rows: Sequence[Settlement], waiting: Sequence[Pending]) -> list[str]:
    staked = sum(row.stake or 0 for row in rows) + sum(row.stake or 0 for row in waiting)
    pays = sum(row.pays or 0 for row in rows)
    returns = sum(row.returns or 0 for row in rows)
    return [to_the_cent(staked), "", "", to_the_cent(pays), to_the_cent(returns), "", ""]


def _amount(cents: int | None) -> str:
    return "no amount" if cents is None else to_the_cent(cents)
