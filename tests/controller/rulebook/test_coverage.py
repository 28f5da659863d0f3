"""Every clause that is ours has code and a test that cite it, but for a list that shrinks."""

from pathlib import Path

import pytest

from controller.rulebook.citations import by_clause as by_clause_in_code
from controller.rulebook.citations import code_citations
from controller.rulebook.coverage import missing
from controller.rulebook.index import Clause, How, RuleIndex, rule_index
from controller.rulebook.numbers import order
from controller.rulebook.tested import by_clause, citations_in_tests

NOT_YET = Path(__file__).parent / "not_yet.txt"
TESTS = Path(__file__).parents[2]


def not_yet() -> list[str]:
    return NOT_YET.read_text(encoding="utf-8").splitlines()


def test_what_is_missing_is_what_is_listed_and_nothing_else() -> None:
    index = rule_index()
    lacks = missing(
        index, by_clause_in_code(code_citations(index)), by_clause(citations_in_tests(index, TESTS))
    )
    lacking = {lack.clause.number: lack.words for lack in lacks}
    listed = set(not_yet())

    new = [f"{number}: {words}" for number, words in lacking.items() if number not in listed]
    assert new == [], "cite these clauses where they are carried out, and in the tests that show it"
    covered = sorted(listed - set(lacking), key=order)
    assert covered == [], f"these are covered: strike them from {NOT_YET.name}, which only shrinks"


def test_the_list_is_in_order_and_of_clauses_that_are_ours() -> None:
    index = rule_index()
    listed = not_yet()

    assert listed == sorted(set(listed), key=order)
    assert [number for number in listed if number not in index or not index[number].is_ours] == []


def clause(number: str, how: How, *, heading: bool = False) -> Clause:
    return Clause(number, "So it is.", how, heading=heading)


@pytest.mark.parametrize("how", ["decided", "prompted", "recorded"])
@pytest.mark.parametrize(
    ("in_code", "in_tests", "words"),
    [
        ((), (), "neither code nor test"),
        (("3.2",), (), "no test"),
        ((), ("3.2",), "no code"),
        (("3.2",), ("3.2",), None),
        (("3.20", "3.2.1", "3"), ("3.2",), "no code"),
    ],
)
def test_both_must_cite_the_very_clause(
    how: How, in_code: tuple[str, ...], in_tests: tuple[str, ...], words: str | None
) -> None:
    lacks = missing(RuleIndex([clause("3.2", how)]), in_code, in_tests)

    assert [lack.words for lack in lacks] == ([words] if words else [])


def test_what_is_outside_and_what_is_a_heading_lacks_nothing_and_covers_nothing() -> None:
    index = RuleIndex(
        [
            clause("3.8", "outside"),
            clause("3.2", "decided", heading=True),
            clause("3.2.10", "decided"),
            clause("3.2.9", "decided"),
        ]
    )
    lacks = missing(index, ["3.2"], ["3.2"])

    assert [lack.clause.number for lack in lacks] == ["3.2.9", "3.2.10"]
