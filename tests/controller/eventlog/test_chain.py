"""Each row is sealed together with all that came before."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.eventlog import GENESIS, START, Content, Entry, Head, row_hash
from controller.eventlog.chain import fits, head_of, link

AT = "2026-05-09T07:35:25.123456Z"

texts = st.text(max_size=8)
contents = st.builds(
    Content,
    seq=st.integers(1, 99),
    at=texts,
    round=st.integers(0, 99),
    kind=texts,
    cause=st.none() | st.integers(1, 99),
    body=st.binary(max_size=8).map(msgspec.Raw),
)


def entries(*kinds: str) -> list[Entry]:
    return [Entry(4, kind, b"{}") for kind in kinds]


def test_the_first_row_follows_from_the_genesis_hash() -> None:
    (row,) = link(START, AT, *entries("started"), (), None)

    assert (row.seq, row.cause) == (1, None)
    assert row.hash == row_hash(GENESIS, row.content())


def test_outcomes_follow_their_event_and_have_it_as_their_cause() -> None:
    event, *outcomes = entries("press", "stood", "due")

    rows = link(Head(41, "f" * 64), AT, event, outcomes, 40)

    assert [(row.seq, row.kind, row.cause) for row in rows] == [
        (42, "press", 40),
        (43, "stood", 42),
        (44, "due", 42),
    ]
    assert {row.at for row in rows} == {AT}
    assert fits("f" * 64, rows[0])
    assert fits(rows[0].hash, rows[1])
    assert fits(rows[1].hash, rows[2])
    assert head_of(rows) == (44, rows[2].hash)


@pytest.mark.parametrize("cause", [-1, 0, 42, 43])
def test_a_cause_is_an_event_already_in_the_log(cause: int) -> None:
    with pytest.raises(ValueError, match="not in the log"):
        link(Head(41, "f" * 64), AT, *entries("press"), (), cause)


def test_a_time_without_utc_is_refused() -> None:
    with pytest.raises(ValueError, match="UTC"):
        link(START, "2026-05-09T07:35:25", *entries("press"), (), None)


@settings(deadline=None)
@given(contents, contents, st.sampled_from([GENESIS, "f" * 64]))
def test_different_content_has_a_different_hash(one: Content, other: Content, before: str) -> None:
    assert (row_hash(before, one) == row_hash(before, other)) is (one == other)


@settings(deadline=None)
@given(contents)
def test_the_hash_before_is_part_of_the_hash(content: Content) -> None:
    assert row_hash(GENESIS, content) != row_hash("f" * 64, content)


def test_text_that_cannot_be_written_fits_nothing() -> None:
    (row,) = link(START, AT, *entries("started"), (), None)

    assert not fits(GENESIS, replace(row, kind="\udcff"))
