"""Signing in at a real table: who may ask what, what is refused, and what the log has of it."""

import json
import os
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from controller.operators.lockout import FREE
from controller.table.roles import ROLES
from tests.system.processes import tablekeeper
from tests.system.real import PIN, SUPERVISOR, RealTable, give_back, sign_in, signed_in
from tests.system.table import Running
from tests.system.talk import Answer, Talk

WRONG = "48261739"
LIMITS = {"do": "limits", "minimum": 200, "maximum": 5000}
WAGER = {"do": "wager", "box": 2, "player": "ann", "main": 3000}

DEEDS: dict[str, tuple[dict[str, Any], str]] = {
    "alter the limits": ({"do": "limits", "minimum": 1000, "maximum": 2000}, "6.3"),
    "show a notice": ({"do": "notice", "minimum": 9000}, "6.3"),
    "take a notice away": ({"do": "remove-notice"}, "6.3"),
    "give own limits": (
        {"do": "own-limits", "player": "ann", "minimum": 5000, "maximum": 900_000},
        "6.4",
    ),
    "restrict": ({"do": "restrict", "player": "ann", "to": "minimum"}, "5.10"),
    "restrict for longer": ({"do": "restrict", "player": "ann", "to": "one-box"}, "5.12"),
    "reserve": ({"do": "reserve", "player": "ann", "boxes": [3]}, "5.13"),
    "release": ({"do": "release", "boxes": [3]}, "5.13"),
    "say how many": ({"do": "most-players", "most": 2}, "5.4"),
    "replace the cards": ({"do": "new-cards"}, "3.4"),
    "void the round": ({"do": "end-round"}, "16.6"),
}
"""What a dealer may not do, and the clause by which it is refused."""


def refused(answer: Answer) -> str:
    """Return by which clause it was refused."""
    assert (answer["ok"], answer["accepted"]) == (True, False), answer
    rule: str = answer["rule"]
    return rule


# --- without signing in ---------------------------------------------------------------------------


def test_a_real_table_says_so(shared_real: RealTable) -> None:
    with Talk(shared_real.socket) as talk:
        assert talk.hello["rehearsal"] is False
    assert [row["body"]["rehearsal"] for row in shared_real.rows("started")] == [False]


@pytest.mark.parametrize("deed", DEEDS)
def test_who_is_not_signed_in_is_a_dealer(shared_real: RealTable, deed: str) -> None:
    ask, rule = DEEDS[deed]
    with Talk(shared_real.socket) as talk:
        assert refused(talk.request(ask=ask)) == rule
        assert refused(talk.request(ask=ask, by="dealer")) == rule


@pytest.mark.parametrize("role", [*(role for role in ROLES if role != "dealer"), "king", PIN])
def test_a_role_that_is_claimed_is_an_error_and_nothing_is_recorded(
    shared_real: RealTable, role: str
) -> None:
    before = shared_real.rows("asked", "pressed")
    with Talk(shared_real.socket) as talk:
        for request in ({"ask": LIMITS}, {"press": {"device": "keys", "control": "3"}}):
            answer = talk.request(by=role, **request)
            assert answer["ok"] is False
            assert "sign in" in answer["error"]
            assert role not in answer["error"]
    assert shared_real.rows("asked", "pressed") == before


def test_what_a_dealer_does_needs_nobody_signed_in(real: RealTable) -> None:
    talk = real.watch
    talk.must("wager", box=2, player="ann", main=3000)
    talk.must("no-more-bets")
    talk.must("enter-card", card="KS")
    answer = talk.request(press={"device": "pedal", "control": "left", "held": True})

    assert answer["accepted"]
    assert {(row["body"]["by"], row["body"]["who"]) for row in real.rows("asked", "pressed")} == {
        ("dealer", "")
    }


def test_at_a_rehearsal_a_claimed_role_counts(table: Running) -> None:
    with Talk(table.socket) as talk:
        assert talk.hello["rehearsal"] is True
        assert talk.request(ask=LIMITS, by="pit-manager")["accepted"]
    assert table.rows("asked")[-1]["body"]["by"] == "pit-manager"
    assert [row["body"]["rehearsal"] for row in table.rows("started")] == [True]


# --- signed in ------------------------------------------------------------------------------------


def test_who_is_signed_in_asks_by_their_role_and_the_log_says_who(real: RealTable) -> None:
    real.add()
    with Talk(real.socket) as talk:
        answer = sign_in(talk)
        assert answer["signed_in"] == {"name": SUPERVISOR, "role": "game-supervisor"}
        assert talk.request(ask=LIMITS)["accepted"]
        assert talk.request(ask=WAGER)["accepted"]
        assert talk.request(press={"device": "keys", "control": "4"})["accepted"]
        assert talk.request(sign_out=True)["ok"]
        assert refused(talk.request(ask=LIMITS)) == "6.3"

    assert [
        (row["kind"], row["body"]["by"], row["body"]["who"])
        for row in real.rows("asked", "pressed")
    ] == [
        ("asked", "game-supervisor", SUPERVISOR),
        ("asked", "game-supervisor", SUPERVISOR),
        ("pressed", "game-supervisor", SUPERVISOR),
        ("asked", "dealer", ""),
    ]


