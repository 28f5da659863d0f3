"""``python -m tests.mutation``: break each clause, and see whether a test that names it fails.

Prints a line for each mutant, and at the end those that no test of their clause has seen.
"""

import argparse
import hashlib
import os
import random
import sys
import time
from collections.abc import Sequence
from typing import Final

from controller.rulebook.index import rule_index
from controller.rulebook.modules import in_name
from controller.rulebook.tested import by_clause, citations_in_tests
from tests.mutation.mutant import ROOT, Code, Mutant, Stale
from tests.mutation.running import Ran, in_pytests_words, run_all
from tests.mutation.table import MUTANTS

KILLED: Final = 0
SURVIVORS: Final = 1
USAGE: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the mutants that the command line asks for; return the exit status."""
    options = _options(arguments)
    code, tests = Code.of_package(), tests_of_clauses()
    chosen = [one for one in MUTANTS if not options.clause or one.clause in options.clause]
    chosen = [one for one in chosen if not one.same]
    if not chosen:
        sys.stderr.write("no mutant breaks such a clause\n")
        return USAGE
    if options.share:
        seed = options.seed or _seed_of(code)
        chosen = random.Random(seed).sample(chosen, min(options.share, len(chosen)))
        sys.stdout.write(f"a share of {len(chosen)}, drawn by {seed}\n")
    begun = time.monotonic()
    survived = _run(code, chosen, tests, options.jobs)
    took = time.monotonic() - begun
    killed = len(chosen) - len(survived)
    sys.stdout.write(f"{len(chosen)} mutants, {killed} killed, {took:.0f} s\n")
    for line in survived:
        sys.stdout.write(f"NOT KILLED {line}\n")
    return SURVIVORS if survived else KILLED


def tests_of_clauses() -> dict[str, list[str]]:
    """Return the tests that name each clause, as they are in this checkout now."""
    return by_clause(citations_in_tests(rule_index(), ROOT / "tests"))


def quickest_first(clause: str, tests: dict[str, list[str]]) -> list[str]:
    """Return a clause's tests: those about it before those that meet it on the way."""
    index = rule_index()

    def meets_it_on_the_way(test: str) -> bool:
        return clause not in in_name(test.rpartition("::")[2], index)

    return sorted(tests.get(clause, []), key=meets_it_on_the_way)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("clause", nargs="*", help="only the mutants of these clauses")
    parser.add_argument("--share", type=int, metavar="N", help="only so many, drawn by the seed")
    parser.add_argument("--seed", help="what is drawn; if not given, it follows from the code")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    return parser.parse_args(arguments)


def _seed_of(code: Code) -> str:
    """Return a seed of the code: another share for another code, the same for the same."""
    return hashlib.sha256("".join(code.sources).encode()).hexdigest()[:8]


def _run(
    code: Code, mutants: Sequence[Mutant], tests: dict[str, list[str]], at_a_time: int
) -> list[str]:
    """Run the tests of each mutant's clause against it; return who survived, and why."""
    survived, jobs, fitting = [], [], []
    for mutant in mutants:
        try:
            mutated = code.mutated(mutant)
        except Stale as fault:
            survived.append(str(fault))
            continue
        jobs.append((mutated, in_pytests_words(quickest_first(mutant.clause, tests))))
        fitting.append(mutant)
    killers: dict[str, list[Mutant]] = {}
    for at, ran in run_all(jobs, at_a_time):
        mutant = fitting[at]
        if ran.failed:
            killers.setdefault(ran.failed[0], []).append(mutant)
        else:
            survived.append(f"{mutant} ({ran.trouble or f'{ran.passed} tests passed'})")
        sys.stdout.write(f"{_told(mutant, ran)}\n")
        sys.stdout.flush()
    return [*survived, *_not_fair(killers, at_a_time)]


def _told(mutant: Mutant, ran: Ran) -> str:
    if ran.failed:
        return f"killed      {mutant.clause:<12} {mutant.inside}: {ran.failed[0]}"
    return f"NOT KILLED  {mutant}"


def _not_fair(killers: dict[str, list[Mutant]], at_a_time: int) -> list[str]:
    """Return the mutants whose killer fails without any mutant as well."""
    tests = sorted(killers)
    shares = [tests[at::at_a_time] for at in range(at_a_time)]
    jobs = [(None, share) for share in shares if share]
    unfair = []
    for at, ran in run_all(jobs, at_a_time):
        failing = jobs[at][1] if ran.trouble else ran.failed
        why = ran.trouble or "fails without it as well"
        unfair += [f"{one} ({test}: {why})" for test in failing for one in killers[test]]
    return unfair


if __name__ == "__main__":
    sys.exit(main())
