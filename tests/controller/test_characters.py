"""Which characters are a text, and how those that are none are refused or written out."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.characters import (
    MOST_MARKS,
    columns,
    padded,
    printable,
    printable_in,
    taken,
    taken_in,
)
from tests.hidden import HIDDEN, SEEN, hidden_characters, hidden_in, texts


@pytest.mark.parametrize("text", [*SEEN, "two words", "", "ḗ" * 40])
def test_what_people_are_called_is_taken_and_shown_as_it_is(text: str) -> None:
    assert taken(text) == text
    assert printable(text) == text


@pytest.mark.parametrize("name", HIDDEN)
def test_what_cannot_be_seen_is_refused_by_its_number_and_place(name: str) -> None:
    text = unicodedata.normalize("NFC", HIDDEN[name])
    with pytest.raises(ValueError, match=r"its character \d+ is U\+[0-9A-F]{4,6} \(.+\): ") as said:
        taken(HIDDEN[name])

    place = int(str(said.value).split()[2])
    assert f"U+{ord(text[place - 1]):04X} (" in str(said.value)
    assert hidden_in(str(said.value)) == []


def test_the_character_is_called_by_its_name() -> None:
    with pytest.raises(ValueError, match=r"character 3 is U\+202E \(RIGHT-TO-LEFT OVERRIDE\): "):
        taken("an\u202enom")
    with pytest.raises(ValueError, match=r"character 1 is U\+001B \(a control character\): "):
        taken("\x1b[2J")


def test_the_same_letters_are_the_same_text() -> None:
    assert taken("Zoe\u0308") == taken("Zoë") == "Zoë"


def test_a_letter_carries_as_many_marks_as_scripts_have() -> None:
    assert taken("q" + "\u0323" * MOST_MARKS)
    with pytest.raises(ValueError, match="at most 4 such marks"):
        taken("q" + "\u0323" * (MOST_MARKS + 1))


@given(before=st.text("abc ", max_size=5), char=hidden_characters, after=st.text("abc"))
def test_nothing_that_cannot_be_seen_is_taken_wherever_it_stands(
    before: str, char: str, after: str
) -> None:
    with pytest.raises(ValueError, match=r"U\+"):
        taken(before + char + after)


@given(texts)
def test_what_is_taken_can_be_seen_and_is_shown_as_it_is(text: str) -> None:
    try:
        told = taken(text)
    except ValueError:
        return
    assert hidden_in(told, but="") == []
    assert printable(told) == told


@given(texts)
def test_whatever_is_shown_can_be_seen_and_showing_it_again_changes_nothing(text: str) -> None:
    shown = printable(text)

    assert hidden_in(shown, but="") == []
    assert printable(shown) == shown
    if not hidden_in(text, but=""):
        assert shown == text


@given(st.recursive(texts, lambda one: st.lists(one) | st.dictionaries(texts, one)))
def test_json_holds_the_same_values_when_it_is_shown(value: object) -> None:
    shown = printable(json.dumps(value, ensure_ascii=False))

    assert json.loads(shown) == value
    assert hidden_in(json.dumps(printable_in(value), ensure_ascii=False)) == []


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"devices": {"shoe": {"port": "\u3164"}}}, "devices.shoe.port: "),
        ({"devices": {"sh\u200boe": {}}}, "a key of devices: "),
        ({"\u200b": 1}, "a key: "),
        ({"players": ["ann", "b\u200bob"]}, "players: "),
    ],
)
def test_where_it_stands_is_said(value: object, where: str) -> None:
    with pytest.raises(ValueError, match=r"U\+") as said:
        taken_in(value)
    assert str(said.value).startswith(where)


def test_two_keys_of_the_same_letters_are_told_and_none_of_them_is_lost() -> None:
    with pytest.raises(ValueError, match="devices: two of its keys are the same"):
        taken_in({"devices": {"Zoe\u0308": 1, "Zo\u00eb": 2}})


def test_columns_are_those_of_a_terminal() -> None:
    assert columns("李小龙") == 6
    assert padded("李", 4) == "李  "
    assert padded("李", 4, right=True) == "  李"
    assert padded("Zoe\u0308", 4) == "Zoe\u0308 "
