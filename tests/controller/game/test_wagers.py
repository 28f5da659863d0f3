"""Wagers placed, said again and taken back (5.1 to 5.5, 14.3, 18.14.3), and old rows of them."""

import msgspec
import pytest

from controller.game.machine import machine_for
from controller.game.moves import Absent, CallDecisions, Made, Wager, Withdraw
from controller.game.options import Game, build
from controller.game.play import Bet, Box, Play
from controller.game.wagers import may_wager, place
from tests.controller.game.rounds import BLACKJACK, PONTOON, dealt

SIDES = build("blackjack-nsw", {"super_sevens": True, "perfect_pairs": True})
NZ = build("pontoon-nz", {})


def placed(game: Game, *moves: Made) -> Play:
    play = Play(game=game)
    for move in moves:
        play = machine_for(game).apply(play, move)
    return play


def ann(
    main: int | None = None,
    *,
    super_sevens: int | None = None,
    perfect_pairs: int | None = None,
    pandemonium: int | None = None,
    voucher: bool | None = None,
) -> Wager:
    """Return a word of ann's on box 1."""
    return Wager(
        box=1, player="ann", main=main, super_sevens=super_sevens, perfect_pairs=perfect_pairs,
        pandemonium=pandemonium, voucher=voucher,
    )  # fmt: skip


LIES = ann(1000, super_sevens=500, perfect_pairs=200, voucher=True)
BET = Bet(player="ann", main=1000, super_sevens=500, perfect_pairs=200, voucher=True)


@pytest.mark.parametrize(
    ("again", "changed"),
    [
        (ann(), {}),
        (ann(1000), {}),
        (ann(2000, voucher=False), {"main": 2000, "voucher": False}),
        (ann(2000, voucher=True), {"main": 2000}),
        (ann(voucher=False), {"voucher": False}),
        (ann(super_sevens=0), {"super_sevens": 0}),
        (ann(super_sevens=100, perfect_pairs=0), {"super_sevens": 100, "perfect_pairs": 0}),
        (ann(1000, perfect_pairs=700), {"perfect_pairs": 700}),
    ],
)
def test_5_2_what_is_left_out_stays_as_it_lies(again: Wager, changed: dict[str, object]) -> None:
    play = placed(SIDES, LIES, again)
    assert play.boxes[0].bets == (msgspec.structs.replace(BET, **changed),)


def test_5_2_another_players_wager_stays_where_it_is_listed() -> None:
    bob = Wager(box=1, player="bob", main=500)
    play = placed(SIDES, ann(1000), bob, ann(2000, perfect_pairs=200))
    assert [(bet.player, bet.main, bet.perfect_pairs) for bet in play.boxes[0].bets] == [
        ("ann", 2000, 200),
        ("bob", 500, 0),
    ]


@pytest.mark.parametrize(
    ("game", "lies", "move", "rule"),
    [
        (SIDES, None, ann(0), "5.1"),
        (SIDES, LIES, ann(0), "5.1"),
        (SIDES, LIES, ann(2000), "1.1 voucher"),
        (SIDES, LIES, ann(999, perfect_pairs=100), "1.1 voucher"),
        (SIDES, None, ann(perfect_pairs=500), "14.3"),
        (SIDES, None, ann(super_sevens=500), "14.3"),
        (SIDES, None, ann(1000, pandemonium=500), "14.2"),
        (SIDES, None, ann(1000, perfect_pairs=-1), "14.2"),
        (PONTOON, None, ann(1000, perfect_pairs=500), "14.2"),
        (PONTOON, None, ann(pandemonium=500), "18.14.3"),
        (build("pontoon-nsw", {"pandemonium": False}), None, ann(1000, pandemonium=500), "18.14.2"),
        (NZ, None, ann(1000, pandemonium=500), "nz:5.6"),
        (NZ, None, ann(1000, super_sevens=500), "nz:5.6"),
    ],
)
def test_5_1_14_3_18_14_3_what_is_refused_names_a_clause_of_the_game(
    game: Game, lies: Wager | None, move: Wager, rule: str
) -> None:
    play = place(Play(game=game), lies) if lies else Play(game=game)
    refusal = may_wager(play, move)
    assert refusal is not None
    assert refusal.rule == rule


