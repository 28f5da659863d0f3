"""Expectations are matched to rows, no row twice, and a failure tells what is there instead."""

import re
from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from controller.scripts.result import compare
from controller.scripts.script import Expected
from tests.controller.scripts.playing import play_text


def expecting(*rows: dict[str, Any]) -> tuple[Expected, ...]:
    """Return expectations, each at a line of its own."""
    return tuple(Expected(line, row) for line, row in enumerate(rows, start=10))


def row(player: str = "ann", **keys: Any) -> dict[str, Any]:
    """Return a row of a result with the keys that these tests look at."""
    return {"box": 1, "player": player, "hand": 1, "wager": "main", "pays": 0, **keys}


def test_no_expectation_fails_nothing() -> None:
    assert compare((), [row()]) == []


def test_an_expectation_without_any_row_fails() -> None:
    (failed,) = compare(expecting({"player": "ann"}), [])
    assert (failed.line, failed.expected, failed.instead) == (10, {"player": "ann"}, [])


def test_one_row_holds_one_expectation_only() -> None:
    twice = {"player": "ann", "pays": 5}
    assert compare(expecting(twice, twice), [row(pays=5), row(pays=5)]) == []
    (failed,) = compare(expecting(twice, twice), [row(pays=5), row(pays=6)])
    assert failed.line == 11


def test_a_vague_expectation_leaves_its_row_to_a_strict_one() -> None:
    rows = [row(pays=5), row("bob", pays=5)]
    assert compare(expecting({"pays": 5}, {"player": "ann"}), rows) == []
    assert compare(expecting({"player": "ann"}, {"pays": 5}), rows) == []


def test_null_is_a_value_and_a_key_left_out_is_none() -> None:
    rows = [row(box=None, hand=None)]
    assert compare(expecting({"box": None}), rows) == []
    assert len(compare(expecting({"box": 1}), rows)) == 1
    assert compare(expecting({"player": "ann"}), rows) == []


def test_what_failed_is_told_with_the_row_of_the_same_wager() -> None:
    rows = [row(pays=5), row(wager="double", pays=7), row("bob", pays=9)]
    (failed,) = compare(expecting({"box": 1, "player": "ann", "wager": "double", "pays": 5}), rows)
    assert failed.instead == [rows[1]]


def test_else_with_the_rows_of_the_same_player() -> None:
    rows = [row(pays=5), row(wager="double", pays=7), row("bob", pays=9)]
    (failed,) = compare(expecting({"box": 2, "player": "ann"}), rows)
    assert failed.instead == rows[:2]


def test_else_with_all_rows() -> None:
    rows = [row(), row("bob")]
    (failed,) = compare(expecting({"player": "cam"}), rows)
    assert failed.instead == rows


ROWS = st.lists(
    st.fixed_dictionaries({
        "player": st.sampled_from(["ann", "bob"]),
        "pays": st.sampled_from([0, 5]),
        "hand": st.sampled_from([1, None]),
    }),
    max_size=5,
)  # fmt: skip
WANTED = st.lists(
    st.dictionaries(st.sampled_from(["player", "pays", "hand"]),
                    st.sampled_from(["ann", "bob", 0, 5, 1, None]), min_size=1),
    max_size=5,
)  # fmt: skip


def _fits(wanted: dict[str, Any], row: dict[str, Any]) -> bool:
    return all(row[key] == value for key, value in wanted.items())


def _most_that_fit(wanted: list[dict[str, Any]], rows: list[dict[str, Any]]) -> int:
    """Return for how many expectations rows can be found: all orders of the rows are tried."""
    padded = [*rows, *[None] * len(wanted)]
    return max(
        sum(row is not None and _fits(one, row) for one, row in zip(wanted, order, strict=False))
        for order in permutations(padded, len(wanted))
    )


@given(WANTED.map(lambda rows: rows[:3]), ROWS.map(lambda rows: rows[:4]))
def test_as_many_hold_as_can_hold_at_all(
    wanted: list[dict[str, Any]], rows: list[dict[str, Any]]
) -> None:
    failed = compare(expecting(*wanted), rows)
    assert len(wanted) - len(failed) == _most_that_fit(wanted, rows)


@given(WANTED, ROWS)
def test_the_order_of_rows_and_expectations_does_not_matter(
    wanted: list[dict[str, Any]], rows: list[dict[str, Any]]
) -> None:
    failed = compare(expecting(*wanted), rows)
    assert len(compare(expecting(*wanted[::-1]), rows[::-1])) == len(failed)
    assert all(one.expected in wanted for one in failed)


ROUND = """\
title: a player loses on {total}
game: blackjack-nsw
bets:
  - {{box: 1, player: ann, main: 7.50}}
play:
  - cards TS 9D {second}
  - stand
  - cards TD
expect:
  - {{box: 1, player: ann, wager: main, result: win, pays: 7.50, odds: 1:1}}
"""


def test_the_result_says_what_the_table_says() -> None:
    result = play_text(ROUND.format(total=20, second="KS"))
    assert (result.ok, result.failed, result.status) == (True, [], "complete")
    assert result.settlements == [{
        "box": 1, "player": "ann", "hand": 1, "wager": "main", "stake": 750, "result": "win",
        "odds": "1:1", "pays": 750, "returns": 750, "rule": "15.1.3",
    }]  # fmt: skip
    assert (result.game, result.source, result.pending) == ("blackjack-nsw", "shoe", [])
    assert (result.refused, result.corrections) == ([], [])


def test_what_did_not_hold_is_told_with_its_line_and_what_was_there() -> None:
    result = play_text(ROUND.format(total=18, second="8S"))
    assert not result.ok
    (failed,) = result.failed
    assert failed.line == 10
    assert failed.expected["pays"] == 750
    assert [one["result"] for one in failed.instead] == ["lose"]


def test_head_and_count_are_those_of_the_log() -> None:
    result = play_text(ROUND.format(total=20, second="KS"))
    assert result.events > 10
    assert re.fullmatch(r"[0-9a-f]{64}", result.head)
