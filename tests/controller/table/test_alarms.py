"""Alarms of one cause are one alarm with a count; one answer is for all of it (3.1, 3.3)."""

from collections.abc import Callable
from typing import Final

import msgspec
import pytest

from controller.cards import Card
from controller.eventlog.memory import MemoryLog
from controller.events import (
    AnswerAlarm,
    Asked,
    CardOut,
    ClockStepped,
    CopyLost,
    DeviceLost,
    DeviceOnline,
    DeviceReports,
    NewShoe,
    Recovered,
    Use,
)
from controller.game.moves import Wager
from controller.game.options import build
from controller.outcomes import Accepted, Alarm, AlarmAnswered
from controller.service.control import exposed
from controller.table.alarms import is_told
from controller.table.decide import decide
from controller.table.owner import Table
from controller.table.recovery import recovered
from controller.table.redecide import decide_again
from controller.table.resume import resume
from controller.table.roles import ROLES, SUPERVISORS, WHO_ANSWERS
from controller.table.state import Ledger, TableState
from controller.table.view import is_complete, view
from tests.controller.table.fitted import coming_up, fitted
from tests.controller.table.tale import PONTOON, SUPERVISOR, Tale, dealt, opening, refused

SMALL: Final = build("blackjack-nsw", {"decks": 3})
AT: Final = "2026-05-09T07:35:25.123456Z"


def fives(times: int) -> Tale:
    """Return a table from whose three decks the five of spades came so often more than three."""
    tale = Tale(SMALL)
    tale.deal(" ".join(["5S"] * (3 + times)))
    return tale


def told(tale: Tale) -> list[int]:
    """Return with which count alarms were told."""
    return [one.times for one in tale.outcomes if isinstance(one, Alarm)]


def answer(tale: Tale, by: str = SUPERVISOR) -> None:
    tale.ask(AnswerAlarm("looked into it"), by)


# --- one cause ------------------------------------------------------------------------------------


def test_3_1_one_card_too_many_after_the_other_is_one_alarm_with_the_latest_words() -> None:
    tale = fives(3)
    assert tale.state.alarms == (
        "5S came out 6 times since the shuffle: the pack holds 3 (3 times)",
    )
    assert view(tale.state)["alarms"] == list(tale.state.alarms)
    assert told(tale) == [1, 2, 3]


def test_3_1_other_cards_are_other_alarms_and_each_keeps_its_place() -> None:
    tale = fives(1)
    tale.deal("6S 6S 6S 6S 5S")
    assert tale.state.alarms == (
        "5S came out 5 times since the shuffle: the pack holds 3 (2 times)",
        "6S came out 4 times since the shuffle: the pack holds 3",
    )


def test_3_3_one_answer_is_for_all_of_it_and_what_comes_then_is_new() -> None:
    tale = fives(3)
    answered = tale.ask(AnswerAlarm("a deck of the other table"), SUPERVISOR)
    assert tale.state.alarms == ()
    accepted, ended = answered.outcomes
    assert isinstance(accepted, Accepted)
    assert ended == AlarmAnswered(
        what="5S came out 6 times since the shuffle: the pack holds 3", cause="card 5S", times=3
    )
    tale.deal("5S")
    assert tale.state.alarms == ("5S came out 7 times since the shuffle: the pack holds 3",)
    assert told(tale) == [1, 2, 3, 1]


ROLES_HERE: Final = {"shoe": "shoe", "shuffler-1": "shuffler", "shuffler-2": "shuffler"}


def _count(tale: Tale, n: int) -> None:
    report = DeviceReports(device="shuffler-1", state="count-mismatch", cards_inside=n)
    tale.take(report)
    tale.take(msgspec.structs.replace(report, state="jam"))


def _gone(tale: Tale, n: int) -> None:
    tale.take(DeviceOnline(device="shuffler-1", port="p"))
    tale.take(DeviceReports(device="shuffler-1", state="jam", cards_inside=n + 1))
    tale.take(DeviceLost(device="shuffler-1", why="a loose plug"))


def _wrong_set(tale: Tale, n: int) -> None:
    tale.ask(NewShoe(f"red-{n}"))
    tale.take(DeviceReports(device="shuffler-1", state="jam", colour=f"red-{n}"))
    tale.take(DeviceReports(device="shuffler-1", state="jam", colour="blue"))


def _burn(tale: Tale, _n: int) -> None:
    tale.ask(NewShoe())
    tale.take(CardOut(device="shuffler-1", card=Card("TS")))


CAUSES: Final[dict[str, Callable[[Tale, int], object]]] = {
    "second copy": lambda tale, n: tale.take(CopyLost(folder="/mnt", why=f"gone, {n}")),
    "clock": lambda tale, n: tale.take(
        ClockStepped(
            by=86_400_000 + n, within=1000, before=AT, after=AT, at=5, behind=0
        )
    ),
    "count shuffler-1": _count,
    "gone shuffler-1": _gone,
    "set shuffler-1": _wrong_set,
    "burn card": _burn,
    "card TS": lambda tale, _: tale.take(CardOut(device="shuffler-1", card=Card("TS"))),
}  # fmt: skip


