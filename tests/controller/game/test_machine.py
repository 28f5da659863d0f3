"""The machine: a refusal or a fault changes nothing, and every refusal has its clause."""

from itertools import product
from typing import Any, get_args

import msgspec
import pytest

from controller.errors import NotAllowed
from controller.game.machine import RuleMachine, machine_for
from controller.game.moves import (
    Absent,
    Advance,
    CardDealt,
    Cleared,
    Double,
    EvenMoney,
    Forfeit,
    Insure,
    Move,
    NoMoreBets,
    Request,
    Split,
    Stand,
    Surrender,
    Wager,
    Withdraw,
)
from controller.game.play import Play, RoundState
from controller.game.row import Refusal, Row
from controller.game.rows import CHOICE, ROWS, rows_name
from tests.controller.game.rounds import (
    BLACKJACK,
    NEW_ZEALAND,
    PONTOON,
    cards,
    dealt,
    table,
    then,
    wager,
)

STAND = Stand()
CARD = CardDealt(cards("2C")[0])

REQUESTS: tuple[Move, ...] = (
    wager(box=5),
    Withdraw(1),
    NoMoreBets(),
    Stand(),
    Double(),
    Split(),
    Forfeit(),
    Surrender(1),
    Insure(1, "ann", 100),
    EvenMoney(1, "ann"),
    Absent(1),
    Cleared(),
)

AT: dict[RoundState, tuple[Move | str, ...]] = {
    RoundState.WAGERS: (),
    RoundState.INITIAL_DEAL: ("9S",),
    RoundState.INTERIM_SETTLEMENT: ("9S 9D 3S",),
    RoundState.SUBSEQUENT_DEAL: ("9S 9D 3S 2S",),
    RoundState.DEALERS_HAND: ("9S 9D 3S", STAND),
    RoundState.FINAL_SETTLEMENT: ("9S 9D 3S", STAND, "KD"),
    RoundState.CLEARED: ("9S 9D 3S", STAND, "KD", Cleared()),
}
"""How a round comes to each state."""


def _at(state: RoundState, game: Any) -> Play:
    play = table(game, wager(), *AT[state])
    assert play.state is state
    return play


@pytest.mark.parametrize("game", [BLACKJACK, PONTOON, NEW_ZEALAND], ids=lambda game: game.name)
@pytest.mark.parametrize(
    ("state", "move"), list(product(AT, REQUESTS)), ids=lambda one: getattr(one, "value", None)
)
def test_a_move_that_no_row_lists_is_refused_and_every_refusal_has_its_clause(
    game: Any, state: RoundState, move: Move
) -> None:
    play = _at(state, game)
    rows = [row for row in ROWS[rows_name(game)] if row.on is type(move) and state in row.states]
    before = msgspec.json.encode(play)
    refusal = refusal_of(play, move)
    assert msgspec.json.encode(play) == before, "the play that it was asked of stands"
    assert rows or refusal
    assert refusal is None or (refusal.rule and refusal.why)


def refusal_of(play: Play, move: Move) -> NotAllowed | None:
    """Return why the move is refused, or None."""
    try:
        machine_for(play.game).apply(play, move)
    except NotAllowed as refusal:
        return refusal
    return None


def test_a_cleared_round_takes_nothing_more() -> None:
    play = _at(RoundState.CLEARED, BLACKJACK)
    for move in (*REQUESTS, CARD, Advance()):
        with pytest.raises(NotAllowed):
            machine_for(BLACKJACK).apply(play, move)


def test_the_machine_keeps_nothing_between_two_rounds() -> None:
    machine = machine_for(BLACKJACK)
    early, late = _at(RoundState.WAGERS, BLACKJACK), _at(RoundState.DEALERS_HAND, BLACKJACK)
    assert machine.apply(late, CARD).state is RoundState.DEALERS_HAND
    assert machine.apply(early, CARD).state is RoundState.INITIAL_DEAL
    assert machine.apply(late, CARD).state is RoundState.DEALERS_HAND


def test_asking_what_is_allowed_does_nothing() -> None:
    play = dealt(BLACKJACK, "9S 9D 3S")
    machine = machine_for(BLACKJACK)
    assert machine.allows(play, Stand())
    assert not machine.allows(play, Double())
    assert machine.allows(play, Stand())
    assert play == dealt(BLACKJACK, "9S 9D 3S")


