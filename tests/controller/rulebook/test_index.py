"""The index has every clause of the texts, in their order, and says what is wrong with a file."""

from pathlib import Path

import pytest

from controller.rulebook.index import FILES, RuleIndexError, read_index, rule_index

CLAUSES = (Path(__file__).parent / "clauses.txt").read_text(encoding="utf-8").splitlines()
"""Every clause number of the rule texts, in their order; a definition with the word it defines."""

INDEX = rule_index()
GOOD = 'says = "So it is."\nhow = "decided"\n'


def test_every_clause_of_the_texts_has_an_entry_and_nothing_else_has() -> None:
    assert [number for number in CLAUSES if number not in INDEX] == []
    assert [number for number in INDEX if number not in CLAUSES] == []


def test_the_clauses_stand_in_the_order_of_the_texts() -> None:
    assert list(INDEX) == CLAUSES


def test_every_clause_is_told_in_one_line_of_its_own() -> None:
    lines = {number: clause.says for number, clause in INDEX.items() if not clause.heading}

    assert all(line == line.strip() and len(line) <= 105 for line in lines.values())
    assert all(line.endswith(".") for line in lines.values())


def test_what_is_outside_says_why() -> None:
    outside = {number: clause for number, clause in INDEX.items() if clause.how == "outside"}

    assert {"3.7", "3.8", "18.1.5", "nz:4.2"} <= set(outside)
    assert all(clause.because.endswith(".") for clause in outside.values())
    assert not any(clause.is_ours for clause in outside.values())


def test_headings_are_carried_out_by_their_parts() -> None:
    assert INDEX["18.9"].heading
    assert not INDEX["18.9"].is_ours
    assert [clause.number for clause in INDEX.parts("18.6")] == [f"18.6.{n}" for n in range(1, 7)]
    for clause in INDEX.values():
        if clause.heading and clause.how != "outside":
            assert any(part.how != "outside" for part in INDEX.parts(clause.number)), clause


def test_parts_of_a_rule_a_letter_and_a_definition() -> None:
    assert [part.number for part in INDEX.parts("nz:4.1(c)")] == ["nz:4.1(c)(i)", "nz:4.1(c)(ii)"]
    assert len(INDEX.parts("17")) == sum(number.startswith("17.") for number in CLAUSES) == 18
    assert "1.1 burned" in {part.number for part in INDEX.parts("1.1")}
    assert INDEX.parts("18.14.6") == ()


def test_definitions_are_known_by_their_words() -> None:
    assert "1.1 stand off" in INDEX.terms
    assert "nz:1 box" in INDEX.terms
    assert all(" " in term for term in INDEX.terms)


def test_the_index_is_read_once() -> None:
    assert rule_index() is INDEX


def fault_of(tmp_path: Path, text: str) -> str:
    file = tmp_path / "rules.toml"
    file.write_text(text)
    with pytest.raises(RuleIndexError) as fault:
        read_index([file])
    said = str(fault.value)
    assert said.startswith(str(file)) or "heading" in said
    return said


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('says = "x"', "how"),
        ('how = "decided"', "says"),
        (GOOD.replace("decided", "later"), "later"),
        (GOOD + "colour = 1", "colour"),
        (GOOD + "heading = 1", "heading"),
        (GOOD.replace("So it is.", " "), "one line in our own words"),
        (GOOD.replace("it is", r"it\nis"), "one line in our own words"),
        (GOOD.replace("decided", "outside"), "needs a because"),
        (GOOD.replace("decided", "outside") + 'because = " "', "needs a because"),
        (GOOD + 'because = "no."', "nothing else has one"),
    ],
)
def test_an_entry_with_a_fault_is_named(tmp_path: Path, entry: str, said: str) -> None:
    told = fault_of(tmp_path, f'["3.1"]\n{GOOD}\n["3.2"]\n{entry}\n')

    assert " 3.2: " in told
    assert said in told


@pytest.mark.parametrize(
    "number", ["x", "3.", "3.2(a)", "nz:5.1.2", "nz:5.1(1)", "nz:5.1(ab)", "nz:5.1(a)(z)", "3.1  "]
)
def test_a_number_that_is_none_is_named(tmp_path: Path, number: str) -> None:
    assert number in fault_of(tmp_path, f'["{number}"]\n{GOOD}')


def test_an_entry_that_is_no_table_is_named(tmp_path: Path) -> None:
    assert "3.1" in fault_of(tmp_path, '"3.1" = "So it is."\n')


def test_a_heading_without_parts_is_named(tmp_path: Path) -> None:
    told = fault_of(tmp_path, f'["3.2"]\n{GOOD}heading = true\n["3.20.1"]\n{GOOD}')

    assert told == "3.2 is a heading, but nothing stands under it"


@pytest.mark.parametrize("text", ["[", f'["3.1"]\n{GOOD}["3.1"]\n{GOOD}', '["3.1"]\nsays = "\xff"'])
def test_a_file_that_is_no_toml_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rules.toml"
    file.write_bytes(text.encode("latin-1"))

    with pytest.raises(RuleIndexError, match=r"rules\.toml: (is not TOML|cannot be read)"):
        read_index([file])


def test_a_missing_file_and_a_clause_in_two_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(RuleIndexError, match="cannot be read"):
        read_index([tmp_path / "gone.toml"])
    again = tmp_path / "again.toml"
    again.write_text(f'["3.1"]\n{GOOD}')
    with pytest.raises(RuleIndexError, match=r"again\.toml: 3\.1 stands in another file"):
        read_index([*FILES, again])
