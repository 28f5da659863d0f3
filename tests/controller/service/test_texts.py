"""What people say over the socket is text, else it is an error; devices' words are written out."""

import json
import re
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from controller.events import Ask
from controller.service.requests import NotARequest, Press, read
from controller.service.translate import heard, translate
from drivers import events as told_by_devices
from tests.hidden import HIDDEN, SEEN, hidden_characters, hidden_in, texts
from tests.system.table import Running
from tests.system.talk import Talk

TEXT = "TEXT"
"""Stands in a request where somebody's own words go."""


def example(kind: inspect.Type) -> Any:
    """Return something of a type: TEXT where any word will do."""
    match kind:
        case inspect.StrType(pattern=pattern):
            return TEXT if pattern is None or re.fullmatch(pattern, TEXT) else "7S"
        case inspect.IntType():
            return 1
        case inspect.BoolType():
            return True
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.VarTupleType(item_type=item):
            return [example(item)]
        case inspect.UnionType(types=types):
            return next(example(one) for one in types if not isinstance(one, inspect.NoneType))
        case inspect.Metadata(type=one):
            return example(one)
    raise AssertionError(kind)


def requests() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every request that holds somebody's own words."""
    for asked in (*get_args(Ask), Press):
        info = inspect.type_info(asked)
        assert isinstance(info, inspect.StructType)
        word = "press" if asked is Press else "ask"
        fields = {field.name: example(field.type) for field in info.fields}
        if info.tag_field is not None:
            fields[info.tag_field] = info.tag
        if TEXT in json.dumps(fields):
            yield f"{word} {info.tag}", {word: fields}
    yield "a role", {"ask": {"do": "resume"}, "by": TEXT}


REQUESTS = dict(requests())


def line(request: dict[str, Any], text: str, *, ascii_only: bool = False) -> bytes:
    """Return the line that asks so, with a text in all the places for one."""
    plain = json.dumps({"id": 1, **request}).replace(f'"{TEXT}"', json.dumps(text))
    whole = json.dumps(json.loads(plain), ensure_ascii=ascii_only)
    return whole.encode("utf-8", "surrogatepass")


def test_every_request_with_words_of_ones_own_is_tried() -> None:
    assert len(REQUESTS) > 25
    assert {"ask wager", "ask answer-alarm", "ask new-shoe", "ask double", "press None"} < {
        *REQUESTS
    }


@pytest.mark.parametrize("asked", REQUESTS)
@given(before=st.sampled_from(["", "a"]), char=hidden_characters, ascii_only=st.booleans())
def test_what_cannot_be_seen_is_refused_by_every_request(
    asked: str, before: str, char: str, ascii_only: bool
) -> None:
    with pytest.raises(NotARequest) as refused:
        read(line(REQUESTS[asked], before + char, ascii_only=ascii_only))

    assert hidden_in(str(refused.value), but="") == []
    if not "\ud800" <= char <= "\udfff":  # which is no JSON at all
        assert f"U+{ord(char):04X} (" in str(refused.value)
        assert refused.value.number == 1


@pytest.mark.parametrize("asked", REQUESTS)
@pytest.mark.parametrize("name", SEEN)
def test_what_people_are_called_is_read_as_it_is(asked: str, name: str) -> None:
    request = msgspec.to_builtins(read(line(REQUESTS[asked], name)))

    assert name in json.dumps(request, ensure_ascii=False).replace("\\\\", "\\")


def test_the_same_letters_are_the_same_player() -> None:
    wager = REQUESTS["ask wager"]

    assert read(line(wager, "Zoe\u0308")) == read(line(wager, "Zo\u00eb"))


@given(texts)
def test_whatever_is_wrong_with_a_line_its_error_can_be_seen(text: str) -> None:
    for request in ({text: 1}, {"ask": {"do": text}}, {"ask": {"do": "resume", text: 1}}):
        with pytest.raises(NotARequest) as refused:
            read(line(request, ""))
        assert hidden_in(str(refused.value), but="") == []


@pytest.mark.parametrize("name", HIDDEN)
def test_a_name_that_cannot_be_seen_is_refused_unrecorded(shared_table: Running, name: str) -> None:
    before = len(shared_table.rows())
    with Talk(shared_table.socket) as talk:
        answer = talk.ask("wager", box=2, player=HIDDEN[name], main=1000)

        assert answer["ok"] is False
        assert re.search(r"ask\.player: its character \d+ is U\+[0-9A-F]+ \(", answer["error"])
        assert talk.look()["boxes"] == []
    assert len(shared_table.rows()) == before


def test_an_error_about_characters_repeats_nothing_like_a_pin(shared_table: Running) -> None:
    with Talk(shared_table.socket) as talk:
        for sign_in in (
            {"name": "4711\u202e", "pin": "9999"},
            {"name": "ines", "pin": "4711\u3164"},
        ):
            answer = talk.request(sign_in=sign_in)
            assert answer["ok"] is False
            assert "4711" not in answer["error"]
        answer = talk.request(ask={"do": "resume", "4711": {"x": "\u202e"}})
    assert answer["error"].startswith("ask.****.x: its character 1 is U+202E")


DEVICE_EVENTS = st.sampled_from(get_args(told_by_devices.DeviceEvent)).flatmap(
    lambda kind: st.builds(
        kind,
        **{
            field.name: texts
            for field in msgspec.structs.fields(kind)
            if field.type is str or (field.type == (str | None) and field.name != "card")
        },
    )
)


@given(DEVICE_EVENTS)
def test_whatever_a_device_says_is_heard_and_written_out(
    event: told_by_devices.DeviceEvent,
) -> None:
    told = heard(event)

    assert type(told) is type(event)
    assert heard(told) == told
    recorded = translate("shoe", told)
    for one in (told, recorded):
        assert hidden_in(json.dumps(msgspec.to_builtins(one), ensure_ascii=False), but="") == []