@pytest.mark.parametrize("cause", CAUSES)
def test_whatever_it_is_about_it_is_one_alarm_however_often_it_comes(cause: str) -> None:
    tale = fitted(ROLES_HERE, PONTOON)
    tale.ask(Use("shuffler-1"))
    if not cause.startswith("burn"):
        tale.take(CardOut(device="shuffler-1", card=Card("2C")))
    for n in range(25):
        CAUSES[cause](tale, n)
    (standing,) = [one for one in tale.state.standing if not isinstance(one, str)]
    assert (standing.cause, standing.times) == (cause, 25)
    assert tale.state.alarms[0].endswith(" (25 times)")
    last = [one for one in tale.outcomes if isinstance(one, Alarm)][-1]
    assert (last.times, told(tale)) == (20, [*range(1, 11), 20])
    answer(tale)
    assert tale.state.alarms == ()


def test_the_round_is_not_complete_while_an_alarm_stands() -> None:
    tale = dealt("TS 9D 9S", PONTOON)
    tale.pedal()
    tale.deal("KD")
    assert not is_complete(view(tale.state))
    answer(tale)
    assert is_complete(view(tale.state))


def test_of_many_only_round_numbers_are_told() -> None:
    assert [n for n in range(1, 3001) if is_told(n)] == [
        *range(1, 10), *range(10, 100, 10), *range(100, 1000, 100), 1000, 2000, 3000,
    ]  # fmt: skip


# --- in the log -----------------------------------------------------------------------------------


def test_the_count_is_in_the_rows_and_in_the_state_that_a_start_reads() -> None:
    log = MemoryLog()
    table = Table(log, lambda: AT)
    for event in opening(SMALL):
        table.take(event)
    for _ in range(3 + 12):
        table.take(CardOut(device="shoe", card=Card("5S")))
    rows = [msgspec.json.decode(row.body) for row in log.rows() if row.kind == "alarm"]
    assert [row.get("times", 1) for row in rows] == [*range(1, 11)]
    assert {row["cause"] for row in rows} == {"card 5S"}
    assert resume(log) == table.state
    table.take(Asked(ask=AnswerAlarm("counted"), by=SUPERVISOR))
    (ended,) = [msgspec.json.decode(row.body) for row in log.rows() if row.kind == "alarm-answered"]
    assert ended["times"] == 12
    assert decide_again(log.rows()).differences == ()


def test_the_state_of_an_older_version_holds_mere_words() -> None:
    tale = fives(1)
    plain = msgspec.to_builtins(tale.state, str_keys=True)
    old = {**plain, "alarms": ("TS is not in this pack", "the clock went back")}
    state = msgspec.convert(old, TableState)
    assert state.alarms == ("TS is not in this pack", "the clock went back")
    assert msgspec.to_builtins(state, str_keys=True) == old
    state = decide(state, CardOut(device="shoe", card=Card("5S"))).state
    assert len(state.alarms) == 3
    answered = decide(state, Asked(ask=AnswerAlarm("seen"), by=SUPERVISOR))
    assert answered.outcomes[-1] == AlarmAnswered(what="TS is not in this pack")
    assert answered.state.alarms == state.alarms[1:]


def test_a_round_that_is_recovered_keeps_its_alarms() -> None:
    tale = fives(2)
    plain = msgspec.to_builtins(tale.state, str_keys=True)
    event = Recovered(how="as-recorded", by=SUPERVISOR, state=plain)
    assert recovered(event).state.standing == tale.state.standing


# --- who answers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
def test_1_1_the_words_say_who_answers_and_just_they_do(role: str) -> None:
    tale = fives(1)
    above = ROLES[ROLES.index("game-supervisor") :]
    may = role in above and role != "inspector"
    assert WHO_ANSWERS == "a game supervisor or above"
    assert (role in SUPERVISORS) is may
    decision = tale.ask(AnswerAlarm("looked"), role)
    assert refused(decision) == ("" if may else "3.3")
    assert bool(tale.state.alarms) is not may
    if not may:
        (refusal,) = decision.outcomes
        assert refusal.why == f"{WHO_ANSWERS} answers an alarm, not the {role}"


def test_the_view_says_who_answers() -> None:
    assert view(fives(1).state)["answers_alarms"] == WHO_ANSWERS


# --- what is not exposed --------------------------------------------------------------------------


def test_3_5_2_an_alarm_over_a_card_that_lies_face_down_does_not_name_it() -> None:
    game = build("blackjack-nsw", {"decks": 3, "face_down": True})
    table = Table(MemoryLog(), lambda: AT)
    for event in coming_up(game, {"shoe": "shoe"}):
        table.take(event)
    table.take(Asked(ask=Wager(box=1, player="ann", main=1000)))
    assert table.state is not None
    before = Ledger(out={Card("5S"): 3})  # in rounds that are over
    table.state = msgspec.structs.replace(table.state, ledger=before)
    taken = table.take(CardOut(device="shoe", card=Card("5S"), raw="1b 5S"))
    assert taken.state.alarms == ("a card that lies face down is one too many for this pack",)
    shown = msgspec.json.encode([view(taken.state), [*exposed(taken)]])
    assert b"5S" not in shown
    assert b"one too many" in shown