def test_every_use_is_an_event_with_the_process_and_changes_nothing_else(real: RealTable) -> None:
    real.add()
    before = real.layout()
    with Talk(real.socket) as talk:
        sign_in(talk, pin=WRONG)
        sign_in(talk, name="nobody")
        signed_in(talk)
        talk.request(sign_out=True)
    kinds = ("signed-in", "signed-out", "sign-in-refused")
    rows = real.rows(*kinds)
    after = [row for row in real.rows() if row["cause"] in {one["seq"] for one in rows}]

    whose = {"who": SUPERVISOR, "role": "game-supervisor"}
    unknown = {"who": "", "role": ""}
    process = {"pid": os.getpid(), "uid": os.getuid()}
    for row in rows:
        assert row["body"].pop("mono") > 0
    assert [(row["kind"], row["body"]) for row in rows] == [
        ("sign-in-refused", {**whose, **process, "why": "wrong-pin", "locked_ms": 0}),
        ("sign-in-refused", {**unknown, **process, "why": "unknown", "locked_ms": 0}),
        ("signed-in", {**whose, **process}),
        ("signed-out", {**whose, **process, "why": "asked"}),
    ]
    assert after == []
    assert real.layout() == before


NAMES_OF_NOBODY = ["nobody", "ines.", "INES", "", "game-supervisor", PIN]


@pytest.mark.parametrize("name", NAMES_OF_NOBODY)
def test_a_wrong_pin_and_a_name_that_nobody_has_are_answered_alike(
    real: RealTable, name: str
) -> None:
    """Until both are locked out and beyond; the seconds that are left go by between the two."""
    real.add()
    tries = FREE + 4
    with Talk(real.socket) as talk:
        pairs = [(sign_in(talk, pin=WRONG), sign_in(talk, name=name)) for _ in range(tries)]
    for wrong, unknown in pairs:
        assert wrong.pop("id") + 1 == unknown.pop("id")
        assert without_seconds(wrong) == without_seconds(unknown)
        assert abs(seconds_in(wrong) - seconds_in(unknown)) <= 1
    assert pairs[0][0] == {"ok": False, "error": "name or PIN is wrong"}
    assert "locked out after wrong PINs" in pairs[-1][0]["error"]

    refusals = [real.watch.event("sign-in-refused") for _ in range(2 * tries)]
    assert [row["body"] for (row,) in refusals] == [{}] * 2 * tries


def without_seconds(answer: Answer) -> str:
    return re.sub(r"\d+ s", "? s", json.dumps(answer))


def seconds_in(answer: Answer) -> int:
    found = re.search(r"(\d+) s", answer["error"])
    return int(found[1]) if found else 0


def test_a_name_that_exists_is_not_to_be_found_out_by_time(real: RealTable) -> None:
    real.add()
    took: dict[str, list[float]] = {SUPERVISOR: [], "nobody": []}
    with Talk(real.socket) as talk:
        for _ in range(3 * FREE):  # the first few count, then both are locked out
            for name, times in took.items():
                began = time.monotonic()
                assert not sign_in(talk, name, WRONG)["ok"]
                times.append(time.monotonic() - began)
    known, unknown = ([min(one[:FREE]), min(one[FREE + 1 :])] for one in took.values())
    # Whether a hash was made or not is a factor of ten and more; `test_store` measures finer.
    assert all(1 / 3 < a / b < 3 for a, b in zip(known, unknown, strict=True)), took
    assert 1 / 3 < known[0] / known[1] < 3, took


@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.parametrize("role", ["dealer", "inspector"])
def test_signed_in_is_not_enough_the_role_has_to_do(
    shared_real: RealTable, role: str, deed: str
) -> None:
    name = f"as-{role}"
    if not any(row["body"]["who"] == name for row in shared_real.rows("operator-added")):
        shared_real.add(name, role)
    ask, rule = DEEDS[deed]
    with Talk(shared_real.socket) as talk:
        assert refused(signed_in(talk, name).request(ask=ask)) == rule


