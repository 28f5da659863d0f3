"""What is a clause in a text, and what only looks like one."""

import doctest
import random

import pytest

from controller.rulebook import numbers
from controller.rulebook.index import rule_index
from controller.rulebook.numbers import cited, order

INDEX = rule_index()


def found(text: str) -> list[str]:
    return [number for _, number in cited(text, INDEX.terms)]


def test_the_examples_hold() -> None:
    assert doctest.testmod(numbers, raise_on_error=True).attempted > 0


def test_the_order_is_total_and_is_that_of_the_index() -> None:
    mixed = list(INDEX)
    random.Random(4711).shuffle(mixed)

    assert sorted(mixed, key=order) == list(INDEX)
    assert len({order(number) for number in INDEX}) == len(INDEX)


@pytest.mark.parametrize(
    "number", ["", "a", "3..1", "3.1.", "rule 3", "3.1(a)", "nz:", "nz:4.1(x)(y)"]
)
def test_no_clause_has_no_place(number: str) -> None:
    with pytest.raises(ValueError, match=r"18\.9\.5"):
        order(number)


@pytest.mark.parametrize("number", INDEX)
def test_every_clause_is_found_where_it_is_cited(number: str) -> None:
    assert found(f"({number})") == [number]
    assert found(f"It is so (rule {number}; nobody knows).") == [number]
    assert found(f"By rule {number}") == [number]
    assert found(f"{number}: it is so") == [number]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("10.1.3, 10.2, 18.8.1: from two cards", ["10.1.3", "10.2", "18.8.1"]),
        ("8 as ruled, 18.5.1: against an ace", ["8", "18.5.1"]),
        ("Rules 7, 10, 13 and 18.11: the cards", ["7", "10", "13", "18.11"]),
        ("where it stands (13.2, 18.11.1, nz:3.2(b)).", ["13.2", "18.11.1", "nz:3.2(b)"]),
        ("in chips (5.9; a voucher never goes back, 1.1)", ["5.9", "1.1"]),
        ("(1.1 stand off)", ["1.1 stand off"]),
        ("(1.1 Pontoon Pandemonium, 1.1 Pontoon)", ["1.1 Pontoon Pandemonium", "1.1 Pontoon"]),
        ("(1.1 voided)", ["1.1"]),
        ("decided on two cards (14.7 to 14.9)", ["14.7", "14.8", "14.9"]),
        ("rule 4.2.1 to 4.2.3 and 5.2", ["4.2.1", "4.2.2", "4.2.3", "5.2"]),
        ("(10.5 to 11.2)", ["10.5", "11.2"]),
        ("17.1.4 or 17.1.5 cannot be satisfied", ["17.1.4", "17.1.5"]),
        ("paid (18.9.8 subject to 18.12.1.2)", ["18.9.8", "18.12.1.2"]),
        ("dealt (7); the first one", ["7"]),
        ("stand: insurance, surrender (8, 9, 18.6).", ["8", "9", "18.6"]),
        ("both; 12.4, 12.5: again", ["12.4", "12.5"]),
        ("nz:3.3(a): four to eight", ["nz:3.3(a)"]),
        ("(12.5, filled in)", ["12.5"]),
        ("rules 7, 8, and 10.1 hold", ["7", "8", "10.1"]),
        ("as nz:5.1(see there) has it", ["nz:5.1"]),
    ],
)
def test_what_cites(text: str, numbers: list[str]) -> None:
    assert found(text) == numbers


@pytest.mark.parametrize(
    "text",
    [
        "3 to 2 is 11.25, and half is 5.5 of it",
        "1 to 1 is 5.2: paid 5.5",
        "at most $12.50 ($5.2)",
        "07:35:25.123456, 192.168.1.1, 0.9.3, v3.1",
        "(12.5 % in 3.2 s, 4.1 ms or 5.1 seconds)",
        "(24.50 of it)",
        "(2 to 1)",
        "(7 or 8)",
        "f(7), percent(Fraction(2, 3))",
        "7 boxes, 8 decks (6 or 8 decks)",
        "2 cards each",
        "box-3.1, path/3.1, 3.1x",
    ],
)
def test_what_does_not(text: str) -> None:
    assert found(text) == []


def test_each_citation_tells_where_it_is() -> None:
    text = "One (3.1), another (18.9.5 to 18.9.6)."

    assert [(text[at:].split(")")[0].split(" ")[0], number) for at, number in cited(text)] == [
        ("3.1", "3.1"),
        ("18.9.5", "18.9.5"),
        ("18.9.6", "18.9.6"),
    ]
