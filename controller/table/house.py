"""What those who run the table say around the round: its sign, restrictions, reserved boxes."""

import msgspec

from controller.errors import NotAllowed
from controller.game.house import (
    AroundTheRound,
    EndOwnLimits,
    InspectorNotified,
    Lift,
    Release,
    RemoveNotice,
    Reserve,
    Restrict,
    Restriction,
    SeatFound,
    SeatWanted,
    SetLimits,
    SetMostPlayers,
    SetOwnLimits,
    ShowNotice,
)
from controller.game.play import RoundState
from controller.game.wagers import MOST_PLAYERS
from controller.outcomes import Prompted
from controller.table.attendance import attended, missed, notice_is_due
from controller.table.decision import Decision, with_house
from controller.table.limits import own_limits, remove_notice, set_limits, show_notice
from controller.table.misfits import held_against
from controller.table.roles import DUTY_MANAGER, INSPECTOR, need_supervisor
from controller.table.state import TableState
from controller.table.wagering import give_up, who_calls, winnings


def beside(before: TableState, decided: Decision) -> Decision:
    """Add to a decision what it is for the table around the round."""
    after, named = held_against(before, attended(before, decided.state))
    told = (
        *who_calls(before, after),
        *named,
        *winnings(before, after),
        *notice_is_due(before, after),
    )
    return Decision(after, (*decided.outcomes, *told))


def around_the_round(state: TableState, ask: AroundTheRound, by: str, mono: int) -> Decision:
    """Take the word of somebody who runs the table; ``mono`` is when it was said.

    Raises:
        NotAllowed: not by this person, or not now; says who may, or what comes first.
    """
    match ask:
        case SetLimits():
            return set_limits(state, ask, by)
        case ShowNotice():
            return show_notice(state, ask, by, mono)
        case RemoveNotice():
            return remove_notice(state, ask, by)
        case SetOwnLimits() | EndOwnLimits():
            return own_limits(state, ask, by)
        case Restrict():
            return _restrict(state, ask, by)
        case InspectorNotified():
            return _notified(state, ask, by)
        case Lift():
            return _lift(state, ask, by)
        case Reserve() | Release():
            return _reserve(state, ask, by)
        case SetMostPlayers():
            return _most_players(state, ask, by)
        case SeatWanted() | SeatFound():
            return _seat(state, ask)


# --- restricted players ---------------------------------------------------------------------------


def _restrict(state: TableState, ask: Restrict, by: str) -> Decision:
    """5.10 to 5.12, nz:5.8: by whom, and in what case, depends on what to."""
    restriction = _nz(state, ask, by) if state.game.is_nz else _nsw(state, ask, by)
    held = {**state.house.restricted, ask.player: restriction}
    house = msgspec.structs.replace(state.house, restricted=held)
    if restriction.waits:
        what = f"Notify an inspector before {ask.player} is restricted"
    else:
        what = f"Tell {ask.player}: the minimum only, until the reshuffle"
    prompt = Prompted(rule=restriction.rule, what=what)
    return with_house(state, house, ask, restriction.rule, prompt)


def _nsw(state: TableState, ask: Restrict, by: str) -> Restriction:
    rule = {"minimum": "5.10", "further-shoes": "5.11", "one-box": "5.12"}[ask.to]
    if ask.to == "minimum":
        need_supervisor(by, rule, "restricts a player to the minimum")
    elif by != DUTY_MANAGER:
        raise NotAllowed(rule, f"the casino duty manager restricts a player so, not the {by}")
    if ask.to == "one-box":
        return Restriction(to=ask.to, rule=rule, waits=True)
    source = state.devices.get(state.source)
    if source is None or source.role != "shoe":
        raise NotAllowed(rule, "only where a card shoe is in use")
    _missed_a_round(state, ask.player, rule)
    if ask.to == "minimum":
        return Restriction(to=ask.to, rule=rule, shoe=state.ledger.shoe)
    return Restriction(to=ask.to, rule=rule, waits=True)


def _nz(state: TableState, ask: Restrict, by: str) -> Restriction:
    if ask.to != "minimum":
        raise NotAllowed("nz:5.8", "a person is limited to the minimum until the reshuffle only")
    need_supervisor(by, "nz:5.8", "limits a person to the minimum")
    which = _missed_a_round(state, ask.player, "nz:5.8")
    rule = "nz:5.8(a)" if which == "first" else "nz:5.8(b)"
    return Restriction(to=ask.to, rule=rule, shoe=state.ledger.shoe)


def _missed_a_round(state: TableState, player: str, rule: str) -> str:
    which = missed(state, player)
    if not which:
        raise NotAllowed(rule, f"{player} has missed no round of this shoe")
    return which


