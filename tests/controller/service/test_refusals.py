"""Refusals without end: a store of them is recorded each, the rest is counted, none is lost."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.events import Pressed, RefusalsCounted, SignInRefused
from controller.outcomes import Refused
from controller.service.refusals import AT_ONCE, EACH_SECOND, LONGEST, QUIET, Refusals
from tests.controller.service.test_floods import flooded
from tests.system.processes import eventually, tablekeeper
from tests.system.real import PIN, SUPERVISOR, real_table
from tests.system.shims import WallClock, running_under
from tests.system.table import Running
from tests.system.talk import Answer, Talk

CONNECTIONS = 8
INTACT, NOT_CLOSED = 0, 3

REFUSED = Refused(rule="18.1.1", why="there is no box 9")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def refusals(clock: Clock) -> Refusals:
    return Refusals(clock)


def refuse(refusals: Refusals, uid: int, times: int) -> int:
    """Refuse a user something so often; return how many are recorded."""
    recorded = 0
    for _ in range(times):
        if refusals.has_room(uid):
            refusals.recorded(uid)
            recorded += 1
        else:
            refusals.count(uid, Pressed(device="keys", control="9"), REFUSED)
    return recorded


# --- the stores -----------------------------------------------------------------------------------


def test_a_store_is_recorded_each_and_fills_up_again(refusals: Refusals, clock: Clock) -> None:
    assert refuse(refusals, 7, AT_ONCE + 500) == AT_ONCE == 1000
    clock.now += 3
    assert refuse(refusals, 7, 500) == 3 * EACH_SECOND == 30
    clock.now += 24 * 3600
    assert refuse(refusals, 7, 2 * AT_ONCE) == AT_ONCE


def test_each_user_has_a_store_of_their_own(refusals: Refusals) -> None:
    refuse(refusals, 7, AT_ONCE + 1)
    assert refuse(refusals, 8, AT_ONCE) == AT_ONCE


def test_the_count_comes_once_when_it_has_been_quiet(refusals: Refusals, clock: Clock) -> None:
    refuse(refusals, 7, AT_ONCE + 5)
    assert refusals.ended() == []
    clock.now += 0.9 * QUIET
    room = refuse(refusals, 7, 40)
    clock.now += 0.9 * QUIET
    assert refusals.ended() == []
    clock.now += QUIET
    (counted,) = refusals.ended()
    assert (counted.uid, counted.refused) == (7, 5 + 40 - room)
    assert (counted.rule, counted.why) == (REFUSED.rule, REFUSED.why)
    assert counted.since <= counted.until
    assert refusals.ended() == refusals.all() == []


def test_a_burst_without_end_is_counted_now_and_then(refusals: Refusals, clock: Clock) -> None:
    refuse(refusals, 7, AT_ONCE)
    counts: list[RefusalsCounted] = []
    seconds = int(3 * LONGEST)
    for _ in range(seconds):
        clock.now += 1
        refuse(refusals, 7, EACH_SECOND + 1)
        counts += refusals.ended()
    assert 2 <= len(counts) <= 3
    assert sum(one.refused for one in [*counts, *refusals.all()]) == seconds


def test_what_was_refused_is_told_apart(refusals: Refusals) -> None:
    sign_in = SignInRefused(who="", role="", pid=1, uid=7, why="unknown")
    refusals.count(7, sign_in, None)
    refusals.count(7, Pressed(device="keys", control="?"), None)
    refusals.count(7, Pressed(device="keys", control="9"), REFUSED)
    refusals.count(8, sign_in, None)
    first, other = refusals.all()
    assert (first.refused, first.meaningless, first.sign_ins) == (1, 1, 1)
    assert (other.uid, other.refused, other.meaningless, other.sign_ins) == (8, 0, 0, 1)


# --- at a table -----------------------------------------------------------------------------------


NO_BOX = {"ask": {"do": "withdraw", "box": 1}}
TOO_EARLY = {"ask": {"do": "stand"}}
NOT_A_DEALERS = {"ask": {"do": "end-round"}}
NO_MEANING = {"press": {"device": "keys", "control": "x" * 64}}
NO_TURN = {"press": {"device": "keys", "control": "D"}}

WORDS: dict[str, list[dict[str, Any]]] = {
    "requests": [NO_BOX, TOO_EARLY, NOT_A_DEALERS, {"ask": {"do": "resume"}, "by": "dealer"}],
    "presses that mean nothing": [NO_MEANING],
    "presses that are refused, and all the rest": [NO_TURN, NO_BOX, NO_MEANING],
}


def say(path: Path, words: list[dict[str, Any]], times: int) -> list[Answer]:
    """Say the words so often, on several connections and ever new ones; return the answers."""
    answers: list[Answer] = []
    while len(answers) < times:
        talks = [Talk(path) for _ in range(CONNECTIONS)]
        each = min(100, (times - len(answers)) // CONNECTIONS or 1)
        for talk in talks:
            lines = [{"id": n, **words[n % len(words)]} for n in range(each)]
            talk.send("".join(json.dumps(line) + "\n" for line in lines).encode())
        for talk in talks:
            answers += [talk.answer(n) for n in range(each)]
            talk.close()
    return answers


def counted(table: Running) -> list[dict[str, Any]]:
    return [row["body"] for row in table.rows("refusals-counted")]


@pytest.mark.parametrize("name", WORDS)
def test_of_refusals_without_end_a_store_is_recorded_and_the_rest_is_one_row(
    table: Running, name: str
) -> None:
    before = table.layout()
    began = time.monotonic()
    answers = say(table.socket, WORDS[name], AT_ONCE + 600)
    took = time.monotonic() - began
    table.watch_anew()  # who left so much unread was let go
    (told,) = table.watch.event("refusals-counted")
    rows = table.rows()
    (count,) = (row["body"] for row in rows if row["kind"] == "refusals-counted")
    assert told["body"] == count

    recorded = [row["seq"] for row in rows if row["kind"] in {"asked", "pressed"}]
    assert AT_ONCE <= len(recorded) <= AT_ONCE + EACH_SECOND * took + 1
    assert len(recorded) + count["refused"] + count["meaningless"] == len(answers)
    assert table.layout() == before

    others = [one for one in answers if one["seq"] not in recorded]
    assert [one for one in answers if not one["ok"] or one["seq"] > rows[-1]["seq"]] == []
    assert [one for one in others if one["accepted"] or not one["why"]] == []
    check_totals(table, len(table.rows("refused")) + count["refused"], count["refused"])


def check_totals(table: Running, refused: int, unrecorded: int) -> None:
    """Make sure that the questions to the log count what has no row."""
    done = tablekeeper("log", "rounds", "--json", table.state)
    (line,) = map(json.loads, done.stdout.splitlines())
    assert line["marks"].get("refused", 0) == refused
    shown = tablekeeper("log", "show", 1, table.state).stdout
    assert shown.count(f"{unrecorded} requests refused") == (2 if unrecorded else 0)
    assert tablekeeper("log", "verify", "--decide", table.state).returncode == NOT_CLOSED


def test_an_accepted_request_is_recorded_though_the_store_is_empty(table: Running) -> None:
    say(table.socket, [NO_BOX], AT_ONCE + 200)
    with Talk(table.socket) as talk:
        answer = talk.must("wager", box=2, player="ann", main=1000)
        assert talk.look()["boxes"]
    (row,) = [row for row in table.rows("asked") if row["body"]["ask"]["do"] == "wager"]
    assert row["seq"] == answer["seq"]
    table.kill()
    table.start()
    assert table.watch.view["boxes"][0]["players"][0]["player"] == "ann"


def test_a_refused_press_that_forgets_a_keyed_box_is_recorded(table: Running) -> None:
    say(table.socket, [NO_BOX], AT_ONCE + 200)
    table.watch_anew()
    table.deal()
    with Talk(table.socket) as talk:
        keyed = {"press": {"device": "keys", "control": "3"}}
        assert talk.request(**keyed)["accepted"]
        answer = talk.request(press={"device": "keys", "control": "E"})
        assert not answer["accepted"]
        assert table.rows("pressed")[-1]["seq"] == answer["seq"]


def test_an_orderly_stop_in_a_burst_loses_no_count(table: Running) -> None:
    answers = say(table.socket, [NO_BOX], AT_ONCE + 400)
    assert table.stop() == 0
    last = table.rows()[-2:]
    assert [row["kind"] for row in last] == ["refusals-counted", "stopped"]
    assert len(table.rows("refused")) + sum(one["refused"] for one in counted(table)) == len(
        answers
    )
    assert tablekeeper("log", "verify", "--decide", table.state).returncode == INTACT


@pytest.fixture
def wall(folder: Path) -> Iterator[tuple[Running, WallClock]]:
    clock = WallClock(folder)
    with running_under(folder, clock.environment) as it:
        yield it, clock


def test_what_was_counted_in_a_day_is_in_that_day(wall: tuple[Running, WallClock]) -> None:
    table, clock = wall
    say(table.socket, [NO_BOX], AT_ONCE + 400)
    clock.set(24 * 3600)
    eventually(lambda: len(table.rows("day-opened")) == 2, "the next day")
    (count,) = table.rows("refusals-counted")
    assert count["seq"] < table.rows("day-opened")[1]["seq"]


def test_sign_ins_that_are_refused_fill_no_log(folder: Path) -> None:
    with real_table(folder) as table:
        table.add()
        say(table.socket, [NO_BOX], AT_ONCE)
        with flooded(table, "asks", 4), Talk(table.socket) as talk:
            for name in (SUPERVISOR, "nobody", PIN) * 4:
                assert not talk.request(sign_in={"name": name, "pin": "48261739"})["ok"]
        eventually(lambda: told(table) == 12, "each is a row or counted")
        assert any(one["sign_ins"] for one in counted(table))
        assert PIN not in json.dumps(table.rows("refusals-counted"))


def told(table: Running) -> int:
    counts = sum(one["sign_ins"] for one in counted(table))
    return len(table.rows("sign-in-refused")) + counts


def test_what_is_accepted_without_end_is_slowed_down_for_its_user_and_no_card(
    folder: Path,
) -> None:
    """A press that only says which box is meant is accepted as often as it is made."""
    with real_table(folder) as table:
        talk = table.watch
        talk.must("wager", box=2, player="ann", main=3000)
        talk.must("no-more-bets")
        for card in ("KS", "9H", "5D"):
            talk.must("enter-card", card=card)
        box = {"press": {"device": "keys", "control": "3"}}
        began = time.monotonic()
        answers = say(table.socket, [box], AT_ONCE)
        fast = time.monotonic() - began
        assert all(one["accepted"] for one in answers)

        left = int(EACH_SECOND * fast)  # what was filled up meanwhile
        began = time.monotonic()
        more = say(table.socket, [box], left + 5 * EACH_SECOND)
        assert time.monotonic() - began >= 4
        assert all(one["accepted"] for one in more)
        assert len(table.rows("pressed")) == len(answers) + len(more)
