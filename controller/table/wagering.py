"""What the table around the round makes of a wager: refused, flagged, or with a word to it."""

from collections.abc import Iterator
from types import MappingProxyType

import msgspec

from controller.errors import NotAllowed
from controller.game.house import Limits, Restriction
from controller.game.moves import Wager
from controller.game.play import Box, Play, RoundState
from controller.game.wagers import SIDE_WAGERS, cards_are_out
from controller.money import show
from controller.outcomes import Flagged, Outcome, Prompted
from controller.table.state import TableState

_EVERY_BOX = 0
_LIFTS = MappingProxyType({
    "5.10": "a casino supervisor",
    "5.11": "the casino duty manager",
    "5.12": "the casino duty manager",
    "nz:5.8(a)": "a casino supervisor",
    "nz:5.8(b)": "a casino supervisor",
})  # fmt: skip
"""Who ends a restriction, by the clause that gives it."""
_DECIDING = frozenset(
    {RoundState.INITIAL_DEAL, RoundState.INTERIM_SETTLEMENT, RoundState.SUBSEQUENT_DEAL}
)


def limits_of(state: TableState, player: str = "") -> Limits:
    """Return the limits in force: the player's own (6.4), or those on the sign (6.1)."""
    game = state.game
    sign = state.house.limits or Limits(minimum=game.minimum, maximum=game.maximum)
    return state.house.own_limits.get(player, sign)


def restriction_of(state: TableState, player: str) -> Restriction | None:
    """Return what the player is held to now; one that waits for the inspector does not hold."""
    found = state.house.restricted.get(player)
    if found is None or found.waits or found.shoe not in {None, state.ledger.shoe}:
        return None
    return found


# --- before a wager is placed ---------------------------------------------------------------------


def check_wager(state: TableState, wager: Wager) -> None:
    """Refuse a wager that the table around the round does not take.

    Raises:
        NotAllowed: the box is kept for another (5.13), has its players (5.4), or the player is
            restricted (5.10 to 5.12, nz:5.8); says who must be asked.
    """
    keeper = dict(state.house.reserved).get(wager.box)
    if keeper is not None and keeper != wager.player:
        why = f"box {wager.box} is reserved for {keeper}: ask a casino supervisor"
        raise NotAllowed("5.13", why)
    _check_players(state, wager)
    held = restriction_of(state, wager.player)
    if held is not None:
        _check_restriction(state, wager, held)


def _check_players(state: TableState, wager: Wager) -> None:
    box = state.play.box(wager.box)
    most = most_players(state, wager.box)
    if box is None or most is None or wager.player in box.players:
        return
    if len(box.bets) >= most:
        who = "player wagers" if most == 1 else "players wager"
        why = f"only {most} {who} on box {wager.box}: ask a casino supervisor"
        raise NotAllowed("5.4", why)


def most_players(state: TableState, box: int) -> int | None:
    """Return how many players a casino supervisor allows on the box; None if none was said."""
    told = dict(state.house.most_players)
    return told.get(box, told.get(_EVERY_BOX))


def _check_restriction(state: TableState, wager: Wager, held: Restriction) -> None:
    ask = f"ask {_LIFTS[held.rule]}"
    others = [box.number for box in boxes_of(state.play, wager.player) if box.number != wager.box]
    if held.to == "one-box" and others:
        why = f"{wager.player} is limited to one box and plays box {others[0]}: {ask}"
        raise NotAllowed(held.rule, why)
    minimum = limits_of(state).minimum
    if wager.main is not None and wager.main != minimum:
        why = f"{wager.player} is restricted to the minimum of {show(minimum)}: {ask}"
        raise NotAllowed(held.rule, why)


def boxes_of(play: Play, player: str) -> list[Box]:
    """Return the boxes that the player wagers on."""
    return [box for box in play.boxes if player in box.players]


# --- after it was placed --------------------------------------------------------------------------


def remarks(before: TableState, after: TableState, wager: Wager) -> Iterator[Outcome]:
    """Tell what should be seen of a wager, and what the dealer sees to (5.7, 5.8, 6.1, 6.2)."""
    box = after.play.box(wager.box)
    bet = box.bet(wager.player) if box else None
    assert box is not None
    assert bet is not None
    found = beyond_limits(before, wager.box, wager.player, wager.main)
    if found:
        yield Flagged(rule=found[0], what=found[1])
    yield from _too_small(before, wager)
    held = restriction_of(after, wager.player)
    if held is not None and bet.main is None:
        what = f"{wager.player} wagers the minimum of {show(limits_of(after).minimum)}"
        yield Prompted(rule=held.rule, what=what)
    if wager.controls:
        yield from in_line(box)
    if before.house.seats_wanted:
        yield from give_up(after, wager.player)


