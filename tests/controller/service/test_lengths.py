"""How long what is said over the socket may be: what is longer is an error and is not recorded."""

from typing import Any

import pytest

from tests.system.table import Running
from tests.system.talk import Talk

NAME, TEXT, LIST = 64, 500, 500
LONG = "x" * 60_000

TOO_LONG: dict[str, tuple[dict[str, Any], str]] = {
    "a device": ({"press": {"device": LONG, "control": "1"}}, "press.device"),
    "a control": ({"press": {"device": "keys", "control": LONG}}, "press.control"),
    "a control by one sign": (
        {"press": {"device": "keys", "control": "x" * (NAME + 1)}},
        "press.control",
    ),
    "a role": ({"ask": {"do": "resume"}, "by": LONG}, "$.by"),
    "what an alarm was": ({"ask": {"do": "answer-alarm", "words": LONG}}, "ask.words"),
    "a fault": ({"ask": {"do": "declare-fault", "text": "x" * (TEXT + 1)}}, "ask.text"),
    "a set": ({"ask": {"do": "new-shoe", "set": LONG}}, "ask.set"),
    "a device to use": ({"ask": {"do": "use", "device": LONG}}, "ask.device"),
    "a player": ({"ask": {"do": "insure", "box": 1, "player": LONG, "amount": 1}}, "ask.player"),
    "a player who withdraws": (
        {"ask": {"do": "withdraw", "box": 1, "player": LONG}},
        "ask.player",
    ),
    "one of the players": ({"ask": {"do": "double", "players": ["ann", LONG]}}, "ask.players"),
    "the players": ({"ask": {"do": "split", "players": ["a"] * (LIST + 1)}}, "ask.players"),
    "all the players together": (
        {"ask": {"do": "surrender", "box": 1, "players": ["x" * NAME] * 400}},
        "line",
    ),
    "boxes": ({"ask": {"do": "release", "boxes": [1] * (LIST + 1)}}, "ask.boxes"),
    "a box": ({"ask": {"do": "withdraw", "box": 10**18}}, "ask.box"),
    "a box of 4,000 digits": ({"ask": {"do": "withdraw", "box": 10**4000}}, "ask.box"),
    "a card of this round": ({"ask": {"do": "amend", "number": -(10**16), "card": "7S"}}, "number"),
}


@pytest.mark.parametrize("name", TOO_LONG)
def test_what_is_too_long_is_an_error_that_says_where_and_is_not_recorded(
    shared_table: Running, name: str
) -> None:
    words, where = TOO_LONG[name]
    before = len(shared_table.rows())
    with Talk(shared_table.socket) as talk:
        answer = talk.request(**words)

        assert answer["ok"] is False
        assert where in answer["error"]
        assert len(answer["error"]) < 200
        assert talk.look()["table"] == "Test 1"
    assert len(shared_table.rows()) == before


LONGEST: dict[str, dict[str, Any]] = {
    "a control": {"press": {"device": "keys", "control": "x" * NAME}},
    "what an alarm was": {"ask": {"do": "answer-alarm", "words": "é" * TEXT}},
    "a fault": {"ask": {"do": "declare-fault", "text": "x" * TEXT}},
    "the players": {"ask": {"do": "split", "players": ["a"] * LIST}},
    "a role": {"ask": {"do": "resume"}, "by": "x" * NAME},
}


@pytest.mark.parametrize("name", LONGEST)
def test_what_is_as_long_as_it_may_be_is_heard(shared_table: Running, name: str) -> None:
    with Talk(shared_table.socket) as talk:
        assert talk.request(**LONGEST[name])["ok"]


def test_what_is_too_long_leaves_nothing_in_the_log(table: Running) -> None:
    """Lines of 60 kB, and short ones, that name devices which nobody has."""
    before = table.rows()
    with Talk(table.socket) as talk:
        for number in range(300):
            device = f"{number:060000}"
            assert not talk.request(press={"device": device, "control": "1"})["ok"]
            assert not talk.request(press={"device": f"d{number}", "control": "1"})["ok"]

    assert [row["seq"] for row in table.rows()] == [row["seq"] for row in before]
