"""Wagers that do not fit: against the limits, a restriction, a reserved box, too many on a box.

A wager is judged when it is placed.  Limits and restrictions that are altered while wagers lie are
held against them at once: before the first card the dealer is told of each that no longer fits,
and it is flagged if it is played (6.2, 5.4, 5.10 to 5.13, nz:5.8).
"""

from collections.abc import Iterator

import msgspec

from controller.game.play import Bet, Box
from controller.game.wagers import cards_are_out
from controller.money import show
from controller.outcomes import Flagged, Outcome, Prompted
from controller.table.state import TableState
from controller.table.wagering import (
    beyond_limits,
    boxes_of,
    limits_of,
    most_players,
    restriction_of,
)


class Misfit(msgspec.Struct, frozen=True):
    """A wager that does not fit, the clause that it does not fit by, and what is wrong with it."""

    box: int
    player: str
    rule: str
    what: str

    @property
    def key(self) -> tuple[int, str, str]:
        """What tells it from every other."""
        return self.box, self.player, self.rule


def misfits(state: TableState) -> Iterator[Misfit]:
    """Yield what does not fit of the wagers on the table as limits and restrictions are now."""
    for box in state.play.boxes:
        for bet in box.bets:
            for rule, what in (
                *_beyond_limits(state, box, bet),
                *_restricted(state, box, bet),
                *_not_theirs(state, box, bet),
                *_too_many(state, box, bet),
            ):
                yield Misfit(box.number, bet.player, rule, what)


def _beyond_limits(state: TableState, box: Box, bet: Bet) -> Iterator[tuple[str, str]]:
    if found := beyond_limits(state, box.number, bet.player, bet.main):
        yield found


def _restricted(state: TableState, box: Box, bet: Bet) -> Iterator[tuple[str, str]]:
    held = restriction_of(state, bet.player)
    if held is None:
        return
    theirs = [one.number for one in boxes_of(state.play, bet.player)]
    if held.to == "one-box" and box.number != theirs[0]:
        boxes = " and ".join(map(str, theirs))
        yield held.rule, f"{bet.player} is limited to one box and plays boxes {boxes}"
    minimum = limits_of(state).minimum
    if bet.main not in {None, minimum}:
        what = f"{bet.player}'s wager on box {box.number} is not the minimum of {show(minimum)}"
        yield held.rule, what


def _not_theirs(state: TableState, box: Box, bet: Bet) -> Iterator[tuple[str, str]]:
    keeper = dict(state.house.reserved).get(box.number)
    if keeper not in {None, bet.player}:
        yield "5.13", f"{bet.player} wagers on box {box.number}, which is reserved for {keeper}"


def _too_many(state: TableState, box: Box, bet: Bet) -> Iterator[tuple[str, str]]:
    most = most_players(state, box.number)
    if most is not None and box.bets.index(bet) >= most:
        what = f"{bet.player} is one too many on box {box.number}: at most {most} to wager"
        yield "5.4", what


def held_against(before: TableState, after: TableState) -> tuple[TableState, list[Outcome]]:
    """Name each wager that an alteration made a misfit, and flag with the first card who plays.

    What did not fit when it was placed was flagged then.
    """
    if cards_are_out(after.play):
        return after, [] if cards_are_out(before.play) else list(_played(before))
    was = {one.key for one in misfits(before)} if not cards_are_out(before.play) else set()
    known = set(before.house.named)
    told: list[Outcome] = []
    named: list[tuple[int, str, str]] = []
    for one in misfits(after):
        if _bet(before, one) != _bet(after, one):
            continue  # it was just placed, and judged as it was
        if one.key in known:
            named.append(one.key)
        elif one.key not in was:
            named.append(one.key)
            told.append(Prompted(rule=one.rule, what=misfit_words(one)))
    if tuple(named) == after.house.named:
        return after, told
    house = msgspec.structs.replace(after.house, named=tuple(named))
    return msgspec.structs.replace(after, house=house), told


def _bet(state: TableState, one: Misfit) -> Bet | None:
    box = state.play.box(one.box)
    return box.bet(one.player) if box else None


def _played(state: TableState) -> Iterator[Flagged]:
    for one in misfits(state):
        if one.key in state.house.named:
            yield Flagged(rule=one.rule, what=f"{one.what}; it was not rejected and is played")


def misfit_words(one: Misfit) -> str:
    """Return what the dealer does about it."""
    return f"{one.what}: reject it, or have it changed"


def misfits_named(state: TableState) -> list[str]:
    """Return what is to be done about wagers that were made misfits, until the first card."""
    if not state.house.named or cards_are_out(state.play):
        return []
    return [misfit_words(one) for one in misfits(state) if one.key in state.house.named]
