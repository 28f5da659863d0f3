"""``tablekeeper rules``: the list, one clause, what is missing, the diagram; and bad usage."""

import argparse
from collections.abc import Callable

import pytest

from controller.errors import UsageError
from controller.rulebook.citations import PACKAGE, code_citations
from controller.rulebook.command import add_rules
from controller.rulebook.diagram import diagram
from controller.rulebook.index import rule_index
from controller.rulebook.tested import kept_tests
from controller.rulebook.words import lacking

Rules = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def rules(capsys: pytest.CaptureFixture[str]) -> Rules:
    """Run the command as the program does; return its status and its lines."""

    def run(*arguments: str) -> tuple[int, list[str]]:
        parser = argparse.ArgumentParser()
        add_rules(parser.add_subparsers(required=True))
        options = parser.parse_args(["rules", *arguments])
        status = int(options.run(options))
        return status, capsys.readouterr().out.splitlines()

    return run


def test_without_a_word_all_clauses_are_listed(rules: Rules) -> None:
    status, lines = rules()

    assert status == 0
    assert [line.split("  ")[0] for line in lines] == list(rule_index())
    for line, clause in zip(lines, rule_index().values(), strict=True):
        assert line.split("  ", 1)[1].split() == [clause.how, *clause.says.split()]


def test_a_clause_tells_its_words_its_way_its_places_and_its_tests(rules: Rules) -> None:
    status, lines = rules("18.9.5")
    clause = rule_index()["18.9.5"]
    carried_out, tested = lines.index("carried out:"), lines.index("tested:")

    assert status == 0
    assert lines[:2] == ["18.9.5  decided", f"  {clause.says}"]
    for line in lines[carried_out + 1 : tested]:
        where, *_ = line.split()
        path, number = where.split(":")
        assert "18.9.5" in (PACKAGE.parent / path).read_text().splitlines()[int(number) - 1]
    assert any(line.endswith("  may_forfeit") for line in lines[carried_out:tested])
    assert "  tests/rounds/pontoon-nsw/18.9.5-forfeit/both-forfeit.yaml" in lines[tested:]


def test_a_clause_that_nobody_can_carry_out_says_why(rules: Rules) -> None:
    clause = rule_index()["3.8"]

    assert rules("3.8") == (0, ["3.8  outside", f"  {clause.says}", f"  {clause.because}"])


def test_a_heading_tells_its_parts(rules: Rules) -> None:
    _, lines = rules("18.12.1")
    parts = lines[lines.index("its parts:") + 1 :]

    assert [part.split()[0] for part in parts] == [f"18.12.1.{n}" for n in range(1, 12)]


def test_a_definition_is_named_with_its_word(rules: Rules) -> None:
    _, lines = rules("1.1", "stand", "off")

    assert lines[0] == "1.1 stand off  decided"


def test_a_whole_rule_lists_its_clauses(rules: Rules) -> None:
    status, lines = rules("13")

    assert status == 0
    assert [line.split()[0] for line in lines] == ["13.1", "13.2", "13.3", "13.4"]


def test_what_is_missing_is_told_by_the_exit_status_as_well(rules: Rules) -> None:
    index = rule_index()
    lines = lacking(index, code_citations(index), kept_tests())

    assert rules("--missing") == (1 if lines else 0, lines)


@pytest.mark.parametrize(
    ("arguments", "name", "game"),
    [
        (["--diagram"], "round", "pontoon-nsw"),
        (["--diagram", "round", "--game", "blackjack-nsw"], "round", "blackjack-nsw"),
        (["--diagram", "malfunction"], "malfunction", "pontoon-nsw"),
        (["--diagram", "shuffle"], "shuffle", "pontoon-nsw"),
    ],
)
def test_the_rows_are_drawn(rules: Rules, arguments: list[str], name: str, game: str) -> None:
    assert rules(*arguments) == (0, diagram(name, game).splitlines())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["18.9.55"], "18.9.5"),
        (["19"], "there is no clause 19"),
        (["nz:5.1(k)"], "nz:5.1("),
        (["18.9.5", "--missing"], "one of them"),
        (["--missing", "--diagram"], "one of them"),
        (["--game", "pontoon-nz"], "--diagram"),
        (["--diagram", "malfunction", "--game", "pontoon-nz"], "--diagram"),
    ],
)
def test_bad_usage_says_what_is_allowed(rules: Rules, arguments: list[str], words: str) -> None:
    with pytest.raises(UsageError) as fault:
        rules(*arguments)

    assert words in str(fault.value)


@pytest.mark.parametrize("arguments", [["--diagram", "hand"], ["--game", "poker"], ["--colour"]])
def test_a_word_that_is_not_known_ends_the_program(rules: Rules, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        rules(*arguments)

    assert ended.value.code == 2