def test_a_move_tells_the_clause_of_its_own_row_and_not_of_what_follows() -> None:
    play = dealt(BLACKJACK, "9S 9D 3S")
    after, rule = machine_for(BLACKJACK).cited(play, Stand())
    assert (after.state, rule) == (RoundState.DEALERS_HAND, "10.1.3")


# --- rows made for the test -----------------------------------------------------------------------


def _breaks(_play: Play, _move: Move) -> Play:
    raise RuntimeError("a fault in an effect")


def _no(rule: str) -> Any:
    return lambda _play, _move: Refusal(rule, f"because of {rule}")


def machine_of(*rows: Row) -> RuleMachine[Play]:
    """Return a machine of rows that are made for a test."""
    return RuleMachine(rows, RoundState, CHOICE)


W, DEAL = RoundState.WAGERS, RoundState.INITIAL_DEAL


def _called(play: Play, _move: Move) -> Play:
    return msgspec.structs.replace(play, no_more_bets=True)


def test_an_effect_that_raises_leaves_everything_as_it_was() -> None:
    machine = machine_of(
        Row("1", (W,), Stand, DEAL, None, _breaks),
        Row("2", (W,), NoMoreBets, DEAL, None, _called),
    )
    play = Play(game=BLACKJACK)
    with pytest.raises(RuntimeError, match="a fault in an effect"):
        machine.apply(play, Stand())
    assert play == Play(game=BLACKJACK)
    after, rule = machine.cited(play, NoMoreBets())
    assert (after.state, after.no_more_bets, rule) == (DEAL, True, "2")


def test_an_effect_that_raises_further_on_leaves_everything_as_it_was() -> None:
    machine = machine_of(
        Row("1", (W,), NoMoreBets, DEAL, None, _called),
        Row("2", (DEAL,), Advance, RoundState.INTERIM_SETTLEMENT, None, _breaks),
    )
    play = Play(game=BLACKJACK)
    with pytest.raises(RuntimeError):
        machine.apply(play, NoMoreBets())
    assert play == Play(game=BLACKJACK)


def test_the_first_row_that_holds_is_taken() -> None:
    machine = machine_of(
        Row("1", (W,), NoMoreBets, DEAL, _no("1")),
        Row("2", (W,), NoMoreBets, RoundState.CLEARED),
        Row("3", (W,), NoMoreBets, DEAL),
    )
    after, rule = machine.cited(Play(game=BLACKJACK), NoMoreBets())
    assert (after.state, rule) == (RoundState.CLEARED, "2")


def test_of_several_rows_that_refuse_the_first_ones_reason_is_told() -> None:
    machine = machine_of(
        Row("1", (W,), NoMoreBets, DEAL, _no("7")),
        Row("2", (W,), NoMoreBets, DEAL, _no("8")),
    )
    with pytest.raises(NotAllowed) as refusal:
        machine.apply(Play(game=BLACKJACK), NoMoreBets())
    assert (refusal.value.rule, refusal.value.why) == ("7", "because of 7")


def test_a_refusal_is_not_kept_for_the_next_move() -> None:
    machine = machine_of(Row("1", (W,), NoMoreBets, DEAL, _no("7")))
    with pytest.raises(NotAllowed):
        machine.apply(Play(game=BLACKJACK), NoMoreBets())
    with pytest.raises(NotAllowed) as refusal:
        machine.apply(Play(game=BLACKJACK), Stand())
    assert refusal.value.rule == "10.1.3"


def test_rows_that_go_on_by_themselves_for_ever_are_a_bug_and_told() -> None:
    machine = machine_of(
        Row("1", (W,), NoMoreBets, DEAL),
        Row("2", (DEAL,), Advance, W),
        Row("3", (W,), Advance, DEAL),
    )
    with pytest.raises(AssertionError, match="for ever"):
        machine.apply(Play(game=BLACKJACK), NoMoreBets())


def test_every_request_of_the_game_is_among_those_tried_here() -> None:
    """The jackpot and cards dealt in error have their own tests: they need a table of their own."""
    tried = {type(move) for move in REQUESTS}
    assert tried <= set(get_args(Request))
    assert {Wager, Stand, Double, Split, Surrender, Insure, EvenMoney, Forfeit} <= tried


def test_the_first_card_closes_the_wagers_whether_called_or_not() -> None:
    """5.2"""
    for play in (table(BLACKJACK, "9S"), dealt(BLACKJACK, "9S")):
        assert play.state is RoundState.INITIAL_DEAL
        with pytest.raises(NotAllowed) as refusal:
            then(play, wager(box=2))
        assert refusal.value.rule == "5.2"
