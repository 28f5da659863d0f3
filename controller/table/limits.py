"""The limits on the table's sign, the notice of a higher minimum, players' own limits (6)."""

from typing import Final

import msgspec

from controller.errors import NotAllowed
from controller.game.house import (
    EndOwnLimits,
    Limits,
    Notice,
    RemoveNotice,
    SetLimits,
    SetOwnLimits,
    ShowNotice,
)
from controller.game.options import Game
from controller.money import show
from controller.outcomes import Flagged, Outcome, Prompted
from controller.table.attendance import NOTICE_MS
from controller.table.decision import Decision, with_house
from controller.table.roles import need_supervisor
from controller.table.state import TableState
from controller.table.wagering import limits_of

_MINUTE: Final = 60_000


def new_sign(state: TableState, game: Game) -> Decision:
    """Take the limits of the configuration where it has changed them: it is the later word.

    A higher minimum is flagged: nobody knows here how long its notice stood (6.3).
    """
    if (game.minimum, game.maximum) == (state.game.minimum, state.game.maximum):
        return Decision(state, ())
    old = limits_of(state).minimum
    told: list[Outcome] = []
    if game.minimum > old:
        what = f"the configuration raised the minimum from {show(old)} to {show(game.minimum)}"
        told.append(Flagged(rule="6.3", what=what))
    house = msgspec.structs.replace(state.house, limits=None, notice=None)
    return Decision(msgspec.structs.replace(state, house=house), tuple(told))


def set_limits(state: TableState, ask: SetLimits, by: str) -> Decision:
    """6.1, 6.3: limits change at any time, a higher minimum 20 minutes after its notice."""
    need_supervisor(by, "6.3", "alters the limits")
    _in_order(ask.minimum, ask.maximum, "6.1")
    limits = Limits(minimum=ask.minimum, maximum=ask.maximum, unit=ask.unit)
    now = limits_of(state)
    if limits == now:
        raise NotAllowed("6.3", "these are the limits now")
    house = msgspec.structs.replace(state.house, limits=limits)
    if ask.minimum > now.minimum:
        _check_notice(state.house.notice, ask.minimum)
    if house.notice is not None and house.notice.minimum <= ask.minimum:
        house = msgspec.structs.replace(house, notice=None)
    sign = f"Show {show(ask.minimum)} to {show(ask.maximum)} on the sign"
    if ask.unit:
        sign += f", in steps of {show(ask.unit)}"
    return with_house(state, house, ask, "6.3", Prompted(rule="6.1", what=sign))


def _in_order(minimum: int, maximum: int, rule: str) -> None:
    if minimum > maximum:
        raise NotAllowed(rule, f"the minimum of {show(minimum)} is above {show(maximum)}")


def _check_notice(notice: Notice | None, minimum: int) -> None:
    if notice is None or notice.minimum != minimum:
        why = f"display a notice of the minimum of {show(minimum)} 20 minutes before"
        raise NotAllowed("6.3", why)
    if notice.shown < NOTICE_MS:
        left = -(-(NOTICE_MS - notice.shown) // _MINUTE)
        why = f"the notice of {show(minimum)} has stood for {notice.shown // _MINUTE} minutes"
        raise NotAllowed("6.3", f"{why}: {left} more")


def show_notice(state: TableState, ask: ShowNotice, by: str, mono: int) -> Decision:
    """6.3: a higher minimum is announced; the notice counts from ``mono``, when it was said."""
    need_supervisor(by, "6.3", "gives notice of a higher minimum")
    now = limits_of(state)
    if ask.minimum <= now.minimum:
        why = f"{show(ask.minimum)} is not above {show(now.minimum)}: it needs no notice"
        raise NotAllowed("6.3", why)
    stands = state.house.notice
    if stands is not None and stands.minimum == ask.minimum:
        raise NotAllowed("6.3", f"the notice of {show(ask.minimum)} is displayed already")
    notice = Notice(minimum=ask.minimum, shown=0, counted_at=mono)
    house = msgspec.structs.replace(state.house, notice=notice)
    what = f"Display the notice: the minimum is {show(ask.minimum)} in 20 minutes"
    return with_house(state, house, ask, "6.3", Prompted(rule="6.3", what=what))


def remove_notice(state: TableState, ask: RemoveNotice, by: str) -> Decision:
    """6.3: the announced minimum is given up."""
    need_supervisor(by, "6.3", "takes a notice away")
    if state.house.notice is None:
        raise NotAllowed("6.3", "no notice is displayed")
    house = msgspec.structs.replace(state.house, notice=None)
    return with_house(state, house, ask, "6.3", Prompted(rule="6.3", what="Take the notice away"))


def own_limits(state: TableState, ask: SetOwnLimits | EndOwnLimits, by: str) -> Decision:
    """6.4: above the table's maximum, with a sign of their own."""
    need_supervisor(by, "6.4", "gives a player limits of their own")
    player = ask.player
    own = dict(state.house.own_limits)
    if isinstance(ask, EndOwnLimits):
        if own.pop(player, None) is None:
            raise NotAllowed("6.4", f"{player} has no limits of their own")
        what = f"Take {player}'s own sign away"
    else:
        _in_order(ask.minimum, ask.maximum, "6.4")
        most = limits_of(state).maximum
        if ask.maximum <= most:
            why = f"{show(ask.maximum)} is not above the table's maximum of {show(most)}"
            raise NotAllowed("6.4", why)
        own[player] = Limits(minimum=ask.minimum, maximum=ask.maximum)
        amounts = f"{show(ask.minimum)} to {show(ask.maximum)}"
        what = f"Place a sign for {player}: {amounts}"
    house = msgspec.structs.replace(state.house, own_limits=own)
    return with_house(state, house, ask, "6.4", Prompted(rule="6.4", what=what))
