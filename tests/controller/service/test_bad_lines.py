"""Lines that are no requests: each is answered in words, none is the table's trouble."""

import contextlib
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.system.processes import tablekeeper
from tests.system.table import Running
from tests.system.talk import Talk

LONGEST = 64 * 1024

NESTED = 20_000


def deep(inside: str) -> bytes:
    return f'{{"id": 7, {inside}: {"[" * NESTED}{"]" * NESTED}}}'.encode()


BAD: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "truncated"),
    "half an object": (b'{"id": 1, "view"', "truncated"),
    "no JSON": (b"hello", "malformed"),
    "not an object": (b"[1]", "array"),
    "null": (b"null", "null"),
    "bytes that are no text": (b'{"id": 1, "by": "\xff\xfe", "view": true}', "UTF-8"),
    "binary": (bytes(range(0x0B, 0x100)), "malformed"),
    "half a surrogate": (b'{"id": 1, "by": "\\ud800", "view": true}', "surrogate"),
    "no id": (b'{"view": true}', "`id`"),
    "an id of words": (b'{"id": "one", "view": true}', "$.id"),
    "no word": (b'{"id": 1}', "ask, press, view, watch, sign_in or sign_out"),
    "an unknown word": (b'{"id": 1, "dance": true}', "dance"),
    "view is a number": (b'{"id": 1, "view": 1}', "$.view"),
    "an unknown request": (b'{"id": 1, "ask": {"do": "fly"}}', "fly"),
    "a request without its word": (b'{"id": 1, "ask": {}}', "do"),
    "a fact": (b'{"id": 1, "ask": {"do": "card-dealt", "card": "7S"}}', "card-dealt"),
    "a field is missing": (b'{"id": 1, "ask": {"do": "wager", "box": 1}}', "player"),
    "an unknown field": (
        b'{"id": 1, "ask": {"do": "wager", "box": 1, "player": "ann", "mein": 500}}',
        "mein",
    ),
    "a box in words": (b'{"id": 1, "ask": {"do": "withdraw", "box": "two"}}', "$.ask.box"),
    "an amount with a point": (
        b'{"id": 1, "ask": {"do": "wager", "box": 1, "player": "ann", "main": 7.5}}',
        "$.ask.main",
    ),
    "no card": (b'{"id": 1, "ask": {"do": "enter-card", "card": "1S"}}', "card"),
    "an empty card": (b'{"id": 1, "ask": {"do": "burn", "card": ""}}', "card"),
    "two words at once": (
        b'{"id": 1, "ask": {"do": "resume"}, "press": {"device": "keys", "control": "1"}}',
        "one",
    ),
    "an unknown field of a press": (
        b'{"id": 1, "press": {"device": "keys", "control": "1", "hard": true}}',
        "hard",
    ),
    "a press of nothing": (b'{"id": 1, "press": {"device": "keys"}}', "control"),
    "nested beyond all sense": (deep('"ask"'), ""),
    "nested where nobody looks": (deep('"x"'), ""),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_answered_in_words_and_the_next_one_is_heard(
    shared_table: Running, name: str
) -> None:
    line, word = BAD[name]
    recorded = len(shared_table.rows())
    with Talk(shared_table.socket) as talk:
        talk.send(line + b"\n")
        answer = talk.line()

        assert answer["ok"] is False
        assert word in answer["error"]
        assert talk.look()["table"] == "Test 1"
    assert len(shared_table.rows()) == recorded


