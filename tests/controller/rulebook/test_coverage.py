"""Every clause that is ours has code and a test that cite it."""

from pathlib import Path

import pytest

from controller.rulebook.citations import by_clause as by_clause_in_code
from controller.rulebook.citations import code_citations
from controller.rulebook.coverage import missing
from controller.rulebook.index import Clause, How, RuleIndex, rule_index
from controller.rulebook.tested import by_clause, citations_in_tests

TESTS = Path(__file__).parents[2]


def test_every_clause_that_is_ours_has_code_and_a_test() -> None:
    index = rule_index()
    lacks = missing(
        index, by_clause_in_code(code_citations(index)), by_clause(citations_in_tests(index, TESTS))
    )
    lacking = [f"{lack.clause.number}: {lack.words}" for lack in lacks]
    assert lacking == [], "cite these where they are carried out, and in the tests that show it"


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
