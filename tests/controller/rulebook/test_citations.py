"""Where the code cites clauses: in this package as it is, and in sources that are made up."""

from pathlib import Path

import pytest

from controller.rulebook.citations import (
    PACKAGE,
    Citation,
    by_clause,
    code_citations,
    in_python,
    strangers,
)
from controller.rulebook.index import rule_index

INDEX = rule_index()
CODE = code_citations(INDEX)

SOURCE = '''\
"""Rules 7 and 18.9: a module (rule 17)."""

LOWEST = 12  # 10.2
ROWS = (
    Row("7", W, NoMoreBets),
    Row("18.14.6", ("2.5", "7 boxes")),
)


@cites("11.1")
class Hand:
    """A hand.

    It may split (12.1,
    12.4) and says so.
    """

    def value(self, card):
        # 3.2.2, 3.2.3: the number on it
        if card == "7":
            return 7
        return f"{card} counts {self.value} (3.2.1)"
'''


def test_every_form_is_found_with_its_line_and_its_place() -> None:
    assert sorted(
        (one.line, one.number, one.inside) for one in in_python(SOURCE, "x.py", INDEX)
    ) == [
        (1, "18.9", ""),
        (1, "7", ""),
        (3, "10.2", ""),
        (5, "7", ""),
        (6, "18.14.6", ""),
        (6, "2.5", ""),
        (10, "11.1", "Hand"),
        (14, "12.1", "Hand"),
        (15, "12.4", "Hand"),
        (19, "3.2.2", "Hand.value"),
        (19, "3.2.3", "Hand.value"),
        (22, "3.2.1", "Hand.value"),
    ]


def test_a_stranger_is_told_from_a_clause() -> None:
    (one,) = strangers(tuple(in_python(SOURCE, "x.py", INDEX)), INDEX)

    assert one == Citation("x.py", 6, "2.5", "")


def test_nothing_in_this_package_cites_what_is_no_clause() -> None:
    assert [f"{one.path}:{one.line} cites {one.number}" for one in strangers(CODE, INDEX)] == []


def test_every_citation_leads_to_a_line_that_has_it() -> None:
    lines: dict[str, list[str]] = {}
    for one in CODE:
        here = lines.setdefault(one.path, (PACKAGE.parent / one.path).read_text().splitlines())
        number = one.number.split(" ")[0]
        assert number in here[one.line - 1] or " to " in here[one.line - 1], one


def test_the_rows_are_found() -> None:
    paths = {one.path for one in by_clause(CODE)["17.4"]}

    assert {"controller/game/malfunction.py", "controller/table/procedure.py"} <= paths
    assert any(one.inside == "may_forfeit" for one in by_clause(CODE)["18.9.5"])


def test_the_index_does_not_cite_for_itself() -> None:
    assert not any(one.path.startswith("controller/rulebook/") for one in CODE)


def test_another_package_is_read_where_it_lies(tmp_path: Path) -> None:
    package = tmp_path / "controller"
    (package / "game").mkdir(parents=True)
    (package / "game" / "hands.py").write_text('"""Over 21 (10.5)."""\n')
    (package / "notes.txt").write_text("(10.4)")

    assert code_citations(INDEX, package) == (Citation("controller/game/hands.py", 1, "10.5"),)


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ('Refusal("8", "no ace")', True),
        ('rules = {"insurance": "8"}', True),
        ('x = "18.1.1" if pontoon else "2"', True),
        ('rank(card) == "7"', False),
        ('"7" != rank(card)', False),
        ('rule == "18.9.5"', True),
        ('x = "17"', False),
        ('x = "10 cards"', False),
    ],
)
def test_a_whole_word_is_a_clause_unless_it_is_compared_as_a_card_is(
    line: str, *, counts: bool
) -> None:
    assert bool(list(in_python(line, "x.py", INDEX))) is counts
