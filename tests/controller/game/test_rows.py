"""The rows are a rule book that can be read and followed: nothing unreachable, nothing hidden."""

import enum
from itertools import pairwise
from typing import get_args

import pytest

from controller.game.moves import Advance, CardDealt, GivenBack, Move, Request
from controller.game.play import RoundState
from controller.game.row import Row
from controller.game.rows import CHOICE, ROWS

ALL_ROWS = [(name, row) for name, rows in ROWS.items() for row in rows]
BY_SUPERVISION: frozenset[RoundState] = frozenset({RoundState.VOID})
"""States that a round comes to by a supervisor's word and not by the cards."""


def _moves() -> set[type[Move]]:
    return set(Move.__subclasses__())


@pytest.mark.parametrize("name", ROWS)
def test_every_state_can_be_reached(name: str) -> None:
    reached: set[enum.Enum] = {RoundState.WAGERS}
    while more := {row.to for row in ROWS[name] if row.to and reached & set(row.states)} - reached:
        reached |= more
    assert reached >= set(RoundState) - BY_SUPERVISION


def test_every_move_has_a_row_at_some_game() -> None:
    assert {row.on for _, row in ALL_ROWS} == _moves()


@pytest.mark.parametrize("name", ROWS)
def test_no_row_hides_behind_one_that_always_holds(name: str) -> None:
    for state in RoundState:
        for move in _moves():
            rows = [row for row in ROWS[name] if row.on is move and state in row.states]
            for first, second in pairwise(rows):
                assert first.when is not None, f"{second.rule} at {state} is never reached"


@pytest.mark.parametrize("name", ROWS)
def test_what_follows_by_itself_moves_on_and_does_nothing(name: str) -> None:
    for row in ROWS[name]:
        if row.on is Advance:
            assert row.then is None, row.rule
            assert row.when is not None, row.rule
            assert row.to is not None, row.rule
            assert row.to not in row.states, row.rule


@pytest.mark.parametrize("name", ROWS)
def test_a_round_never_comes_back_by_itself(name: str) -> None:
    """No loop of ``Advance`` rows: each leads on in the order of the states."""
    order: list[enum.Enum] = list(RoundState)
    for row in ROWS[name]:
        if row.on is Advance:
            assert row.to is not None
            assert all(order.index(state) < order.index(row.to) for state in row.states), row.rule


@pytest.mark.parametrize("name", ROWS)
def test_a_card_always_goes_somewhere(name: str) -> None:
    """Until the table is cleared; while wagers are open, there are some or there are none."""
    over = {RoundState.CLEARED, RoundState.VOID, RoundState.WAGERS}
    for state in set(RoundState) - over:
        rows = [row for row in ROWS[name] if row.on is CardDealt and state in row.states]
        assert rows, state
        assert rows[-1].when is None, state


def test_every_row_cites_a_clause_and_lists_its_states_once() -> None:
    for name, row in ALL_ROWS:
        assert row.rule, (name, row)
        assert row.states, (name, row.rule)
        assert len(set(row.states)) == len(row.states), (name, row.rule)


def test_no_row_stands_twice() -> None:
    for name, rows in ROWS.items():
        for row in rows:
            assert rows.count(row) == 1, (name, row.rule)


def test_every_request_has_a_clause_that_gives_its_choice() -> None:
    assert set(CHOICE) == set(get_args(Request))
    assert all(rule and why for rule, why in CHOICE.values())


def test_the_games_share_what_blackjack_and_pontoon_have_in_common() -> None:
    shared = [row for row in ROWS["blackjack"] if row in ROWS["pontoon"]]
    assert [row for row in ROWS["pontoon"] if row in shared] == shared
    only: dict[str, set[str]] = {
        name: {row.on.__name__ for row in rows if row not in shared} for name, rows in ROWS.items()
    }
    assert only["blackjack"] == {"EvenMoney"}
    assert {"Surrender", "Forfeit"} <= only["pontoon"]


def test_a_row_that_stays_has_an_effect() -> None:
    marks = {GivenBack}  # it only says that rule 17 was here
    rows: list[Row] = [row for _, row in ALL_ROWS if row.to is None and row.on not in marks]
    assert all(row.then is not None for row in rows)
