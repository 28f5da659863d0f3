"""Entries check themselves, and a row has one way to be written."""

import json
from decimal import Decimal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.eventlog import Entry, MemoryLog, as_json_line, canonical
from controller.eventlog.row import is_canonical, is_kind, is_moment

AT = "2026-05-09T07:35:25.123456Z"

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
json_objects = st.dictionaries(st.text(), json_values, max_size=6)


@settings(deadline=None)
@given(json_objects)
def test_canonical_json_reads_back_and_is_one_line_for_any_object(obj: dict[str, object]) -> None:
    body = canonical(obj)

    assert json.loads(body) == obj
    assert is_canonical(body)
    assert b"\n" not in body


@settings(deadline=None)
@given(json_objects)
def test_canonical_json_does_not_depend_on_the_order_of_keys(obj: dict[str, object]) -> None:
    assert canonical(dict(reversed(obj.items()))) == canonical(obj)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("wrap", [lambda n: n, lambda n: [1, n], lambda n: {"a": (n,)}])
def test_a_number_that_is_not_finite_is_refused_at_any_depth(number, wrap) -> None:
    with pytest.raises(ValueError, match="no JSON form"):
        canonical({"odds": wrap(number)})


@pytest.mark.parametrize("obj", [[1], "text", None, 7])
def test_a_body_is_an_object(obj) -> None:
    with pytest.raises(TypeError, match="JSON object"):
        canonical(obj)


def test_structs_and_rich_values_become_plain_json() -> None:
    class Paid(msgspec.Struct):
        stake: Decimal
        boxes: frozenset[int]

    assert canonical(Paid(Decimal("2.50"), frozenset({3, 1, 2}))) == (
        b'{"boxes":[1,2,3],"stake":"2.50"}'
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b'{"b":1,"a":2}',
        b'{"a": 1}',
        b'{"a":1}\n',
        b'{"a":1,"a":1}',
        b'{"a":1.50}',
        b'{"a":"\\u0041"}',
        b'{"a":NaN}',
        b'{"a":"\xff"}',
        b'{"a":1}{"b":2}',
    ],
)
def test_an_entry_takes_no_body_but_a_canonical_one(body: bytes) -> None:
    with pytest.raises(ValueError, match="canonical"):
        Entry(0, "note", body)


@pytest.mark.parametrize("kind", ["", "two words", "1st", "a\n", 'a"b', "é", "-a"])
def test_an_entry_takes_no_kind_but_one_word(kind: str) -> None:
    assert not is_kind(kind)
    with pytest.raises(ValueError, match="kind"):
        Entry(0, kind, b"{}")


@pytest.mark.parametrize("round_", [-1, 2**63])
def test_an_entry_takes_no_round_that_cannot_be_kept(round_: int) -> None:
    with pytest.raises(ValueError, match="round"):
        Entry(round_, "note", b"{}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-05-09T07:35:25Z",
        "2026-05-09T07:35:25.123Z",
        "2026-05-09 07:35:25.123456Z",
        "2026-05-09T07:35:25.123456",
        "2026-05-09T07:35:25.123456+00:00",
        "2026-05-09T07:35:25.123456+02:00",
        "2026-02-30T07:35:25.123456Z",
        "2026-05-09T07:35:25.123456Z\n",
    ],
)
def test_only_utc_with_microseconds_is_a_moment(text: str) -> None:
    assert is_moment(AT)
    assert not is_moment(text)


def test_a_json_line_has_the_keys_in_order_and_the_body_as_it_is() -> None:
    (row,) = MemoryLog().append(AT, Entry(7, "note", b'{"big":1e16,"hash":"x"}'))

    line = as_json_line(row)

    assert list(json.loads(line)) == ["seq", "at", "round", "kind", "cause", "body", "hash"]
    assert line == (
        b'{"seq":1,"at":"%s","round":7,"kind":"note","cause":null,'
        b'"body":{"big":1e16,"hash":"x"},"hash":"%s"}' % (AT.encode(), row.hash.encode())
    )
