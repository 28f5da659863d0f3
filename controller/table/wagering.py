"""What the table around the round makes of a wager: refused, flagged, or with a word to it."""

from collections.abc import Iterator

import msgspec

from controller.errors import NotAllowed
from controller.events import Accepted, Flagged, Outcome, Prompted
from controller.game.house import (
    AtBox,
    CallDecisions,
    Handle,
    Limits,
    Reject,
    Restriction,
    SpokenWager,
)
from controller.game.moves import Wager, Withdraw
from controller.game.play import Bet, Box, Play, RoundState
from controller.game.settlement import pending
from controller.game.wagers import cards_are_out
from controller.money import show
from controller.table.decision import Decision, make
from controller.table.state import TableState

_EVERY_BOX = 0
_LIFTS = {
    "5.10": "a casino supervisor",
    "5.11": "the casino duty manager",
    "5.12": "the casino duty manager",
    "nz:5.8(a)": "a casino supervisor",
    "nz:5.8(b)": "a casino supervisor",
}
"""Who ends a restriction, by the clause that gives it."""


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
    keeper = state.house.reserved.get(wager.box)
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
    if box is not None and most is not None and wager.player not in box.players:
        if len(box.bets) >= most:
            who = "player wagers" if most == 1 else "players wager"
            why = f"only {most} {who} on box {wager.box}: ask a casino supervisor"
            raise NotAllowed("5.4", why)


def most_players(state: TableState, box: int) -> int | None:
    """Return how many players a casino supervisor allows on the box; None if none was said."""
    told = state.house.most_players
    return told.get(box, told.get(_EVERY_BOX))


def _check_restriction(state: TableState, wager: Wager, held: Restriction) -> None:
    ask = f"ask {_LIFTS[held.rule]}"
    others = [box.number for box in _boxes_of(state.play, wager.player) if box.number != wager.box]
    if held.to == "one-box" and others:
        why = f"{wager.player} is limited to one box and plays box {others[0]}: {ask}"
        raise NotAllowed(held.rule, why)
    minimum = limits_of(state).minimum
    if wager.main is not None and wager.main != minimum:
        why = f"{wager.player} is restricted to the minimum of {show(minimum)}: {ask}"
        raise NotAllowed(held.rule, why)


def _boxes_of(play: Play, player: str) -> list[Box]:
    return [box for box in play.boxes if player in box.players]


# --- after it was placed --------------------------------------------------------------------------


def remarks(before: TableState, after: TableState, wager: Wager) -> Iterator[Outcome]:
    """Tell what should be seen of a wager, and what the dealer sees to (5.6, 5.8, 6.1, 6.2)."""
    yield from _outside(before, wager)
    held = restriction_of(after, wager.player)
    if held is not None and wager.main is None:
        what = f"{wager.player} wagers the minimum of {show(limits_of(after).minimum)}"
        yield Prompted(rule=held.rule, what=what)
    box = after.play.box(wager.box)
    was = before.play.box(wager.box)
    newly_shared = box is not None and len(box.bets) > max(1, len(was.bets) if was else 0)
    if newly_shared and wager.box not in after.house.called:
        what = f"Ask who calls the decisions for box {wager.box}"
        yield Prompted(rule="5.6", what=what)
    if before.house.seats_wanted:
        yield from give_up(after, wager.player)


def _outside(state: TableState, wager: Wager) -> Iterator[Flagged]:
    limits = limits_of(state, wager.player)
    if wager.main is None or limits.allow(wager.main):
        return
    within = limits.minimum <= wager.main <= limits.maximum
    said = f"{wager.player}'s {show(wager.main)} on box {wager.box} is"
    if within:
        what = f"{said} not {show(limits.minimum)} and a multiple of {show(limits.unit)}"
        yield Flagged(rule="6.1", what=what)
        return
    what = f"{said} outside {show(limits.minimum)} to {show(limits.maximum)}"
    yield Flagged(rule="6.2", what=what)


