"""The round played again from its moves (16.6): nothing lost, and what fits no more is told."""

from typing import Final

import pytest

from controller.cards import UNREAD, Card
from controller.errors import NotAllowed
from controller.game.moves import (
    Burn,
    CardDealt,
    Double,
    ErrorCard,
    Insure,
    Made,
    NoMoreBets,
    Split,
    Stand,
)
from controller.game.play import Play
from controller.game.redo import amended, face_of, faces_of, loose_cards, named, replay
from tests.controller.game.rounds import BLACKJACK, cards, then, wager


def moves(*made: Made | str) -> tuple[Made, ...]:
    """Return the moves of a round of ann's on box 1; a line of words is cards dealt."""
    told: list[Made] = [wager(), NoMoreBets()]
    for one in made:
        told += map(CardDealt, cards(one)) if isinstance(one, str) else [one]
    return tuple(told)


STOOD: Final = moves("TS 9D 9S", Stand(), "TD")


def test_16_6_the_same_moves_are_the_same_round() -> None:
    replayed = replay(BLACKJACK, STOOD)
    assert replayed.play == then(Play(game=BLACKJACK), *STOOD)
    assert replayed.dropped == ()


def test_16_6_a_decision_that_fits_no_more_is_dropped_and_the_cards_stay() -> None:
    split = moves("8S 9D 6S", Split(), "TS", Stand(), "TD")
    replayed = replay(BLACKJACK, split)
    assert replayed.dropped == (Split(), Stand())  # 8-6-10 is over 21
    assert replayed.play.boxes[0].hands[0].cards == cards("8S 6S TS")
    on_table = len(replayed.play.dealer) + len(replayed.play.undue) + 3
    assert on_table == len(faces_of(split))


@pytest.mark.parametrize(
    ("decision", "dealt"),
    [(Double(), "TS 9D 9S TD"), (Insure(1, "ann", 500), "TS 9D 9S"), (Split(), "TS 9D 9S 2S")],
)
def test_16_6_any_decision_can_be_dropped(decision: Made, dealt: str) -> None:
    first, last = dealt[:8], dealt[9:]
    made = moves(first, Stand(), *([last] if last else []), decision)
    assert replay(BLACKJACK, made).dropped == (decision,)


# --- faces ----------------------------------------------------------------------------------------


def test_only_cards_have_faces() -> None:
    assert face_of(ErrorCard(Card("7C"))) == "7C"
    assert face_of(CardDealt(UNREAD)) == UNREAD
    assert [face_of(one) for one in (Stand(), Burn(Card("7C")), wager())] == [None] * 3
    assert faces_of(moves("TS ??", ErrorCard(Card("7C")), Stand())) == ["TS", UNREAD, "7C"]


def test_16_6_the_nth_card_has_another_face_and_all_else_stays() -> None:
    mended = amended(BLACKJACK, STOOD, 3, Card("8S"))
    assert faces_of(mended) == [*cards("TS 9D 8S TD")]
    assert [one for one in mended if face_of(one) is None] == [
        one for one in STOOD if face_of(one) is None
    ]


@pytest.mark.parametrize("number", [-1, 0, 5, 99])
def test_16_6_a_card_that_is_not_there_cannot_be_amended(number: int) -> None:
    with pytest.raises(NotAllowed, match="has 4 cards") as refusal:
        amended(BLACKJACK, STOOD, number, Card("8S"))
    assert refusal.value.rule == "16.6"


def test_16_6_an_error_card_is_amended_as_an_error_card() -> None:
    made = moves("TS 9D 3S", ErrorCard(Card("7C")))
    assert amended(BLACKJACK, made, 4, Card("8C"))[-1] == ErrorCard(Card("8C"))


def test_10_4_the_oldest_unread_card_is_named_first() -> None:
    made = moves("?? 9D ??")
    once = named(BLACKJACK, made, Card("TS"))
    assert faces_of(once) == [*cards("TS 9D ??")]
    twice = named(BLACKJACK, once, Card("9S"))
    assert faces_of(twice) == [*cards("TS 9D 9S")]
    with pytest.raises(NotAllowed) as refusal:
        named(BLACKJACK, twice, Card("2S"))
    assert refusal.value.rule == "10.4"


# --- cards that lie on no hand --------------------------------------------------------------------


def test_16_5_a_card_that_was_not_due_is_loose_until_it_is_burned() -> None:
    waiting = (*STOOD, *moves("2C")[2:])
    at = len(waiting) - 1
    assert loose_cards(BLACKJACK, waiting).undue == (at,)
    burned = loose_cards(BLACKJACK, (*waiting, Burn(Card("2C"))))
    assert burned.undue == ()
    assert burned.burned == {at: at + 1}


def test_16_1_a_card_burned_face_up_was_never_loose() -> None:
    burned = loose_cards(BLACKJACK, (*STOOD, Burn(Card("KC"))))
    assert (burned.undue, burned.burned) == ((), {})


def test_16_5_of_two_equal_loose_cards_the_older_is_burned() -> None:
    two = (*STOOD, *moves("2C 2C")[2:], Burn(Card("2C")))
    loose = loose_cards(BLACKJACK, two)
    assert loose.burned == {len(two) - 3: len(two) - 1}
    assert loose.undue == (len(two) - 2,)


def test_16_6_a_burned_card_that_was_misread_is_burned_by_its_true_face() -> None:
    burned = (*STOOD, *moves("2C")[2:], Burn(Card("2C")))
    mended = amended(BLACKJACK, burned, 5, Card("3C"))
    assert mended[-2:] == (CardDealt(Card("3C")), Burn(Card("3C")))
    assert replay(BLACKJACK, mended).play.undue == ()


def test_10_4_an_unread_loose_card_is_named_where_it_lies() -> None:
    waiting = (*STOOD, CardDealt(UNREAD))
    assert replay(BLACKJACK, named(BLACKJACK, waiting, Card("2C"))).play.undue == cards("2C")