def test_past_a_payment_only_a_supervisor_takes_back(real: RealTable) -> None:
    """Rule 16.6: also by the pedal of a screen, and the dealer's own pedal stays the dealer's."""
    real.add()
    talk = real.watch
    talk.must("wager", box=2, player="ann", main=3000)
    talk.must("no-more-bets")
    for card in ("KS", "9H", "5D", "9C"):  # ann has 24
        talk.must("enter-card", card=card)
    assert talk.look()["settlements"]
    take_back = {"device": "pedal", "control": "left", "held": True}

    assert refused(talk.request(press=take_back)) == "16.6"
    assert refused(talk.request(ask={"do": "take-back"})) == "16.6"
    signed_in(talk)
    assert refused(talk.request(ask={"do": "take-back"}, by="dealer")) == "16.6"
    assert talk.request(press=take_back)["accepted"]


@pytest.mark.parametrize("role", ["casino-duty-manager", "pit-manager", "inspector"])
def test_no_other_role_is_claimed_than_ones_own(shared_real: RealTable, role: str) -> None:
    with Talk(shared_real.socket) as talk:
        answer = signed_in(talk).request(ask=LIMITS, by=role)
    assert answer["ok"] is False
    assert "ines is signed in as game-supervisor" in answer["error"]


def test_a_sign_in_is_of_its_connection_alone_and_ends_with_it(real: RealTable) -> None:
    real.add()
    with Talk(real.socket) as talk, Talk(real.socket) as other:
        signed_in(talk)
        assert refused(other.request(ask=LIMITS)) == "6.3"
    (row,) = real.watch.event("signed-out")
    assert (row["body"]["who"], row["body"]["why"]) == (SUPERVISOR, "left")


def test_another_sign_in_takes_the_place_of_the_first(real: RealTable) -> None:
    real.add()
    real.add("mo", "dealer", "5927")
    with Talk(real.socket) as talk:
        signed_in(talk)
        signed_in(talk, "mo", "5927")
        assert refused(talk.request(ask=LIMITS)) == "6.3"
        assert [row["body"]["who"] for row in real.rows("signed-in")] == [SUPERVISOR, "mo"]
        (out,) = real.rows("signed-out")
        assert (out["body"]["who"], out["body"]["why"]) == (SUPERVISOR, "another")
        sign_in(talk, pin=WRONG)
        assert real.rows("signed-out") == [out]


def test_who_is_disabled_while_signed_in_loses_their_rights_at_once(real: RealTable) -> None:
    real.add()
    with Talk(real.socket) as talk:
        signed_in(talk)
        assert real.operators("disable", SUPERVISOR).returncode == 0
        answer = talk.request(ask=LIMITS)
        assert "accepted" not in answer or not answer["accepted"]
        while "signed_out" not in (told := talk.told.popleft() if talk.told else talk.line()):
            pass
        assert told == {"signed_out": {"name": SUPERVISOR, "why": "disabled"}}
        assert "disabled" in sign_in(talk)["error"]
    assert [row["body"]["why"] for row in real.rows("signed-out", "sign-in-refused")] == [
        "disabled",
        "disabled",
    ]


def test_who_is_disabled_is_signed_out_without_asking_for_anything(real: RealTable) -> None:
    real.add()
    with Talk(real.socket) as talk:
        signed_in(talk)
        assert real.operators("disable", SUPERVISOR).returncode == 0
        assert talk.line() == {"signed_out": {"name": SUPERVISOR, "why": "disabled"}}


def test_another_pin_ends_a_sign_in_by_the_old_one(real: RealTable) -> None:
    real.add()
    with Talk(real.socket) as talk:
        signed_in(talk)
        assert real.operators("pin", SUPERVISOR, pin="592741").returncode == 0
        assert talk.line() == {"signed_out": {"name": SUPERVISOR, "why": "new-pin"}}
        assert sign_in(talk)["error"] == "name or PIN is wrong"
        signed_in(talk, pin="592741")
        assert talk.request(ask=LIMITS)["accepted"]
    (row,) = real.rows("operator-new-pin")
    assert (row["body"]["who"], row["body"]["change"]) == (SUPERVISOR, 2)


def test_signing_out_where_nobody_is_signed_in_is_told(shared_real: RealTable) -> None:
    with Talk(shared_real.socket) as talk:
        answer = talk.request(sign_out=True)
    assert (answer["ok"], answer["error"]) == (False, "nobody is signed in here")


def test_an_orderly_stop_signs_everybody_out(real: RealTable) -> None:
    real.add()
    with Talk(real.socket) as talk:
        signed_in(talk)
        assert real.stop() == 0
    last = real.rows()[-2:]
    assert [row["kind"] for row in last] == ["signed-out", "stopped"]


# --- lock-out -------------------------------------------------------------------------------------


def lock_out(table: RealTable) -> None:
    """Try wrong PINs until it locks."""
    with Talk(table.socket) as talk:
        for _ in range(FREE):
            assert sign_in(talk, pin=WRONG)["error"] == "name or PIN is wrong"
        assert "locked out now: try again in 30 s" in sign_in(talk, pin=WRONG)["error"]


