"""Cards that do not add up: each is an alarm that a named role must answer (3.1, 3.4, nz:3.4)."""

from controller.cards import Card
from controller.events import (
    AnswerAlarm,
    CardOut,
    DeviceLost,
    DeviceOnline,
    DeviceReports,
    EndRound,
    NewShoe,
    Use,
)
from controller.game.moves import Cleared
from controller.game.options import build
from controller.table.state import cards_in_pack
from controller.table.view import view
from tests.controller.table.fitted import fitted
from tests.controller.table.tale import Tale

GAME = build("pontoon-nsw", {})
WHOLE = cards_in_pack(GAME)
DEVICES = {"shoe": "shoe", "shuffler-1": "shuffler", "shuffler-2": "shuffler", "pedal": "pedal"}


def table() -> Tale:
    tale = fitted(DEVICES, GAME)
    tale.ask(Use("shuffler-1"))
    return tale


def reports(tale: Tale, state: str, inside: int, colour: str = "") -> tuple[str, ...]:
    tale.take(DeviceReports(device="shuffler-1", state=state, cards_inside=inside, colour=colour))
    return tale.state.alarms


def test_3_1_a_wrong_count_between_rounds_is_an_alarm_until_a_supervisor_answers() -> None:
    tale = table()
    (alarm,) = reports(tale, "count-mismatch", WHOLE - 1)
    assert "number of cards" in alarm
    tale.ask(AnswerAlarm("looked"), by="dealer")
    assert tale.state.alarms == (alarm,)
    tale.ask(AnswerAlarm("one card lay in the well"), by="game-supervisor")
    assert tale.state.alarms == ()


def test_3_1_a_wrong_count_is_told_once() -> None:
    tale = table()
    reports(tale, "count-mismatch", WHOLE - 1)
    assert len(reports(tale, "count-mismatch", WHOLE - 1)) == 1


def test_17_1_in_a_round_the_procedure_looks_into_a_wrong_count() -> None:
    tale = table()
    for card in ("2C", "7S"):  # the burn card, and the round's first
        tale.wager(1)
        tale.take(CardOut(device="shuffler-1", card=Card(card)))
    assert reports(tale, "count-mismatch", WHOLE - 3) == ()
    assert tale.state.malfunction is not None


def test_3_1_a_device_that_goes_away_with_cards_inside_is_an_alarm() -> None:
    tale = table()
    reports(tale, "ready", WHOLE)
    tale.take(DeviceLost(device="shuffler-1", why="unplugged"))
    (alarm,) = tale.state.alarms
    assert f"{WHOLE} cards inside" in alarm


def test_an_empty_device_may_go() -> None:
    tale = table()
    reports(tale, "idle", 0)
    tale.take(DeviceLost(device="shuffler-1", why="unplugged"))
    tale.take(DeviceOnline(device="shuffler-1", port="p"))
    assert tale.state.alarms == ()


def test_nz_3_4_the_other_colour_is_an_alarm() -> None:
    tale = table()
    tale.ask(NewShoe("blue"))
    assert reports(tale, "ready", WHOLE, "blue") == ()
    (alarm,) = reports(tale, "ready", WHOLE, "red")
    assert "red" in alarm
    assert "blue" in alarm


def test_the_rounds_since_the_last_good_count_are_known() -> None:
    tale = table()
    reports(tale, "ready", WHOLE)
    assert view(tale.state)["shoe"]["rounds_since_count"] == 0
    for _ in range(2):
        tale.wager(1)
        tale.ask(EndRound(), by="game-supervisor")
        tale.ask(Cleared())
    assert view(tale.state)["shoe"]["rounds_since_count"] == 2
    reports(tale, "ready", WHOLE - 1)
    assert view(tale.state)["shoe"]["rounds_since_count"] == 2, "one is missing"
    reports(tale, "ready", WHOLE)
    assert view(tale.state)["shoe"]["rounds_since_count"] == 0