def give_up(state: TableState, player: str) -> Iterator[Prompted]:
    """Prompt that a player on several boxes gives one up; reserved ones are kept (5.8, 5.13)."""
    house = state.house
    theirs = [
        box.number
        for box in _boxes_of(state.play, player)
        if house.reserved.get(box.number) != player
    ]
    if len(theirs) > 1:
        boxes = ", ".join(map(str, theirs))
        waits = " and ".join(house.seats_wanted)
        what = f"{player} plays boxes {boxes} and gives one up: {waits} finds no seat"
        yield Prompted(rule="5.8", what=what)


def with_call(state: TableState, wager: Wager) -> TableState:
    """Note that the dealer knows who calls the decisions, and that a player has found a seat."""
    house = state.house
    if wager.controls and wager.box not in house.called:
        house = msgspec.structs.replace(house, called=(*house.called, wager.box))
    if wager.player in house.seats_wanted:
        left = tuple(one for one in house.seats_wanted if one != wager.player)
        house = msgspec.structs.replace(house, seats_wanted=left)
    return state if house is state.house else msgspec.structs.replace(state, house=house)


def uncalled(before: TableState, after: TableState) -> list[Outcome]:
    """Flag with the first card each shared box of which nobody said who calls (5.6)."""
    if cards_are_out(before.play) or not cards_are_out(after.play):
        return []
    return [
        Flagged(
            rule="5.6",
            what=f"nobody said who calls the decisions for box {box.number}: {box.controls} does",
        )
        for box in after.play.boxes
        if len(box.bets) > 1 and box.number not in after.house.called
    ]


# --- what is asked at a box -----------------------------------------------------------------------


def at_box(state: TableState, ask: AtBox) -> Decision:
    """Take the dealer's word on the wagers of a box.

    Raises:
        NotAllowed: not now, or not this wager; says why.
    """
    match ask:
        case Reject():
            return _reject(state, ask)
        case CallDecisions():
            return _call(state, ask)
        case SpokenWager():
            return _spoken(state, ask)
        case Handle():
            return _handle(state, ask)


def _bet(state: TableState, box: int, player: str, rule: str) -> tuple[Box, Bet]:
    found = state.play.box(box)
    bet = found.bet(player) if found else None
    if found is None or bet is None:
        raise NotAllowed(rule, f"{player} has no wager on box {box}")
    return found, bet


def _accept(ask: AtBox, rule: str) -> Accepted:
    return Accepted(what=msgspec.to_builtins(ask), rule=rule, box=ask.box)


def _reject(state: TableState, ask: Reject) -> Decision:
    """6.2: a wager outside the limits that is not rejected before the first card is valid."""
    _, bet = _bet(state, ask.box, ask.player, "6.2")
    if cards_are_out(state.play):
        raise NotAllowed("6.2", "the first card is out: the wager was not rejected and is valid")
    limits = limits_of(state, ask.player)
    if bet.main is None or limits.allow(bet.main):
        within = f"{show(limits.minimum)} to {show(limits.maximum)}"
        why = f"{ask.player}'s wager on box {ask.box} is not known to be outside {within}"
        raise NotAllowed("6.2", why)
    state, _, follows = make(state, Withdraw(ask.box, ask.player))
    note = f"Give {ask.player} back {show(bet.main)} from box {ask.box}"
    state = msgspec.structs.replace(state, note=note)
    return Decision(state, (_accept(ask, "6.2"), Prompted(rule="6.2", what=note), *follows))


_REASONS = {"seated": "5.5.1", "highest": "5.5.2", "nearest": "5.5.3"}