def _notified(state: TableState, ask: InspectorNotified, by: str) -> Decision:
    """5.11, 5.12: the restriction holds from when an inspector was notified."""
    waiting = state.house.restricted.get(ask.player)
    if waiting is None or not waiting.waits:
        raise NotAllowed("5.11", f"no restriction of {ask.player} waits for an inspector")
    if by not in {DUTY_MANAGER, INSPECTOR}:
        why = f"the casino duty manager or the inspector confirms it, not the {by}"
        raise NotAllowed(waiting.rule, why)
    holds = msgspec.structs.replace(waiting, waits=False)
    house = msgspec.structs.replace(
        state.house, restricted={**state.house.restricted, ask.player: holds}
    )
    to = "one box at the minimum" if holds.to == "one-box" else "the minimum only"
    what = f"Tell {ask.player}: {to}"
    return with_house(state, house, ask, holds.rule, Prompted(rule=holds.rule, what=what))


def _lift(state: TableState, ask: Lift, by: str) -> Decision:
    held = dict(state.house.restricted)
    found = held.pop(ask.player, None)
    if found is None:
        raise NotAllowed(
            "nz:5.8" if state.game.is_nz else "5.10", f"{ask.player} is not restricted"
        )
    if found.rule in {"5.11", "5.12"} and by != DUTY_MANAGER:
        raise NotAllowed(found.rule, f"the casino duty manager lifts it, not the {by}")
    need_supervisor(by, found.rule, "lifts it")
    house = msgspec.structs.replace(state.house, restricted=held)
    what = f"Tell {ask.player}: the table's limits again"
    return with_house(state, house, ask, found.rule, Prompted(rule=found.rule, what=what))


# --- boxes and seats ------------------------------------------------------------------------------


def _reserve(state: TableState, ask: Reserve | Release, by: str) -> Decision:
    """5.13: a casino supervisor keeps boxes for one player alone."""
    need_supervisor(by, "5.13", "reserves boxes")
    reserved = dict(state.house.reserved)
    for number in ask.boxes:
        if number > state.game.boxes:
            raise NotAllowed("5.13", f"there is no box {number} here")
        keeper = reserved.get(number)
        if isinstance(ask, Release):
            if keeper is None:
                raise NotAllowed("5.13", f"box {number} is not reserved")
            del reserved[number]
            continue
        if keeper not in {None, ask.player}:
            raise NotAllowed("5.13", f"box {number} is reserved for {keeper}: release it first")
        _check_nobody_there(state, number, ask.player)
        reserved[number] = ask.player
    house = msgspec.structs.replace(state.house, reserved=tuple(sorted(reserved.items())))
    boxes = ", ".join(map(str, ask.boxes))
    whom = f"for {ask.player} alone" if isinstance(ask, Reserve) else "for everybody again"
    return with_house(state, house, ask, "5.13", Prompted(rule="5.13", what=f"Box {boxes}: {whom}"))


def _check_nobody_there(state: TableState, number: int, keeper: str) -> None:
    box = state.play.box(number)
    if state.play.state is RoundState.WAGERS and box is not None:
        others = [player for player in box.players if player != keeper]
        if others:
            raise NotAllowed("5.13", f"{others[0]} has a wager on box {number}: withdraw it first")


def _most_players(state: TableState, ask: SetMostPlayers, by: str) -> Decision:
    """5.4: a casino supervisor may allow fewer than three players on a box."""
    need_supervisor(by, "5.4", "says how many players wager on a box")
    if ask.box is not None and ask.box > state.game.boxes:
        raise NotAllowed("5.4", f"there is no box {ask.box} here")
    told = dict(state.house.most_players) if ask.box is not None else {}
    told[ask.box or 0] = ask.most
    if told.get(0, MOST_PLAYERS) == MOST_PLAYERS:
        told.pop(0, None)
    house = msgspec.structs.replace(state.house, most_players=tuple(sorted(told.items())))
    where = "on each box" if ask.box is None else f"on box {ask.box}"
    what = f"At most {ask.most} to wager {where}"
    return with_house(state, house, ask, "5.4", Prompted(rule="5.4", what=what))


def _seat(state: TableState, ask: SeatWanted | SeatFound) -> Decision:
    """5.8: who plays several boxes gives one up when another finds no seat."""
    waiting = state.house.seats_wanted
    if isinstance(ask, SeatFound):
        if ask.player not in waiting:
            raise NotAllowed("5.8", f"{ask.player} does not wait for a seat")
        left = tuple(one for one in waiting if one != ask.player)
        return with_house(
            state, msgspec.structs.replace(state.house, seats_wanted=left), ask, "5.8"
        )
    if ask.player in waiting:
        raise NotAllowed("5.8", f"{ask.player} waits for a seat already")
    house = msgspec.structs.replace(state.house, seats_wanted=(*waiting, ask.player))
    wanted = msgspec.structs.replace(state, house=house)
    prompts = [one for player in state.play.listed for one in give_up(wanted, player)]
    return with_house(state, house, ask, "5.8", *prompts)
