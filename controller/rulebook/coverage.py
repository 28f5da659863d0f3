"""What is still missing: clauses that are ours to carry out and that code or tests do not cite."""

from collections.abc import Container
from typing import NamedTuple

from controller.rulebook.index import Clause, RuleIndex


class Lack(NamedTuple):
    """A clause that is ours, and which of the two it lacks."""

    clause: Clause
    code: bool
    test: bool

    @property
    def words(self) -> str:
        """What is missing, in words."""
        if self.code and self.test:
            return "neither code nor test"
        return "no code" if self.code else "no test"


def missing(
    index: RuleIndex, in_code: Container[str], in_tests: Container[str]
) -> tuple[Lack, ...]:
    """Return every clause that is ours and that code or tests do not cite, in rule order.

    *Decided*, *prompted* and *recorded* clauses alike: what is kept is kept by code.  A heading
    lacks nothing; its sub-clauses are counted one by one, and citing it counts for none of them.
    """
    ours = (clause for clause in index.values() if clause.is_ours)
    found = (Lack(one, one.number not in in_code, one.number not in in_tests) for one in ours)
    return tuple(lack for lack in found if lack.code or lack.test)
