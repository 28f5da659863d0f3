"""What a clause number looks like, how clauses are ordered, and where a text cites them.

New South Wales clauses are plain (``18.9.5``, ``7``), those of New Zealand are prefixed
(``nz:5.1(a)``), and a definition is its clause with the word defined (``1.1 burned``).
"""

import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

NZ: Final = "nz:"

_NSW = r"\d{1,2}(?:\.\d{1,2})*"
_NZ = rf"{NZ}\d(?:\.\d)?(?:\([a-z]\)(?:\((?:i{{1,3}}|iv|v)\))?)?"
_WHOLE: Final = re.compile(rf"(?P<number>{_NZ}|{_NSW})(?: (?P<term>\S.*))?")

HIGHEST: Final = 18
"""No rule and no part of one has a higher number; 24.50 is an amount and no clause."""


class Order(NamedTuple):
    """Where a clause stands: the book, its numbers, its letters, the word that it defines."""

    book: int
    numbers: tuple[int, ...]
    letters: tuple[str, ...]
    term: str


def order(number: str) -> Order:
    """Return where the clause stands, so that 18.9.10 follows 18.9.9.

    >>> sorted(["18.10", "nz:4.1(c)(ii)", "18.9.10", "nz:4.1(c)", "18.9.9", "3.2"], key=order)
    ['3.2', '18.9.9', '18.9.10', '18.10', 'nz:4.1(c)', 'nz:4.1(c)(ii)']

    Raises:
        ValueError: this is not written as a clause number is.
    """
    found = _WHOLE.fullmatch(number)
    if found is None:
        raise ValueError(f"{number!r} is not written as a clause: 18.9.5, nz:5.1(a), 1.1 burned")
    bare = found["number"].removeprefix(NZ)
    return Order(
        book=1 if bare != found["number"] else 0,
        numbers=tuple(int(part) for part in re.findall(r"\d+", bare)),
        letters=tuple(re.findall(r"[a-z]+", bare)),  # i to v are in order as words, too
        term=(found["term"] or "").casefold(),
    )


def is_part(number: str, of: str) -> bool:
    """Tell whether one clause is a part of another, at any depth.

    >>> is_part("18.9.1.2", "18.9"), is_part("18.10", "18.1"), is_part("nz:5.1(a)", "nz:5.1")
    (True, False, True)
    """
    return number.startswith(of) and number[len(of) : len(of) + 1] in {".", "(", " "}


# --- citations in a text --------------------------------------------------------------------------

_ONE = rf"(?:{_NZ}|{_NSW})"
# Not a part of a longer word or number, an amount, a time or a share.
_FREE = r"(?<![\w.$:/-])"
_ENDS = r"(?!\w|\.\d|:\d| ?(?:%|(?:s|ms|seconds?|minutes?|V|Hz|MB)\b))"
_JOIN = r"(?:, and |, | and | or | to )"
_RUN: Final = re.compile(rf"{_FREE}{_ONE}{_ENDS}(?:{_JOIN}{_ONE}{_ENDS})*")
_EACH: Final = re.compile(rf"({_ONE})({_JOIN})?")
_BEFORE: Final = re.compile(r"(?:\b[Rr]ules? |; |^\W*)$")


def cited(text: str, terms: Collection[str] = ()) -> Iterator[tuple[int, str]]:
    """Yield each clause that the text cites, with where in the text.

    A number of two parts may be an amount as well, and one of one part anything: it is a citation
    inside parentheses, after *rule* or a semicolon, and at the beginning.  ``terms`` are the
    definitions, which look like ``1.1 burned``.  ``16.2 to 16.4`` cites all three.

    >>> [number for _, number in cited("12.1: alike in value; 12.4, 12.5: again (1 to 1, 7.50)")]
    ['12.1', '12.4', '12.5']
    >>> [number for _, number in cited("Rules 8, 9.1.2 to 9.1.3 and nz:5.1(a) (7)")]
    ['8', '9.1.2', '9.1.3', 'nz:5.1(a)', '7']
    """
    for run in _RUN.finditer(text):
        stands = _stands(text[: run.start()])
        alone = _may_be_alone(text, *run.span())
        first = ""
        for each in _EACH.finditer(run[0]):
            number = _with_term(text, run.start() + each.end(1), each[1], terms)
            for one in _range(first, number):
                if _counts(one, stands=stands, alone=alone):
                    yield run.start() + each.start(1), one
            first = number if each[2] == " to " else ""


def _counts(number: str, *, stands: bool, alone: bool) -> bool:
    numbers = order(number).numbers
    if not all(1 <= part <= HIGHEST for part in numbers):
        return False
    if number.startswith(NZ) or len(numbers) > 2:
        return True
    return stands if len(numbers) == 2 else alone


def _stands(before: str) -> bool:
    return before.count("(") > before.count(")") or _BEFORE.search(before) is not None


def _may_be_alone(text: str, start: int, end: int) -> bool:
    """Tell whether a number without a dot would be a clause here: ``(7)``, ``rule 8``, ``7: ``."""
    before, run, after = text[:start], text[start:end], text[end:]
    if re.search(r"\b[Rr]ules? $", before):
        return True
    if re.search(r"(?<!\w)\($", before):
        # (2 to 1) and (6 or 8) are odds and decks.
        counted = re.search(r"(?<![\d.])\d+(?: to | or )\d+(?!\.?\d)", run)
        return counted is None and re.match(r"[);:]|, [a-z]", after) is not None
    return not before.strip() and re.match(r": | as ", after) is not None


def _with_term(text: str, end: int, number: str, terms: Collection[str]) -> str:
    for term in sorted(terms, key=len, reverse=True):
        word = term.removeprefix(f"{number} ")
        if word != term and re.match(rf" {re.escape(word)}(?!\w)", text[end:]):
            return term
    return number


def _range(first: str, last: str) -> list[str]:
    """Return all from one number to another of the same clause; the last alone without a first."""
    above, _, low = first.rpartition(".")
    other, _, high = last.rpartition(".")
    if not first or above != other or not (low.isdigit() and high.isdigit()):
        return [last]
    return [
        f"{above}.{part}" if above else str(part) for part in range(int(low) + 1, int(high) + 1)
    ]
