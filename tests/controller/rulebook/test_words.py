"""What is told of a clause and of what is missing, from an index, code and tests that are given."""

import pytest

from controller.errors import UsageError
from controller.rulebook.citations import Citation
from controller.rulebook.index import Clause, RuleIndex
from controller.rulebook.words import lacking, listed, told

INDEX = RuleIndex(
    [
        Clause("13.10", "The tenth.", "prompted"),
        Clause("13.2", "The second.", "decided"),
        Clause("13.3", "Two things.", "recorded", heading=True),
        Clause("13.3.1", "One of them.", "recorded"),
        Clause("13.4", "The weather.", "outside", "It comes as it comes."),
    ]
)
CODE = (
    Citation("controller/game/a.py", 7, "13.2"),
    Citation("controller/game/a.py", 9, "13.2", "Hand.stand"),
    Citation("controller/game/b.py", 3, "13.3", "split"),
    Citation("controller/game/b.py", 4, "13.3.1", "split"),
)
TESTS = {"13.2": ["tests/a.py::test_it", "tests/rounds/b.yaml"], "13.10": ["tests/c.py::test_it"]}


def test_clauses_are_listed_in_columns() -> None:
    assert listed(INDEX.values()) == [
        "13.2    decided   The second.",
        "13.3    recorded  Two things.",
        "13.3.1  recorded  One of them.",
        "13.4    outside   The weather.",
        "13.10   prompted  The tenth.",
    ]
    assert listed([]) == []


def test_a_clause_is_told_with_its_places_and_tests() -> None:
    assert told("13.2", INDEX, CODE, TESTS) == [
        "13.2  decided",
        "  The second.",
        "carried out:",
        "  controller/game/a.py:7",
        "  controller/game/a.py:9  Hand.stand",
        "tested:",
        "  tests/a.py::test_it",
        "  tests/rounds/b.yaml",
    ]


def test_what_nobody_cites_says_so() -> None:
    assert told("13.10", INDEX, CODE, {})[2:] == [
        "carried out:",
        "  nowhere",
        "tested:",
        "  by nothing",
    ]


def test_a_heading_is_told_with_its_parts_and_lacks_nothing() -> None:
    assert told("13.3", INDEX, CODE, TESTS) == [
        "13.3  recorded",
        "  Two things.",
        "carried out:",
        "  controller/game/b.py:3  split",
        "its parts:",
        "  13.3.1  recorded  One of them.",
    ]


def test_what_is_outside_is_told_with_its_reason() -> None:
    assert told("13.4", INDEX, CODE, TESTS) == [
        "13.4  outside",
        "  The weather.",
        "  It comes as it comes.",
    ]


def test_a_whole_rule_is_told_as_a_list() -> None:
    assert told("13", INDEX, CODE, TESTS) == listed(INDEX.values())


@pytest.mark.parametrize(("number", "near"), [("13.44", "13.4"), ("stand off", "18.9.5")])
def test_no_clause_is_told_with_its_neighbours(number: str, near: str) -> None:
    with pytest.raises(UsageError, match=rf"no clause {number}: .*{near}"):
        told(number, INDEX, CODE, TESTS)


def test_what_is_missing_is_told_with_what_it_lacks() -> None:
    assert lacking(INDEX, CODE, TESTS) == [
        "13.3.1  recorded  no test",
        "13.10   prompted  no code",
    ]


def test_a_citation_of_no_clause_is_told_first() -> None:
    stray = Citation("controller/game/c.py", 5, "13.99", "stray")

    assert lacking(INDEX, (*CODE, stray), TESTS)[0] == (
        "controller/game/c.py:5 cites 13.99, which is no clause"
    )


def test_nothing_is_told_when_nothing_is_missing() -> None:
    code = tuple(Citation("a.py", 1, number) for number in INDEX)

    assert lacking(INDEX, code, {number: ["a test"] for number in INDEX}) == []