@pytest.fixture(autouse=True)
def quiet(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each test the controller lives and has nothing to complain of."""
    name = "shared_table" if "shared_table" in request.fixturenames else "table"
    table: Running = request.getfixturevalue(name)
    said_before = len(table.errors.read_text())
    yield
    assert table.controller.poll() is None
    assert "Traceback" not in table.errors.read_text()[said_before:]


def test_an_error_carries_the_id_if_there_is_one(shared_table: Running) -> None:
    with Talk(shared_table.socket) as talk:
        talk.send(b'{"id": 5, "dance": true}\n{"dance": true}\n')

        assert [talk.line()["id"], talk.line()["id"]] == [5, None]


def test_a_line_may_come_in_pieces_and_several_in_one(shared_table: Running) -> None:
    with Talk(shared_table.socket) as talk:
        for piece in (b'{"id": 1, "vi', b'ew": tr', b'ue}\n{"id": 2, "view": true}\n{"id"'):
            talk.send(piece)
        assert [talk.line()["id"], talk.line()["id"]] == [1, 2]
        talk.send(b': 3, "view": true}\n')
        assert talk.line()["id"] == 3


def test_half_a_line_at_the_end_is_not_acted_on(shared_table: Running) -> None:
    recorded = len(shared_table.rows())
    with Talk(shared_table.socket) as talk:
        talk.send(b'{"id": 1, "ask": {"do": "wager", "box": 1, "player": "ann"}')
        talk.socket.shutdown(socket.SHUT_WR)
        left = talk.socket.makefile("rb").read()

    assert b'"accepted":true' not in left
    assert len(shared_table.rows()) == recorded


TOO_LONG: dict[str, bytes] = {
    "by one sign": b"x" * (LONGEST + 1),
    "without an end": b"x" * (4 * 1024 * 1024),
    "a sign-in": b'{"id": 3, "sign_in": {"name": "ines", "pin": "%s"}}\n' % (b"7" * LONGEST),
    "behind others": b'{"id": 1, "view": true}\n' * 3 + b"x" * (LONGEST + 1) + b"\n",
}


@pytest.mark.parametrize("name", TOO_LONG)
def test_a_line_that_is_too_long_is_answered_and_costs_its_sender_the_connection(
    shared_table: Running, name: str
) -> None:
    with Talk(shared_table.socket) as other, Talk(shared_table.socket) as talk:
        with contextlib.suppress(ConnectionError):  # not all of it is taken
            talk.send(TOO_LONG[name])
        *before, last = until_closed(talk)

        assert last == {"id": None, "ok": False, "error": last["error"]}
        assert str(LONGEST) in last["error"]
        assert [line["ok"] for line in before] == [True] * TOO_LONG[name].count(b"view")
        assert other.look()["table"] == "Test 1"


def until_closed(talk: Talk) -> list[dict[str, Any]]:
    """Return what is told until the connection is closed."""
    told = []
    with contextlib.suppress(ConnectionError):
        while True:
            told.append(talk.line())
    return told


def say_on(talk: Talk) -> None:
    while True:
        talk.send(b"x")


def test_a_line_that_is_too_long_holds_no_place_though_its_answer_is_not_read(
    table: Running,
) -> None:
    """The client says on and reads nothing: views are in its way to the answer."""
    with Talk(table.socket) as talk:
        talk.send(b'{"id": 1, "view": true}\n' * 200)
        with contextlib.suppress(ConnectionError):
            talk.send(b"x" * (4 * 1024 * 1024))
        with pytest.raises(ConnectionError):
            say_on(talk)
        assert table.watch.look()["table"] == "Test 1"


def test_a_command_is_told_why_its_line_was_not_heard(shared_table: Running) -> None:
    words = ("say", "reserve", *["3"] * 40_000, "ann")
    done = tablekeeper(*words, "--socket", shared_table.socket)
    assert done.returncode
    assert str(LONGEST) in done.stderr
    assert "Traceback" not in done.stderr


def test_the_longest_line_is_heard(shared_table: Running) -> None:
    line = b'{"id": 1, "view": true}'
    with Talk(shared_table.socket) as talk:
        talk.send(line + b" " * (LONGEST - len(line) - 1) + b"\n")

        assert talk.line()["ok"]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
PLAIN = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)
WORDS = (
    *("wager", "withdraw", "no-more-bets", "stand", "double", "split", "forfeit", "surrender"),
    *("insure", "even-money", "absent", "cleared", "burn", "read", "confirm-layout"),
    *("enter-card", "not-burned", "cutting-card", "same-again", "resume", "nonsense"),
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "box": st.integers(-1, 10) | PLAIN,
        "player": st.sampled_from(["ann", "bob", ""]) | PLAIN,
        "players": st.lists(st.sampled_from(["ann", "bob"])) | PLAIN,
        "card": st.sampled_from(["7S", "TS", "??", "zz", ""]) | PLAIN,
        "main": st.integers(-500, 5000) | st.integers() | PLAIN,
        "amount": st.integers() | PLAIN,
        "pandemonium": st.integers() | PLAIN,
        "controls": st.booleans() | PLAIN,
    },
)
REQUESTS = st.builds(lambda word, fields: {"do": word, **fields}, st.sampled_from(WORDS), FIELDS)
LINES = st.fixed_dictionaries(
    {"id": st.integers() | PLAIN},
    optional={
        "ask": REQUESTS | PLAIN,
        "press": PLAIN
        | st.fixed_dictionaries({"device": st.just("keys"), "control": st.sampled_from("123DPFS")}),
        "view": st.just(True) | PLAIN,
        "by": st.text() | PLAIN,
    },
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(lines=st.lists(LINES, min_size=1, max_size=8))
def test_whatever_is_said_each_line_has_its_answer_and_nothing_stays_undecided(
    shared_table: Running, lines: list[dict[str, Any]]
) -> None:
    with Talk(shared_table.socket) as talk:
        for line in lines:
            talk.send(json.dumps(line).encode() + b"\n")
            answer = talk.line()
            assert isinstance(answer["ok"], bool)
            assert answer["ok"] or answer["error"]
        assert talk.look()["suspended"] == ""
