"""What may be seen of the table around the round, and what it has the dealer do."""

from typing import Any

import msgspec

from controller.game.house import Restriction
from controller.money import show
from controller.table.attendance import NOTICE_MS
from controller.table.misfits import misfits_named
from controller.table.state import TableState
from controller.table.wagering import most_players, restriction_of

_MINUTE = 60_000


def house_view(state: TableState) -> dict[str, Any]:
    """Return limits of players, restrictions, reserved boxes, the notice and who wants a seat."""
    house = state.house
    return {
        "notice": _notice(state),
        "own_limits": {name: msgspec.structs.asdict(one) for name, one in house.own_limits.items()},
        "restricted": {
            name: {"to": one.to, "rule": one.rule, "waits": one.waits}
            for name, one in _held(state).items()
        },
        "reserved": {str(box): player for box, player in house.reserved},
        "most_players": {
            str(box): most
            for box in range(1, state.game.boxes + 1)
            if (most := most_players(state, box)) is not None
        },
        "seats_wanted": list(house.seats_wanted),
        "words": _words(state),
    }


def due_words(state: TableState) -> list[str]:
    """Return what somebody has to do before the wagers go on (5.8, 5.11, 5.12, 6.2, 6.3)."""
    house = state.house
    lines = misfits_named(state)
    lines += [
        f"Notify an inspector before {name} is restricted"
        for name, one in house.restricted.items()
        if one.waits
    ]
    notice = house.notice
    if notice is not None and notice.shown >= NOTICE_MS:
        lines.append(f"The minimum may be {show(notice.minimum)} now")
    return lines


def _notice(state: TableState) -> dict[str, Any] | None:
    notice = state.house.notice
    if notice is None:
        return None
    left = max(0, NOTICE_MS - notice.shown)
    return {"minimum": notice.minimum, "minutes_left": -(-left // _MINUTE)}


def _held(state: TableState) -> dict[str, Restriction]:
    """Return the restrictions that hold in this shoe, or wait for the inspector."""
    told = state.house.restricted.items()
    return {name: one for name, one in told if one.waits or restriction_of(state, name)}


def _words(state: TableState) -> list[str]:
    """Return one line each for the screen."""
    house = state.house
    lines = []
    if notice := _notice(state):
        left = notice["minutes_left"]
        when = f"in {left} minutes" if left else "may be in force now"
        lines.append(f"notice: minimum {show(notice['minimum'])} {when} (6.3)")
    for name, own in house.own_limits.items():
        lines.append(f"{name}: {show(own.minimum)} to {show(own.maximum)} (6.4)")
    for name, one in _held(state).items():
        to = "one box at the minimum" if one.to == "one-box" else "the minimum"
        when = ", once an inspector was notified" if one.waits else ""
        lines.append(f"{name}: {to}{when} ({one.rule})")
    for box, player in house.reserved:
        lines.append(f"box {box} is reserved for {player} (5.13)")
    for box, most in house.most_players:
        where = f"box {box}" if box else "each box"
        lines.append(f"{where}: at most {most} to wager (5.4)")
    lines += [f"{name} finds no seat (5.8)" for name in house.seats_wanted]
    return lines