def seconds_left(talk: Talk) -> int:
    """Try the right PIN while it is locked out; return for how long it says it is."""
    found = re.fullmatch(
        r"locked out after wrong PINs: try again in (\d+) s", sign_in(talk)["error"]
    )
    assert found
    return int(found[1])


def test_a_lock_outlives_a_kill_and_the_right_pin_does_not_open_it(real: RealTable) -> None:
    real.add()
    lock_out(real)
    for _ in range(2):
        real.kill()
        real.start()
        with Talk(real.socket) as talk:
            assert 0 < seconds_left(talk) <= 30
            assert refused(talk.request(ask=LIMITS)) == "6.3"
    listed = real.operators("list").stdout
    assert re.search(r"ines +game-supervisor +locked for \d+ s", listed)
    assert [row["body"]["why"] for row in real.rows("sign-in-refused")] == [
        *(["wrong-pin"] * (FREE + 1)),
        *(["locked"] * 2),
    ]


def test_a_lock_begins_anew_after_a_restart_of_the_machine_and_ends_in_its_time(
    real: RealTable,
) -> None:
    """As another start of the machine would leave it: its clock and its id are not these."""
    real.add()
    lock_out(real)
    real.kill()
    with closing(sqlite3.connect(real.state / "operators.db")) as db, db:
        db.execute("UPDATE lock SET boot = 'another start', mono = 1, remaining = 1500")
    give_back(real)
    real.start()
    with Talk(real.socket) as talk:
        assert seconds_left(talk) == 2
        while not (answer := sign_in(talk))["ok"]:
            assert answer["error"].startswith("locked out after wrong PINs")
        assert talk.request(ask=LIMITS)["accepted"]


# --- what goes wrong ------------------------------------------------------------------------------


def remove_pepper(table: RealTable) -> None:
    (table.state / "pepper").unlink()


def spoil_database(table: RealTable) -> None:
    (table.state / "operators.db").write_bytes(b"coffee" * 10_000)


@pytest.mark.parametrize("spoil", [remove_pepper, spoil_database])
def test_where_no_pin_can_be_checked_nobody_signs_in_and_play_goes_on(
    real: RealTable, spoil: Callable[[RealTable], None]
) -> None:
    real.add()
    spoil(real)
    real.kill()
    real.start()
    with Talk(real.socket) as talk:
        answer = sign_in(talk)
        assert answer["error"].startswith(f"nobody can sign in: {real.state}")
        assert refused(talk.request(ask=LIMITS)) == "6.3"
        talk.must("confirm-layout")
        assert talk.request(ask=WAGER)["accepted"]
    journal = [json.loads(line) for line in real.errors.read_text().splitlines()]
    assert len([line for line in journal if line["event"] == "nobody can sign in"]) == 1


def test_who_is_signed_in_asks_for_nothing_when_nobody_can_say_they_still_may(
    real: RealTable,
) -> None:
    real.add()
    with Talk(real.socket) as talk:
        signed_in(talk)
        spoil_database(real)
        answer = talk.request(ask=LIMITS)
    assert answer["ok"] is False
    assert "nobody can ask as game-supervisor now" in answer["error"]


def test_a_table_without_operators_says_how_to_add_one(real: RealTable) -> None:
    with Talk(real.socket) as talk:
        assert "tablekeeper operators add" in sign_in(talk)["error"]
    assert not (real.state / "operators.db").exists()


# --- a word from a terminal -----------------------------------------------------------------------


def test_a_word_is_said_as_an_operator(real: RealTable) -> None:
    real.add()
    words = ("say", "limits", "2", "50", "--as", SUPERVISOR, "--socket", real.socket)
    done = real.command(*words, pin=PIN)
    assert (done.returncode, done.stdout.splitlines()[0], done.stderr) == (0, "accepted", "")
    asked = real.rows("asked")[-1]["body"]
    assert (asked["by"], asked["who"]) == ("game-supervisor", SUPERVISOR)

    for pin, told in ((WRONG, "name or PIN is wrong"), ("", "no PIN was given")):
        done = real.command(*words, pin=pin)
        assert (done.returncode, done.stdout) == (2, "")
        assert told in done.stderr


def test_a_word_as_a_role_is_refused_at_a_real_table(shared_real: RealTable) -> None:
    words = ("say", "limits", "2", "50", "--socket", shared_real.socket)
    done = tablekeeper(*words, "--as", "pit-manager")
    assert (done.returncode, done.stdout) == (2, "")
    assert "a role is not claimed at a real table" in done.stderr
    done = tablekeeper(*words)
    assert (done.returncode, done.stdout.partition(":")[0]) == (1, "refused by 6.3")
