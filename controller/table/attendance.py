"""Who has wagered in which rounds of the shoe, and how long a notice has been displayed.

Both are kept as events come, so that a restriction and a higher minimum can be judged later.
"""

from typing import Final

import msgspec

from controller.events import AnyEvent, Started
from controller.game.house import Attendance, Notice
from controller.game.wagers import cards_are_out
from controller.money import show
from controller.outcomes import Outcome, Prompted
from controller.table.state import TableState

NOTICE_MS: Final = 20 * 60 * 1000
"""For so long a higher minimum is displayed before it is in force (6.3)."""


# --- the notice -----------------------------------------------------------------------------------


def clocked(state: TableState, event: AnyEvent) -> TableState:
    """Count the time of the event into what is certain of the notice (6.3).

    The clock counts from the machine's start.  After another start nobody knows how long the
    machine was off: its own time since then is added to what was counted before.
    """
    house = state.house
    boot = event.boot if isinstance(event, Started) else house.boot
    if house.notice is not None:
        since = house.notice.counted_at if boot == house.boot else 0
        passed = max(0, event.mono - since)
        notice = Notice(
            minimum=house.notice.minimum,
            shown=house.notice.shown + passed,
            counted_at=since + passed,
        )
        house = msgspec.structs.replace(house, notice=notice)
    if boot == house.boot and house is state.house:
        return state
    return msgspec.structs.replace(state, house=msgspec.structs.replace(house, boot=boot))


def notice_is_due(before: TableState, after: TableState) -> list[Outcome]:
    """Prompt once that the minimum of the notice may come into force now (6.3)."""
    was, now = before.house.notice, after.house.notice
    if was is None or now is None or was.minimum != now.minimum:
        return []
    if not was.shown < NOTICE_MS <= now.shown:
        return []
    what = f"The notice has stood for 20 minutes: the minimum may be {show(now.minimum)} now"
    return [Prompted(rule="6.3", what=what)]


# --- attendance -----------------------------------------------------------------------------------


def attended(before: TableState, after: TableState) -> TableState:
    """Note who wagers in the round whose first card has just been dealt."""
    if cards_are_out(before.play) or not cards_are_out(after.play):
        return after
    kept = _next_round(after)
    present = tuple(after.play.listed)
    kept = msgspec.structs.replace(kept, players=present)
    if kept.rounds == 0:
        kept = msgspec.structs.replace(kept, first=present)
    house = msgspec.structs.replace(after.house, attendance=kept)
    return msgspec.structs.replace(after, house=house)


def _next_round(state: TableState) -> Attendance:
    kept = state.house.attendance
    if kept.latest == state.round:
        return kept  # the first card was taken back and is dealt again
    if kept.shoe != state.ledger.shoe:
        return Attendance(shoe=state.ledger.shoe, latest=state.round)
    counts = {**kept.counts}
    for player in kept.players:
        counts[player] = counts.get(player, 0) + 1
    return msgspec.structs.replace(
        kept, rounds=kept.rounds + (kept.latest > 0), counts=counts, latest=state.round
    )


def missed(state: TableState, player: str) -> str:
    """Return which round of the shoe the player did not wager in: ``first``, ``later``, or none.

    The round whose wagers are open is nobody's miss yet.
    """
    kept = state.house.attendance
    if kept.shoe != state.ledger.shoe or not kept.latest:
        return ""
    if player not in kept.first:
        return "first"
    rounds = kept.counts.get(player, 0) + (player in kept.players)
    return "later" if rounds < kept.rounds + 1 else ""
