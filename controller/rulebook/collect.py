"""Write ``tests.json``, the tests of each clause: ``python -m controller.rulebook.collect``.

An installed program has no tests beside it; what they cite travels in the package.
"""

import sys
from pathlib import Path
from typing import Final

from controller.errors import TableError, UsageError
from controller.rulebook.citations import PACKAGE
from controller.rulebook.index import rule_index
from controller.rulebook.tested import TABLE, as_json, by_clause, citations_in_tests

TESTS: Final = PACKAGE.parent / "tests"


def collect(tests: Path = TESTS, table: Path = TABLE) -> None:
    """Write the table of the tests in a checkout.

    Raises:
        UsageError: there are no tests, or some cite what is no clause; says which.
    """
    if not (tests / "rounds").is_dir():
        raise UsageError(f"{tests}: the tests are collected in a checkout, and there are none here")
    index = rule_index()
    citations = citations_in_tests(index, tests)
    if strangers := [one for one in citations if one.number not in index]:
        told = "\n".join(f"  {one.test} cites {one.number}" for one in strangers)
        raise UsageError(f"these are no clauses of the rule index:\n{told}")
    table.write_text(as_json(by_clause(citations)), encoding="utf-8")


def main() -> int:
    """Write the table that travels in the package; return the exit status."""
    try:
        collect()
    except TableError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