def beyond_limits(
    state: TableState, box: int, player: str, amount: int | None
) -> tuple[str, str] | None:
    """Return the clause that an amount is beyond, and what is wrong with it; None if nothing is."""
    limits = limits_of(state, player)
    if amount is None or limits.allow(amount):
        return None
    said = f"{player}'s {show(amount)} on box {box} is"
    if limits.minimum <= amount <= limits.maximum:
        return "6.1", f"{said} not {show(limits.minimum)} and a multiple of {show(limits.unit)}"
    return "6.2", f"{said} outside {show(limits.minimum)} to {show(limits.maximum)}"


def _too_small(state: TableState, wager: Wager) -> Iterator[Flagged]:
    """Flag side wagers below the amount that the sign asks for (14.3, 18.14.3)."""
    least = state.game.side_wager
    for side in SIDE_WAGERS:
        if 0 < (getattr(wager, side.field) or 0) < least:
            what = f"{wager.player}'s {side.name} wager on box {wager.box} is below {show(least)}"
            yield Flagged(rule=side.needs, what=what)


def in_line(box: Box) -> Iterator[Prompted]:
    """Prompt where the wagers lie on a box that several players share (5.7)."""
    if len(box.bets) > 1:
        nearest = f"{box.controls}'s wager on box {box.number} lies nearest the dealer"
        yield Prompted(rule="5.7.1", what=nearest)
        yield Prompted(rule="5.7.2", what="The others' wagers lie in a line behind it")


def give_up(state: TableState, player: str) -> Iterator[Prompted]:
    """Prompt that a player on several boxes gives one up; reserved ones are kept (5.8, 5.13)."""
    house = state.house
    theirs = [
        box.number
        for box in boxes_of(state.play, player)
        if (box.number, player) not in house.reserved
    ]
    if len(theirs) > 1:
        boxes = ", ".join(map(str, theirs))
        waits = " and ".join(house.seats_wanted)
        what = f"{player} plays boxes {boxes} and gives one up: {waits} finds no seat"
        yield Prompted(rule="5.8", what=what)


def with_seat(state: TableState, player: str) -> TableState:
    """Note that a player who wagers has found a seat (5.8)."""
    house = state.house
    if player not in house.seats_wanted:
        return state
    left = tuple(one for one in house.seats_wanted if one != player)
    return msgspec.structs.replace(state, house=msgspec.structs.replace(house, seats_wanted=left))


def winnings(before: TableState, after: TableState) -> list[Outcome]:
    """Prompt that winnings are taken when all of the box are paid, as the dealer pays (nz:5.7)."""
    final = RoundState.FINAL_SETTLEMENT
    if not after.play.game.is_nz or before.play.state is final or after.play.state is not final:
        return []
    what = "Winnings are taken when all winning wagers in the box are paid"
    return [Prompted(rule="nz:5.7", what=what)]


def who_calls(before: TableState, after: TableState) -> list[Outcome]:
    """Have the dealer ask who calls for a shared box, and flag with the first card where not (5.6).

    Asked when the box becomes shared, and again when what was said of it does not hold any more.
    During the round the dealer is told when another calls now (16.8, 17.5.1).
    """
    if cards_are_out(before.play):
        return list(_calls_now(before.play, after.play))
    shared = [box for box in after.play.boxes if len(box.bets) > 1 and not box.is_said]
    if cards_are_out(after.play):
        what = "nobody said who calls the decisions for box"
        return [
            Flagged(rule="5.6", what=f"{what} {box.number}: {box.controls} does") for box in shared
        ]
    return [
        Prompted(rule="5.6", what=f"Ask who calls the decisions for box {box.number}")
        for box in shared
        if _news(before.play.box(box.number), box)
    ]


def _news(was: Box | None, box: Box) -> bool:
    """Tell whether the box has one more who may call, or lost the one who was said to.

    A box that several come to at once is the same again: it was asked the round before.
    """
    return was is not None and (was.is_said or len(box.bets) > len(was.bets))


def _calls_now(before: Play, after: Play) -> Iterator[Prompted]:
    if after.state not in _DECIDING:
        return
    for box in after.boxes:
        was = before.box(box.number)
        if was is not None and was.controls != box.controls:
            what = f"{box.controls} calls the decisions for box {box.number} now"
            yield Prompted(rule="5.5", what=what)
