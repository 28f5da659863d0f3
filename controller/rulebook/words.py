"""What is told of the rules: the list, one clause with its places, and what is missing.  Pure."""

import difflib
from collections.abc import Iterable, Mapping, Sequence

from controller.errors import UsageError
from controller.rulebook.citations import Citation, by_clause, strangers
from controller.rulebook.coverage import missing
from controller.rulebook.index import Clause, RuleIndex


def listed(clauses: Iterable[Clause]) -> list[str]:
    """Return one line a clause: number, how it is carried out, and what it says."""
    clauses = list(clauses)
    wide = _wide(clauses)
    return [f"{one.number:<{wide}}  {one.how:<8}  {one.says}" for one in clauses]


def told(
    number: str, index: RuleIndex, code: Sequence[Citation], tests: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return all that is known of a clause; of a whole rule, as 18, the list of its clauses.

    Raises:
        UsageError: there is no such clause; names the nearest.
    """
    parts = index.parts(number)
    clause = index.get(number)
    if clause is None:
        if parts:
            return listed(parts)
        near = difflib.get_close_matches(number, list(index), n=3) or ["18.9.5", "nz:5.1(a)"]
        raise UsageError(f"there is no clause {number}: {', '.join(near)}?")
    places = [
        f"{one.path}:{one.line}  {one.inside}".rstrip() for one in code if one.number == number
    ]
    return [
        f"{clause.number}  {clause.how}",
        f"  {clause.says}",
        *([f"  {clause.because}"] if clause.because else []),
        *_block("carried out", places or ["nowhere"] * clause.is_ours),
        *_block("tested", tests.get(number) or ["by nothing"] * clause.is_ours),
        *_block("its parts", listed(parts)),
    ]


def lacking(
    index: RuleIndex, code: Sequence[Citation], tests: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return a line for each clause that lacks code or a test, and each citation of no clause."""
    lacks = missing(index, by_clause(code), tests)
    wide = _wide([lack.clause for lack in lacks])
    return [
        *(
            f"{one.path}:{one.line} cites {one.number}, which is no clause"
            for one in strangers(code, index)
        ),
        *(f"{one.clause.number:<{wide}}  {one.clause.how:<8}  {one.words}" for one in lacks),
    ]


def _block(title: str, lines: Sequence[str]) -> list[str]:
    return [f"{title}:", *(f"  {line}" for line in lines)] if lines else []


def _wide(clauses: Sequence[Clause]) -> int:
    return max((len(clause.number) for clause in clauses), default=0)
