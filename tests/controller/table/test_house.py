"""The table around the round survives a restart, and is on the screen."""

import io
from collections.abc import Iterable

import msgspec
from rich.console import Console

from controller.console.screen import screen
from controller.eventlog.memory import MemoryLog
from controller.events import (
    AnyEvent,
    ConfirmLayout,
)
from controller.game.house import (
    InspectorNotified,
    Reserve,
    Restrict,
    SeatWanted,
    SetLimits,
    SetMostPlayers,
    SetOwnLimits,
    ShowNotice,
)
from controller.table.owner import Table
from controller.table.resume import resume
from controller.table.view import view
from tests.controller.table.around import (
    DUTY_MANAGER,
    INSPECTOR,
    at,
    play_round,
)
from tests.controller.table.tale import BLACKJACK, Tale, refused, started


def taken(events: Iterable[AnyEvent]) -> tuple[MemoryLog, Table]:
    log = MemoryLog()
    table = Table(log, lambda: "2026-05-09T07:35:25.123456Z")
    for event in events:
        table.take(event)
    return log, table


def whole_story() -> Tale:
    """Return a table to which nearly everything was said, a round after it."""
    tale = Tale()
    at(tale, 1, SetLimits(200, 50_000, 100))
    at(tale, 2, ShowNotice(1000))
    at(tale, 3, SetOwnLimits("ann", 5000, 500_000))
    at(tale, 4, Reserve("ann", (3, 4)))
    at(tale, 5, SetMostPlayers(2, 5))
    at(tale, 5, SetMostPlayers(2))
    at(tale, 6, SeatWanted("eve"))
    play_round(tale, "ann", "bob")
    at(tale, 8, Restrict("cam", "minimum"))
    at(tale, 8, Restrict("dan", "further-shoes"), DUTY_MANAGER)
    at(tale, 9, Restrict("fay", "one-box"), DUTY_MANAGER)
    at(tale, 9, InspectorNotified("fay"), INSPECTOR)
    return tale


def test_5_6_all_of_it_survives_a_restart_in_the_log_and_in_an_opening_row() -> None:
    """Limits (6.1, 6.3, 6.4), restrictions (5.10, 5.11, 5.12), boxes (5.4, 5.13), seats (5.8)."""
    tale = whole_story()
    log, table = taken(tale.events)
    assert resume(log) == table.state
    assert resume(log) == tale.state
    play_round(tale, "ann", "bob")
    log, table = taken(tale.events)
    back = resume(log)
    assert back == tale.state
    assert back is not None
    seen = view(back)
    assert seen["limits"] == {"minimum": 200, "maximum": 50_000, "unit": 100}
    assert seen["house"]["notice"] == {"minimum": 1000, "minutes_left": 13}
    assert set(seen["house"]["restricted"]) == {"cam", "dan", "fay"}
    assert seen["house"]["words"] == [
        "notice: minimum $10 in 13 minutes (6.3)",
        "ann: $50 to $5,000 (6.4)",
        "cam: the minimum (5.10)",
        "dan: the minimum, once an inspector was notified (5.11)",
        "fay: one box at the minimum (5.12)",
        "box 3 is reserved for ann (5.13)",
        "box 4 is reserved for ann (5.13)",
        "each box: at most 2 to wager (5.4)",
        "eve finds no seat (5.8)",
    ]


def test_5_10_5_13_6_4_it_is_all_on_the_screen() -> None:
    out = io.StringIO()
    seen = {**view(whole_story().state), "table": "Test 1", "trouble": ""}
    Console(file=out, width=120, color_system=None).print(screen(seen))
    for line in seen["house"]["words"]:
        assert line in out.getvalue()


def test_5_10_5_13_after_a_restart_it_is_refused_as_before() -> None:
    tale = whole_story()
    tale.take(started(BLACKJACK))
    for name in ("shoe", "pedal", "keys"):
        tale.take(msgspec.structs.replace(tale.events[1], device=name))
    tale.ask(ConfirmLayout())
    assert refused(tale.wager(1, "cam", 1000)) == "5.10"
    assert refused(tale.wager(3, "cam", 200)) == "5.13"
    assert refused(tale.wager(1, "fay", 300)) == "5.12"
    assert refused(tale.wager(1, "cam", 200)) == ""