def test_14_3_a_side_wager_comes_beside_one_that_is_followed_in_odds() -> None:
    play = placed(SIDES, ann(), ann(perfect_pairs=500))
    assert play.boxes[0].bets == (Bet(player="ann", main=None, perfect_pairs=500),)


def test_1_1_voucher_without_an_amount_gets_one_and_stays_a_voucher() -> None:
    play = placed(SIDES, ann(voucher=True), ann(2000))
    assert play.boxes[0].bets == (Bet(player="ann", main=2000, voucher=True),)


# --- who calls ------------------------------------------------------------------------------------


def bob(main: int | None = None) -> Wager:
    return Wager(box=1, player="bob", main=main)


SEATED = CallDecisions(1, "bob", "seated")


@pytest.mark.parametrize(
    ("moves", "caller", "said"),
    [
        ((ann(1000), bob(2000)), "bob", False),
        ((Wager(box=1, player="ann", main=1000, controls=True), bob(2000)), "ann", True),
        ((ann(2000), bob(1000), CallDecisions(1, "ann", "highest"), bob(1500)), "ann", True),
        ((ann(2000), bob(1000), CallDecisions(1, "ann", "highest"), bob(2000)), "ann", False),
        ((ann(2000), bob(1000), CallDecisions(1, "ann", "highest"), bob(5000)), "bob", False),
        ((ann(1000), bob(1000), CallDecisions(1, "bob", "nearest"), ann(1500)), "ann", False),
        ((ann(1000), bob(1000), CallDecisions(1, "bob", "nearest"), bob(1500)), "bob", True),
        ((ann(1000), bob(500), SEATED, Withdraw(1, "bob")), "ann", False),
        ((ann(1000), bob(500), SEATED, Withdraw(1, "bob"), bob(500)),
         "ann", False),
        # Without amounts the word "highest" is good until the wagers change.
        ((ann(), bob(), CallDecisions(1, "bob", "highest")), "bob", True),
        ((ann(), bob(), CallDecisions(1, "bob", "highest"), Wager(box=1, player="cam")),
         "ann", False),
        ((ann(), bob(), CallDecisions(1, "bob", "highest"), ann(1000)), "ann", False),
        ((ann(), bob(), CallDecisions(1, "bob", "nearest"), Wager(box=1, player="cam")),
         "bob", True),
    ],
)  # fmt: skip
def test_5_5_it_is_worked_out_again_whenever_the_wagers_change(
    moves: tuple[Made, ...], caller: str, said: bool
) -> None:
    (box,) = placed(SIDES, *moves).boxes
    assert (box.controls, box.is_said) == (caller, said)


# --- rows of an older log -------------------------------------------------------------------------


def test_an_older_row_that_names_no_player_is_about_all_of_the_box() -> None:
    assert msgspec.json.decode(b'{"do": "absent", "box": 3}', type=Absent) == Absent(3)


def test_an_older_state_says_who_controlled_and_reads_as_seated() -> None:
    row = (
        b'{"number": 1, "controls": "ann", "absent": true, "bets": ['
        b'{"player": "ann", "main": 1000}, {"player": "bob", "main": 2000}]}'
    )
    box = msgspec.json.decode(row, type=Box)
    assert (box.controls, box.is_said) == ("ann", True)
    assert box.away == ()


def test_the_row_of_a_box_names_the_caller_as_it_always_did() -> None:
    box = Box(number=1, bets=(Bet(player="ann", main=1000),), said="ann")
    assert msgspec.to_builtins(box)["controls"] == "ann"


@pytest.mark.parametrize("game", [BLACKJACK, PONTOON])
def test_5_2_a_wager_in_words_is_closed_by_the_first_card(game: Game) -> None:
    refusal = may_wager(dealt(game, "9S"), ann(2000))
    assert refusal is not None
    assert refusal.rule == "5.2"
