"""Which tests cite which clause: in modules and scripts that are made up, and in this checkout."""

from pathlib import Path

import pytest

from controller.errors import UsageError
from controller.rulebook.collect import collect
from controller.rulebook.index import RuleIndexError, rule_index
from controller.rulebook.modules import CitedBy, in_name, in_test_module
from controller.rulebook.tested import (
    COLLECT,
    TABLE,
    as_json,
    by_clause,
    citations_in_tests,
    in_round,
    kept_tests,
)

INDEX = rule_index()
TESTS = Path(__file__).parents[2]
HERE = citations_in_tests(INDEX, TESTS)

MODULE = '''\
"""Rule 18.9.5 and what belongs to it."""

# --- 12.1: splitting ---

ONE = Case("18.9.1", "7.5", "7")
CASES = (ONE, Case("11.2", "8"))
FREE = "13.1"

@pytest.fixture
def table():
    """A table (5.4)."""
    return make("5.2")

@pytest.mark.parametrize("case", [*CASES, "5.9"])
def test_every_case(case):
    assert case

def test_how_many_cases():
    assert len(CASES) == 2

class TestCards:
    def test_3_1_decks(self, table):
        assert True  # 3.3, as rule 8 has it

    def helper(self):
        return "9.1.1"
'''


def test_each_test_of_a_module_cites_its_own() -> None:
    cited = {
        (one.test.removeprefix("t.py::"), one.number)
        for one in in_test_module(MODULE, "t.py", INDEX)
    }

    assert cited == {
        ("test_every_case", "18.9.1"),
        ("test_every_case", "11.2"),
        ("test_every_case", "5.9"),
        ("TestCards::test_3_1_decks", "5.4"),
        ("TestCards::test_3_1_decks", "5.2"),
        ("TestCards::test_3_1_decks", "3.1"),
        ("TestCards::test_3_1_decks", "3.3"),
        ("TestCards::test_3_1_decks", "8"),
        ("TestCards::test_3_1_decks", "9.1.1"),
    }


def test_a_slip_in_words_is_told_and_an_amount_is_not() -> None:
    source = 'def test_it():\n    """By rule 18.15."""\n    assert "2.5"\n'

    assert [one.number for one in in_test_module(source, "t.py", INDEX)] == ["18.15"]


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("test_16_2_a_card_waits", ["16.2"]),
        ("test_18_12_1_10_the_same_total", ["18.12.1.10"]),
        ("test_3_1_18_4_1_nz_3_3_a_decks", ["3.1", "18.4.1", "nz:3.3(a)"]),
        ("test_nz_5_1_the_dealer", ["nz:5.1"]),
        ("test_nz_4_1_c_aces", ["nz:4.1(c)"]),
        ("test_rule_8_insurance", ["8"]),
        ("test_rule_7", ["7"]),
        ("test_10_5_21_loses", ["10.5"]),
        ("test_10_9_is_no_clause", ["10.9"]),
        ("test_2_players", []),
        ("test_8_boxes_of_3_1", []),
        ("test_nz_2", []),
        ("test_rule_17_begins", []),
        ("test_the_7_5_pays", []),
        ("test_", []),
    ],
)
def test_a_tests_name_begins_with_its_clauses(name: str, numbers: list[str]) -> None:
    assert list(in_name(name, INDEX)) == numbers


ROUND = """\
# Even money (9.1.2), at rule 17
title: By 18.9.1.3, and 12.5 dollars
options: {resplit: true}     # 12.5
play:
  - double                   # 3 to 2 is 11.25: paid 5.2
expect:
  - {box: 1, pays: 12.5, rule: 18.9.6}
  - {rule: "nz:5.1(a)"}
  - rule: 19.1
"""


def test_a_script_cites_in_its_folder_its_words_and_what_it_expects() -> None:
    path = "tests/rounds/pontoon-nsw/18.9.5-forfeit/21-at-once.yaml"

    assert {one.number for one in in_round(ROUND, path, INDEX)} == {
        "9.1.2",
        "18.9.1.3",
        "12.5",
        "18.9.6",
        "nz:5.1(a)",
        "19.1",
        "18.9.5",
    }


