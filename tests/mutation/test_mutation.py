"""The table of mutants fits the code, and a share of it is killed; the whole is ``make mutation``.

Which share it is follows from the code: another one for another code.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from controller.rulebook.index import rule_index
from controller.rulebook.tested import by_clause, citations_in_tests
from tests.mutation.mutant import ROOT, Code, Mutant, Stale
from tests.mutation.running import in_pytests_words
from tests.mutation.table import MUTANTS, WITHOUT

SHARE: Final = 8
AT_A_TIME: Final = 2

CODE: Final = Code.of_package()
INDEX: Final = rule_index()


def test_every_mutant_fits_the_code() -> None:
    stale = []
    for mutant in MUTANTS:
        try:
            CODE.mutated(mutant)
        except Stale as fault:
            stale.append(str(fault))
    assert stale == [], "name the places anew: they have changed"


def test_every_clause_that_is_decided_or_prompted_can_be_broken_or_says_why_not() -> None:
    broken = {mutant.clause for mutant in MUTANTS if not mutant.same}
    ours = {one.number for one in INDEX.values() if one.is_ours and one.how != "recorded"}
    assert ours - broken == set(WITHOUT)
    assert broken <= set(INDEX)


def test_who_changes_nothing_says_why() -> None:
    assert all(len(mutant.same.split()) > 4 for mutant in MUTANTS if mutant.same)
    assert all(len(why.split()) > 4 for why in WITHOUT.values())


def test_no_mutant_stands_twice() -> None:
    assert [one for one, times in Counter(MUTANTS).items() if times > 1] == []


def test_every_mutant_meets_a_test() -> None:
    tests = by_clause(citations_in_tests(INDEX, ROOT / "tests"))
    named = {one.clause: in_pytests_words(tests.get(one.clause, [])) for one in MUTANTS}
    assert [clause for clause, meets in named.items() if not meets] == []


def _run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_a_share_of_them_is_killed() -> None:
    done = _run("-m", "tests.mutation", "--share", str(SHARE), "--jobs", str(AT_A_TIME))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert f"{SHARE} mutants, {SHARE} killed" in done.stdout


# --- the run itself -------------------------------------------------------------------------------

SURVIVOR: Final = Mutant("18.9.7", "is_bust", "or 0", "or 1")
GONE: Final = Mutant("18.9.7", "is_bust", "or 17", "or 1")
NEVER_STARTS: Final = Mutant("18.9.7", "TWENTY_ONE", "21", "EVENS[5]")
KILLED: Final = Mutant("18.9.7", "may_forfeit", "if play.may_forfeit is None:", "if True:")
MEETS: Final = "tests/rounds/pontoon-nsw/18.9.5-forfeit/each-doubler-chooses-alone.yaml"

RUN: Final = f"""
import sys
import tests.mutation.__main__ as run
from tests.mutation.mutant import Mutant
run.MUTANTS = {(SURVIVOR, GONE, NEVER_STARTS, KILLED)!r}
run.tests_of_clauses = lambda: {{"18.9.7": ["{MEETS}"]}}
sys.exit(run.main(["--jobs", "2"]))
"""


def test_what_is_not_killed_is_told_and_why() -> None:
    done = _run("-c", RUN)
    assert done.returncode == 1
    assert "4 mutants, 1 killed" in done.stdout
    assert f"NOT KILLED {SURVIVOR} (1 tests passed)" in done.stdout
    assert f"NOT KILLED {GONE}: it is there 0 times, not once" in done.stdout
    assert f"NOT KILLED {NEVER_STARTS} (IndexError" in done.stdout
    assert f"killed      18.9.7       may_forfeit: {in_pytests_words([MEETS])[0]}" in done.stdout


# --- places ---------------------------------------------------------------------------------------

SOURCE: Final = '''
LIMIT = 21

def over(total: int) -> bool:
    """Above 21."""
    return (
        total > LIMIT
    )

class Hand:
    def over(self) -> bool:
        return self.total > LIMIT
'''
MADE_UP: Final = Code({ROOT / "controller" / "made_up.py": SOURCE})


def _changed(inside: str, was: str, becomes: str) -> str:
    return MADE_UP.mutated(Mutant("10.5", inside, was, becomes)).source


@pytest.mark.parametrize(
    ("inside", "was", "becomes"),
    [
        ("made_up.over", "total > LIMIT", "total >= LIMIT"),
        ("made_up.over", "return ( total > LIMIT )", "return False"),
        ("Hand.over", "self.total > LIMIT", "False"),
        ("LIMIT", "21", "20"),
        ("made_up", "LIMIT = 21", "LIMIT = 20"),
        ("controller.made_up.Hand", "> LIMIT", "< LIMIT"),
    ],
)
def test_a_place_is_found_however_it_is_laid_out(inside: str, was: str, becomes: str) -> None:
    changed = _changed(inside, was, becomes)
    assert becomes in changed
    assert len(changed.split("class Hand")) == 2


@pytest.mark.parametrize(
    ("inside", "was", "becomes", "why"),
    [
        ("over", "> LIMIT", ">= LIMIT", "2 times, not once"),
        ("made_up.over", "< LIMIT", ">= LIMIT", "0 times, not once"),
        ("under", "> LIMIT", ">= LIMIT", "nothing is called under"),
        ("made_up.over", "total > LIMIT", "total > ", "is no Python"),
        ("made_up.over", "total > LIMIT", "(total > LIMIT)", "changes nothing"),
        ("made_up.over", "total > LIMIT", "total > MOST", "MOST is not known there"),
        ("Hand.over", "self.total", "self.sum", "nothing has a sum"),
    ],
)
def test_a_place_that_does_not_fit_is_told(inside: str, was: str, becomes: str, why: str) -> None:
    with pytest.raises(Stale, match=why):
        _changed(inside, was, becomes)


def test_tests_are_named_as_pytest_names_them() -> None:
    played = "tests/controller/scripts/test_rounds.py::test_a_script_expects_every_settlement_and"
    named = ["tests/a.py::test_b", "tests/rounds/x/y.yaml", "tests/rounds/wire/z.yaml"]
    assert in_pytests_words(named) == [f"{played}_each_is_as_expected[x/y]", "tests/a.py::test_b"]
    assert (Path(ROOT) / played.partition("::")[0]).is_file()
