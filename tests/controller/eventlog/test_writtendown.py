"""What is written down by hand: read back as it was meant, and a slip of the pen told as one."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.eventlog import Head
from controller.eventlog.writtendown import (
    DIGITS,
    FEWEST,
    NotWrittenDown,
    WrittenDown,
    compare,
    line_to_write_down,
)

HASHES = st.text("0123456789abcdef", min_size=64, max_size=64)
HEADS = st.builds(Head, st.integers(1, 10**18 - 1), HASHES)
SIGNS = string.ascii_letters + string.digits + "-=: .,"


@given(HEADS, st.text(max_size=30), st.integers(0, 99_999))
def test_a_line_that_was_written_down_is_read_back(head: Head, table: str, day: int) -> None:
    line = line_to_write_down(head, table.replace(":", ""), day, "2026-05-10")

    assert WrittenDown.find(line) == WrittenDown(head.seq, head.hash[:DIGITS], is_checked=True)


@given(HEADS)
def test_capitals_blanks_and_a_time_beside_it_do_not_matter(head: Head) -> None:
    text = str(WrittenDown.of(head))

    for written in (
        text.upper(),
        text.replace("-", " "),
        text.replace("-", ""),
        f"at 23:30, {text}",
    ):
        found = WrittenDown.find(written)
        assert found is not None
        assert (found.seq, found.digits) == (head.seq, head.hash[:DIGITS])


@given(HEADS, st.data())
def test_one_wrong_sign_or_two_that_were_swapped_never_pass(
    head: Head, data: st.DataObject
) -> None:
    text = str(WrittenDown.of(head))
    places = [place for place, sign in enumerate(text) if sign not in ":-="]
    at = data.draw(st.sampled_from(places))
    other = data.draw(st.sampled_from([sign for sign in "0123456789abcdef" if sign != text[at]]))
    wrong = [text[:at] + other + text[at + 1 :]]
    after = next((place for place in places if place > at), None)
    if after == at + 1 and text[at] != text[after]:
        wrong.append(text[:at] + text[after] + text[at] + text[after + 1 :])

    for line in wrong:
        try:
            found = WrittenDown.find(line)
        except NotWrittenDown:
            continue
        assert found is None  # a letter in the number


@given(HEADS, st.integers(1, 64))
def test_a_hash_is_compared_as_far_as_it_was_copied(head: Head, length: int) -> None:
    text = f"{head.seq}:{head.hash[:length]}"

    if length < FEWEST:
        with pytest.raises(NotWrittenDown, match=f"{length} digits of a hash are too few"):
            WrittenDown.find(text)
    else:
        assert WrittenDown.find(text) == (head.seq, head.hash[:length], False)


@given(st.text(SIGNS))
def test_any_text_is_a_checkpoint_or_none_or_told_what_is_wrong(text: str) -> None:
    try:
        found = WrittenDown.find(text)
    except NotWrittenDown:
        return
    assert found is None or (found.seq > 0 and len(found.digits) >= FEWEST)


def test_a_number_or_a_hash_that_no_log_has_is_called_so() -> None:
    with pytest.raises(NotWrittenDown, match="no log has an event 0"):
        WrittenDown.find("0:" + "a" * 20)
    with pytest.raises(NotWrittenDown, match="no log has an event 999999999999999999…"):
        WrittenDown.find("9" * 5000 + ":" + "a" * 20)
    with pytest.raises(NotWrittenDown, match="a hash has 64 digits, here are 65"):
        WrittenDown.find("7:" + "a" * 65)


def test_the_first_of_several_that_do_not_hold_is_told_and_how_far_the_others_vouch() -> None:
    hashes = {seq: f"{seq:064x}" for seq in range(1, 10)}
    written = [WrittenDown(seq, hashes[seq]) for seq in (2, 4)]
    rewritten = [WrittenDown(seq, "f" * 20) for seq in (8, 6)]

    said = compare([*rewritten, *written], 1, Head(9, hashes[9]), hashes.get, whole=True)

    assert said.bad is not None
    assert said.bad.seq == 6
    assert said.held == Head(4, hashes[4])