def _call(state: TableState, ask: CallDecisions) -> Decision:
    """5.5, 5.6: who calls the decisions is made sure of before the round begins."""
    box, bet = _bet(state, ask.box, ask.player, "5.5")
    if cards_are_out(state.play) or state.play.state is not RoundState.WAGERS:
        raise NotAllowed("5.6", "who calls the decisions was made sure of before the round")
    rule = _REASONS[ask.because]
    stakes = [one.main for one in box.bets]
    if None not in stakes:
        highest = max(stake for stake in stakes if stake is not None)
        if ask.because == "nearest" and len(set(stakes)) > 1:
            raise NotAllowed("5.5.3", "the wagers are not equal: the highest decides (5.5.2)")
        if ask.because == "highest" and stakes.count(highest) > 1:
            raise NotAllowed("5.5.2", "the highest wagers are equal: the nearest decides (5.5.3)")
        if ask.because == "highest" and bet.main != highest:
            raise NotAllowed("5.5.2", f"{ask.player}'s wager on box {ask.box} is not the highest")
    again = Wager(
        box=ask.box,
        player=ask.player,
        main=bet.main,
        super_sevens=bet.super_sevens,
        perfect_pairs=bet.perfect_pairs,
        pandemonium=bet.pandemonium,
        voucher=bet.voucher,
        controls=True,
    )
    state, _, follows = make(state, again)
    state = with_call(state, again)
    told: list[Outcome] = [_accept(ask, rule)]
    if len(box.bets) > 1:
        nearest = f"{ask.player}'s wager on box {ask.box} lies nearest the dealer"
        told.append(Prompted(rule="5.7.1", what=nearest))
        told.append(Prompted(rule="5.7.2", what="The others' wagers lie in a line behind it"))
        state = msgspec.structs.replace(state, note=f"{nearest}, the others' in a line behind it")
    return Decision(state, (*told, *follows))


def _spoken(state: TableState, ask: SpokenWager) -> Decision:
    """nz:5.3: a spoken wager counts with chips, and in time before "no more bets"."""
    if not state.play.game.is_nz:
        raise NotAllowed("5.1", "a wager is made by placing chips, not by word of mouth")
    if not ask.chips:
        raise NotAllowed("nz:5.3", f"{ask.player}'s spoken wager came without chips")
    if state.play.no_more_bets or cards_are_out(state.play):
        raise NotAllowed("nz:5.3", 'no time is left: "no more bets" was called')
    wager = Wager(box=ask.box, player=ask.player, main=ask.main)
    check_wager(state, wager)
    placed, _, follows = make(state, wager)
    placed = with_call(placed, wager)
    note = f"Place {ask.player}'s {show(ask.main)} on box {ask.box}"
    told = (
        _accept(ask, "nz:5.3"),
        Prompted(rule="nz:5.3", what=note),
        *remarks(state, placed, wager),
        *follows,
    )
    return Decision(msgspec.structs.replace(placed, note=note), told)


def _handle(state: TableState, ask: Handle) -> Decision:
    """5.3, nz:5.5 to nz:5.7: nothing is handled from the first card until it is settled."""
    nz = state.play.game.is_nz
    _bet(state, ask.box, ask.player, "nz:5.5(b)" if nz else "5.3")
    if not cards_are_out(state.play):
        return Decision(state, (_accept(ask, "5.2"),))
    # At NZ the whole box is paid first; elsewhere the wager alone must be settled.
    open_ = [
        one
        for one in pending(state.play)
        if one.box == ask.box and one.player == ask.player and one.wager == ask.wager
    ]
    if open_:
        rule = "5.3" if not nz else "nz:5.5(b)" if ask.wager == "main" else "nz:5.6"
        why = f"{ask.player}'s {ask.wager} wager on box {ask.box} is not decided yet"
        raise NotAllowed(rule, f"{why}: nobody handles it")
    if nz and any(one.box == ask.box for one in pending(state.play)):
        raise NotAllowed("nz:5.7", f"wagers on box {ask.box} are still to be paid")
    return Decision(state, (_accept(ask, "nz:5.7" if nz else "5.3"),))
