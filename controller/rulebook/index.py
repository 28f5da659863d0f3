"""The clauses themselves: one line in our words each, and how it is carried out."""

import functools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from controller.errors import TableError
from controller.rulebook.numbers import is_part, order

How = Literal["decided", "prompted", "recorded", "outside"]

_HERE: Final = Path(__file__).parent
FILES: Final = (_HERE / "nsw.toml", _HERE / "nz.toml")


class RuleIndexError(TableError):
    """The rule index has a fault; the message names the file, the clause and what is allowed."""


class Clause(msgspec.Struct, frozen=True):
    """One clause of the rule texts."""

    number: str
    says: str
    """One line in our own words."""
    how: How
    """*decided* by code, *prompted* (a person is told to do it), *recorded*, or *outside*."""
    because: str = ""
    """Why it is outside: what no controller can do about it."""
    heading: bool = False
    """It says nothing but what its sub-clauses say, and is carried out where they are."""

    @property
    def is_ours(self) -> bool:
        """Tell whether code must carry it out, and a test must show that it does."""
        return self.how != "outside" and not self.heading


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    says: str
    how: How
    because: str = ""
    heading: bool = False


class RuleIndex(Mapping[str, Clause]):
    """All clauses by their numbers, in the order of the rules."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        in_order = sorted(clauses, key=lambda clause: order(clause.number))
        self._clauses = {clause.number: clause for clause in in_order}

    def __getitem__(self, number: str) -> Clause:
        return self._clauses[number]

    def __iter__(self) -> Iterator[str]:
        return iter(self._clauses)

    def __len__(self) -> int:
        return len(self._clauses)

    @functools.cached_property
    def terms(self) -> tuple[str, ...]:
        """The definitions, as ``1.1 burned``."""
        return tuple(number for number in self if " " in number)

    def parts(self, number: str) -> tuple[Clause, ...]:
        """Return what stands under a clause or a whole rule, at any depth."""
        return tuple(clause for clause in self.values() if is_part(clause.number, number))


def read_index(files: Sequence[Path]) -> RuleIndex:
    """Return the index that the files hold.

    Raises:
        RuleIndexError: a file or an entry has a fault; says which and what is allowed.
    """
    clauses: dict[str, Clause] = {}
    for file in files:
        for number, entry in _entries(file).items():
            if number in clauses:
                raise RuleIndexError(f"{file}: {number} stands in another file already")
            clauses[number] = _clause(file, number, entry)
    index = RuleIndex(list(clauses.values()))
    for clause in index.values():
        if clause.heading and not index.parts(clause.number):
            raise RuleIndexError(f"{clause.number} is a heading, but nothing stands under it")
    return index


@functools.cache
def rule_index() -> RuleIndex:
    """Return the index that travels in the package, read when it is first asked for.

    Raises:
        RuleIndexError: it has a fault; the program should not start with it.
    """
    return read_index(FILES)


def _entries(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as fault:
        raise RuleIndexError(f"{file}: cannot be read: {fault}") from None
    except tomllib.TOMLDecodeError as fault:
        raise RuleIndexError(f"{file}: is not TOML: {fault}") from None


def _clause(file: Path, number: str, entry: object) -> Clause:
    try:
        order(number)
        found = msgspec.convert(entry, _Entry)
        _check(found)
    except ValueError as fault:
        raise RuleIndexError(f"{file}: {number}: {fault}") from None
    return Clause(number, found.says, found.how, found.because, found.heading)


def _check(entry: _Entry) -> None:
    if not entry.says.strip() or len(entry.says.splitlines()) != 1:
        raise ValueError("says is one line in our own words")
    if bool(entry.because.strip()) != (entry.how == "outside"):
        raise ValueError("what is outside needs a because, and nothing else has one")
