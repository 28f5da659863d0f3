"""What a table may offer: 2, 3.1, 5.9, 6.1, 9.1.1, 11.2, 12.5, 14.1, 18.1.1, 18.4.1, nz:3.1."""

import pytest

from controller.errors import SettingsError
from controller.game.options import NAMES, OPTIONS, build

DECKS = {
    "blackjack-nsw": {3, 4, 6, 8},
    "pontoon-nsw": {6, 8},
    "pontoon-nz": {4, 5, 6, 7, 8},
}
BOXES = {"blackjack-nsw": range(1, 10), "pontoon-nsw": range(5, 10), "pontoon-nz": range(1, 8)}


def _may_have(name: str, **options: object) -> bool:
    try:
        build(name, options)
    except SettingsError:
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_3_1_18_4_1_nz_3_3_a_each_game_has_its_numbers_of_decks(name: str) -> None:
    assert {decks for decks in range(-1, 12) if _may_have(name, decks=decks)} == DECKS[name]


@pytest.mark.parametrize("name", NAMES)
def test_18_1_1_nz_3_1_each_game_has_its_numbers_of_boxes(name: str) -> None:
    """Rule 2 for Blackjack."""
    assert [boxes for boxes in range(-1, 12) if _may_have(name, boxes=boxes)] == [*BOXES[name]]


@pytest.mark.parametrize("decks", [3, 4, 6, 8])
@pytest.mark.parametrize("side", ["super_sevens", "perfect_pairs"])
def test_3_1_super_sevens_and_perfect_pairs_need_six_or_eight_decks(side: str, decks: int) -> None:
    assert _may_have("blackjack-nsw", decks=decks, **{side: True}) == (decks in {6, 8})
    assert getattr(build("blackjack-nsw", {"decks": decks}), side) == (decks in {6, 8})


ONLY_AT = {
    "super_sevens": "blackjack-nsw",
    "perfect_pairs": "blackjack-nsw",
    "double_with_ace": "blackjack-nsw",
    "pandemonium": "pontoon-nsw",
    "super_bonus": "pontoon-nsw",
}


@pytest.mark.parametrize("key", ONLY_AT)
@pytest.mark.parametrize("name", NAMES)
def test_what_only_one_game_has_is_refused_at_the_others(name: str, key: str) -> None:
    assert _may_have(name, **{key: True}) == (name == ONLY_AT[key])
    assert not getattr(build(name, {key: False}), key)


def test_without_a_word_a_table_plays_what_is_usual() -> None:
    blackjack, pontoon, nz = (build(name, {}) for name in NAMES)
    assert (blackjack.decks, blackjack.boxes, blackjack.smallest_chip) == (6, 7, 50)
    assert not any((blackjack.resplit, blackjack.double_with_ace, blackjack.pay_at_end))
    assert (pontoon.super_bonus, pontoon.pandemonium) == (True, True)
    assert (nz.super_bonus, nz.pandemonium) == (False, False)


def test_which_rules_a_game_plays_by() -> None:
    """Both Pontoons are played over the Blackjack rules (18.1, 1.1 Pontoon, nz:2)."""
    blackjack, pontoon, nz = (build(name, {}) for name in NAMES)
    assert [game.is_pontoon for game in (blackjack, pontoon, nz)] == [False, True, True]
    assert [game.is_nz for game in (blackjack, pontoon, nz)] == [False, False, True]
    assert [game.tens for game in (blackjack, pontoon, nz)] == [True, False, False]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"decks": "six"}, "decks = six cannot be: a whole number"),
        ({"smallest_chip": "0"}, "smallest_chip = 0 cannot be: dollars above 0"),
        ({"smallest_chip": "0.005"}, "smallest_chip = 0.005 cannot be"),
        ({"minimum": "-5"}, "minimum = -5 cannot be"),
        ({"resplit": "yes"}, "resplit = yes cannot be: true or false"),
        ({"minimum": "20", "maximum": "10"}, "minimum is above maximum (6.1)"),
        ({"colour": "red"}, "unknown option colour of blackjack-nsw: known are decks, boxes"),
    ],
)
def test_an_impossible_option_is_told_with_what_is_allowed(
    given: dict[str, object], told: str
) -> None:
    with pytest.raises(SettingsError) as fault:
        build("blackjack-nsw", given)
    assert str(fault.value).startswith(told)


def test_an_unknown_game_is_told_with_those_that_there_are() -> None:
    with pytest.raises(SettingsError, match="one of blackjack-nsw, pontoon-nsw, pontoon-nz"):
        build("baccarat", {})


def test_every_option_names_the_clause_that_leaves_it_open() -> None:
    assert all(option.rule and option.allowed for option in OPTIONS.values())