@pytest.mark.parametrize(
    ("folder", "numbers"),
    [
        ("pontoon-nz/5.1-settlement", ["nz:5.1"]),
        ("pontoon-nz/11-odds", []),
        ("blackjack-nsw/8-insurance", ["8"]),
        ("blackjack-nsw/10-subsequent-deal", []),
        ("pontoon-nsw/devices", []),
    ],
)
def test_a_folder_is_of_its_games_rules(folder: str, numbers: list[str]) -> None:
    path = f"tests/rounds/{folder}/x.yaml"

    assert list(in_round("title: x\n", path, INDEX)) == [CitedBy(one, path) for one in numbers]


# --- this checkout --------------------------------------------------------------------------------


def test_no_test_here_cites_what_is_no_clause() -> None:
    assert [f"{one.test} cites {one.number}" for one in HERE if one.number not in INDEX] == []


def test_the_tests_of_the_package_are_those_of_this_checkout() -> None:
    assert kept_tests() == by_clause(HERE), f"the tests have changed: run {COLLECT}"


def test_every_test_that_is_named_is_there() -> None:
    sources = {one.test.split("::")[0] for one in HERE}
    texts = {name: (TESTS.parent / name).read_text(encoding="utf-8") for name in sources}

    for one in HERE:
        name, _, test = one.test.partition("::")
        assert not test or f"def {test.rpartition('::')[2]}(" in texts[name], one


def test_the_tests_of_the_index_and_of_drivers_cite_nothing() -> None:
    named = {one.test for one in HERE}

    assert named
    assert not any("rulebook/" in one or one.startswith("tests/drivers/") for one in named)


def test_both_kinds_of_tests_are_found() -> None:
    tests = by_clause(HERE)["18.9.5"]

    assert "tests/rounds/pontoon-nsw/18.9.5-forfeit/both-forfeit.yaml" in tests
    assert any("::test_" in test for test in tests)


# --- the table ------------------------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder of tests: one script, one module, one driver's test."""
    tests = tmp_path / "tests"
    for folder in ("controller", "drivers", "rounds/pontoon-nsw/18.5-insurance"):
        (tests / folder).mkdir(parents=True)
    (tests / "rounds/pontoon-nsw/18.5-insurance/x.yaml").write_text("title: x\n")
    (tests / "controller/test_x.py").write_text("def test_5_4_x(): pass\n")
    (tests / "drivers/test_x.py").write_text("def test_5_5_x(): pass\n")
    return tests


def test_the_table_is_written_in_the_order_of_the_rules(checkout: Path, tmp_path: Path) -> None:
    table = tmp_path / "tests.json"
    collect(checkout, table)

    assert list(kept_tests(table).items()) == [
        ("5.4", ["tests/controller/test_x.py::test_5_4_x"]),
        ("18.5", ["tests/rounds/pontoon-nsw/18.5-insurance/x.yaml"]),
    ]


def test_nothing_is_written_while_a_test_cites_what_is_no_clause(
    checkout: Path, tmp_path: Path
) -> None:
    (checkout / "rounds/pontoon-nsw/18.5-insurance/x.yaml").write_text(
        "title: (18.15), rule 99.1.1\n"
    )
    table = tmp_path / "tests.json"

    with pytest.raises(UsageError, match=r"x\.yaml cites 18\.15"):
        collect(checkout, table)
    assert not table.exists()


def test_without_a_checkout_nothing_is_collected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are none here"):
        collect(tmp_path / "tests", tmp_path / "tests.json")


def test_a_damaged_table_says_how_to_mend_it(tmp_path: Path) -> None:
    table = tmp_path / "tests.json"
    for text in (None, "{", '{"5.4": 1}'):
        if text is not None:
            table.write_text(text)
        with pytest.raises(RuleIndexError, match=COLLECT.replace(".", r"\.")):
            kept_tests(table)


def test_the_table_in_the_package_is_kept_as_it_is_written() -> None:
    assert TABLE.read_text(encoding="utf-8") == as_json(kept_tests())
