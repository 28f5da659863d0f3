"""A prize is drawn once, stored before it is shown, and stays what it is (18.14.6)."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import pytest

from controller.cards import Card
from controller.clock import utc_now
from controller.eventlog.log import Log
from controller.eventlog.row import as_json_line
from controller.eventlog.store import EventLog
from controller.events import (
    Amend,
    AnyEvent,
    Asked,
    CardOut,
    ChanceGiven,
    ConfirmLayout,
    EndRound,
    TakeBack,
)
from controller.game.moves import NoMoreBets, PressJackpot, Stand, Wager
from controller.game.options import build
from controller.game.prizes import BYTES, PRIZES, draw
from controller.outcomes import DrawDue, Drawn, Flagged
from controller.table.owner import Table
from controller.table.prizes import chance_for, draws_due
from controller.table.view import view
from tests.controller.table.fitted import PLAIN, coming_up, restarted
from tests.controller.table.tale import PONTOON, SUPERVISOR, Tale, cards, kinds, refused

GAME: Final = build("pontoon-nsw", {"prizes": {str(one): int(one < 50) for one in PRIZES}})
"""Five small prizes, each as often as the others."""

LOW: Final = bytes(BYTES).hex()
NONE: Final = "ff" * BYTES
"""Every number lies beyond the last whole round of the weights."""


def won(*others: tuple[int, str]) -> Tale:
    """Return a table where ann (and others) has pontoon with $5 on Pandemonium."""
    tale = Tale(GAME)
    seats = [(1, "ann"), *others]
    for box, player in seats:
        tale.ask(Wager(box=box, player=player, main=1000, pandemonium=500))
    tale.ask(NoMoreBets())
    tale.deal(" ".join(["AS"] * len(seats) + ["7D"] + ["KS"] * len(seats)))
    return tale


def drawn() -> Tale:
    """Return the table after the prize of box 1 was drawn: $25 for each dollar."""
    tale = won()
    tale.ask(PressJackpot(1))
    tale.take(ChanceGiven(box=1, bytes=LOW))
    assert view(tale.state)["boxes"][0]["prize"] == 25
    return tale


def due(tale: Tale) -> list[int]:
    """Return the boxes for which a prize is still to be drawn."""
    return [one.box for one in draws_due(tale.state)]


def prizes(tale: Tale) -> list[int]:
    """Return every prize that was ever drawn at the table."""
    return [one.prize for one in tale.outcomes if isinstance(one, Drawn)]


def test_the_press_makes_a_draw_due_and_chance_settles_it() -> None:
    tale = won()
    assert due(tale) == []
    pressed = tale.ask(PressJackpot(1))
    assert [one for one in pressed.outcomes if isinstance(one, DrawDue)] == [DrawDue(box=1)]
    assert due(tale) == [1]
    told = tale.take(ChanceGiven(box=1, bytes=LOW))
    assert kinds(told)[0] == "Drawn"
    assert due(tale) == []
    (row,) = [one for one in view(tale.state)["settlements"] if one["wager"] == "pandemonium"]
    assert (row["pays"], row["returns"], row["rule"]) == (12_500, 500, "18.14.4")


def test_18_14_6_chance_is_of_the_operating_system_and_enough_for_a_draw() -> None:
    told = [DrawDue(box=3), Flagged(rule="", what="")] * 64
    given = [*chance_for(told)]
    assert {one.box for one in given} == {3}
    assert len({one.bytes for one in given}) == len(given) == 64
    assert {len(bytes.fromhex(one.bytes)) for one in given} == {BYTES}


def test_18_14_6_bytes_that_draw_nothing_ask_for_others() -> None:
    tale = won()
    tale.ask(PressJackpot(1))
    again = tale.take(ChanceGiven(box=1, bytes=NONE))
    assert again.outcomes == (DrawDue(box=1),)
    assert (due(tale), prizes(tale)) == ([1], [])
    tale.take(ChanceGiven(box=1, bytes=LOW))
    assert prizes(tale) == [25]


# --- once and never again -------------------------------------------------------------------------


def press(tale: Tale) -> None:
    """Press the button again: a bounce, or a second press."""
    assert refused(tale.ask(PressJackpot(1))) == "18.14.6"


def more_chance(tale: Tale) -> None:
    """Give chance that nobody asked for."""
    told = tale.take(ChanceGiven(box=1, bytes="00" * 7 + "01" + "00" * (BYTES - 8)))
    assert [one.rule for one in told.outcomes if isinstance(one, Flagged)] == ["18.14.6"]


def power_cut(tale: Tale) -> None:
    """Start the controller again."""
    told = tale.take(restarted(GAME, PLAIN))
    assert not [one for one in told.outcomes if isinstance(one, DrawDue)]
    tale.ask(ConfirmLayout())


def undo(tale: Tale) -> None:
    """Take back the last step."""
    assert refused(tale.ask(TakeBack(), SUPERVISOR)) == "18.14.6"


def amend_away_and_back(tale: Tale) -> None:
    """Say that the ace was a nine, and then that it was an ace after all."""
    for face in ("9S", "AS"):
        told = tale.ask(Amend(1, Card(face)), SUPERVISOR)
        assert not refused(told)
        assert not [one for one in told.outcomes if isinstance(one, DrawDue)]


def amend_away_and_back_by_a_stand(tale: Tale) -> None:
    """Say that the ace was a nine, let the hand stand, take that back, and put it right."""
    tale.ask(Amend(1, Card("9S")), SUPERVISOR)
    tale.ask(Stand())
    tale.ask(TakeBack(), SUPERVISOR)
    tale.ask(Amend(1, Card("AS")), SUPERVISOR)


@pytest.mark.parametrize(
    "what",
    [press, more_chance, power_cut, undo, amend_away_and_back, amend_away_and_back_by_a_stand],
)
def test_18_14_6_nothing_draws_a_second_time(what: Callable[[Tale], None]) -> None:
    tale = drawn()
    what(tale)
    assert due(tale) == []
    assert prizes(tale) == [25]
    assert view(tale.state)["boxes"][0]["prize"] == 25
    press(tale)


def test_18_14_6_while_the_ace_is_a_nine_no_prize_is_won() -> None:
    tale = drawn()
    tale.ask(Amend(1, Card("9S")), SUPERVISOR)
    rows = {one["wager"]: one["result"] for one in view(tale.state)["settlements"]}
    assert rows["pandemonium"] == "lose"
    assert refused(tale.ask(PressJackpot(1)))


def test_18_14_6_a_power_cut_between_press_and_draw_draws_then() -> None:
    tale = won()
    tale.ask(PressJackpot(1))
    told = tale.take(restarted(GAME, PLAIN))
    assert [one for one in told.outcomes if isinstance(one, DrawDue)] == [DrawDue(box=1)]


def test_18_14_6_each_box_has_its_own_draw() -> None:
    tale = won((3, "bob"))
    tale.ask(PressJackpot(3))
    tale.ask(PressJackpot(1))
    assert due(tale) == [1, 3]
    tale.take(ChanceGiven(box=3, bytes=LOW))
    assert due(tale) == [1]
    tale.take(ChanceGiven(box=1, bytes="00" * 7 + "01" + "00" * (BYTES - 8)))
    assert [one["prize"] for one in view(tale.state)["boxes"]] == [20, 25]


def test_18_14_5_without_a_win_there_is_nothing_to_press_for() -> None:
    tale = Tale(GAME)
    tale.wager()
    tale.pedal()
    tale.deal("AS 7D KS")
    assert refused(tale.ask(PressJackpot(1))) == "18.14.5"
    assert refused(tale.ask(PressJackpot(2))) == "18.14.6"


def test_18_14_6_without_prizes_in_the_configuration_no_button_may_be_pressed() -> None:
    tale = Tale(PONTOON)
    tale.ask(Wager(box=1, player="ann", main=1000, pandemonium=500))
    tale.deal("AS 7D KS")
    assert refused(tale.ask(PressJackpot(1))) == "18.14.6"


def test_16_6_a_prize_that_was_drawn_stands_when_the_round_is_void() -> None:
    tale = drawn()
    tale.ask(EndRound(), SUPERVISOR)
    (row,) = [one for one in view(tale.state)["settlements"] if one["wager"] == "pandemonium"]
    assert (row["result"], row["pays"]) == ("win", 12_500)


# --- the log --------------------------------------------------------------------------------------


def played(log: Log) -> Table:
    """Play a round with three jackpots on a table that draws by real chance."""
    seats = ((1, "ann"), (2, "bob"), (3, "cam"))
    events: list[AnyEvent] = [*coming_up(GAME, PLAIN)]
    events += [
        Asked(ask=Wager(box=box, player=player, main=1000, pandemonium=500))
        for box, player in seats
    ]
    dealt = cards("AS AS AS 7D KS KS KS")
    events += [CardOut(device="shoe", card=card) for card in dealt]
    events += [Asked(ask=PressJackpot(box)) for box, _ in seats]
    table = Table(log, utc_now)
    for event in events:
        for chance in chance_for(table.take(event).outcomes):
            table.take(chance)
    return table


def test_18_14_6_every_draw_can_be_derived_again_from_the_logs_bytes(tmp_path: Path) -> None:
    with contextlib.closing(EventLog.open(tmp_path / "log")) as log:
        table = played(log)
    assert table.state is not None
    with contextlib.closing(EventLog.open(tmp_path / "log")) as log:
        told = [msgspec.json.decode(as_json_line(row)) for row in log.rows()]
    given = [row["body"] for row in told if row["kind"] == "chance"]
    seen = [row["body"] for row in told if row["kind"] == "drawn"]
    assert [one["box"] for one in seen] == [1, 2, 3]
    derived = [draw(GAME.prizes, bytes.fromhex(one["bytes"])) for one in given]
    assert derived == [one["prize"] for one in seen]
    assert derived == [box.prize for box in table.state.play.boxes]
