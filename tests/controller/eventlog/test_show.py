"""A log as text for people."""

import time
from collections.abc import Iterator

import msgspec
import pytest
from msgspec.structs import replace

from controller.eventlog import Entry, MemoryLog, Row, canonical, lines

AT = "2026-05-09T07:35:25.123456Z"


@pytest.fixture(autouse=True)
def in_sydney(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Australia/Sydney")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def row(**body: object) -> Row:
    return MemoryLog().append(AT, Entry(4711, "note", canonical(body)))[0]


def shown(row: Row) -> str:
    (line,) = lines([row])
    return line


def test_a_line_has_local_time_place_round_kind_cause_and_body() -> None:
    log = MemoryLog()
    drawn = Entry(4711, "card-drawn", canonical({"card": "AS", "box": 3}))
    log.append(AT, drawn, [Entry(4711, "due", canonical({}))])

    assert list(lines(log.rows())) == [
        "17:35:25      1  4711 card-drawn                   box=3 card=AS",
        "17:35:25      2  4711 due                  <-1",
    ]


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("plain", "plain"),
        ("two words", "'two words'"),
        ("", "''"),
        (None, "null"),
        (True, "true"),
        (2.5, "2.5"),
        ([1, "a"], '[1,"a"]'),
        ({"x": 1}, '{"x":1}'),
        ("\x1b[2J", r"'\x1b[2J'"),
        ("a\nb", r"'a\nb'"),
        ("\u202e", r"'\u202e'"),
        ("Ä", "Ä"),
        ("y" * 50, "y" * 39 + "…"),
    ],
)
def test_a_value_is_one_short_word_that_cannot_disturb_a_terminal(value, word: str) -> None:
    assert shown(row(v=value)).endswith(f" v={word}")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff"])
def test_a_body_nobody_can_read_is_called_so(body: bytes) -> None:
    assert shown(replace(row(), body=msgspec.Raw(body))).endswith(" (unreadable body)")


def test_a_time_nobody_can_read_is_left_open() -> None:
    assert shown(replace(row(), at="noon")).startswith("??:??:??")
