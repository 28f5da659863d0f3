"""Where the code of this package cites clauses: in strings, docstrings and comments.

The package reads its own files, so an installed wheel answers as a checkout does.
"""

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from controller.rulebook.index import RuleIndex
from controller.rulebook.numbers import cited

PACKAGE: Final = Path(__file__).parents[1]
_INDEX: Final = Path(__file__).parent


class Citation(msgspec.Struct, frozen=True, order=True):
    """One place where a clause is cited."""

    path: str
    """As from the folder that the package lies in: ``controller/game/doubling.py``."""
    line: int
    number: str
    inside: str = ""
    """The function or class it stands in; empty at the top of a module."""


class Mention(NamedTuple):
    """A clause in a Python source: where, and how it is written there."""

    line: int
    number: str
    in_string: bool
    """In a value, as in a row or a refusal; otherwise in a docstring or comment."""


def code_citations(index: RuleIndex, package: Path = PACKAGE) -> tuple[Citation, ...]:
    """Return every citation in the package's sources, the rule index's own left out.

    What is cited and is no clause is among them: :func:`strangers` tells them apart.
    """
    found: set[Citation] = set()
    for file in sorted(package.rglob("*.py")):
        if _INDEX not in file.parents:
            path = file.relative_to(package.parent).as_posix()
            found.update(in_python(file.read_text(encoding="utf-8"), path, index))
    return tuple(sorted(found))


def in_python(source: str, path: str, index: RuleIndex) -> Iterator[Citation]:
    """Yield the citations of one Python source."""
    tree = ast.parse(source)
    scopes = list(_scopes(tree))
    for mention in mentions(tree, source, index):
        yield Citation(path, mention.line, mention.number, scope_at(scopes, mention.line))


def by_clause(citations: Iterable[Citation]) -> Mapping[str, tuple[Citation, ...]]:
    """Return the citations of each clause."""
    found: dict[str, list[Citation]] = {}
    for one in citations:
        found.setdefault(one.number, []).append(one)
    return {number: tuple(places) for number, places in found.items()}


def strangers(citations: Iterable[Citation], index: RuleIndex) -> tuple[Citation, ...]:
    """Return the citations of what is no clause: a slip, or a clause the index has forgotten."""
    return tuple(one for one in citations if one.number not in index)


def mentions(tree: ast.Module, source: str, index: RuleIndex) -> Iterator[Mention]:
    """Yield every clause that a source's strings, docstrings and comments cite.

    A whole rule (*rule 17*, ``10``) has no entry of its own and is passed over.
    """
    for mention in (*_in_strings(tree, index), *_in_comments(source, index)):
        if mention.number in index or not mention.number.isdigit():
            yield mention


def _in_strings(tree: ast.Module, index: RuleIndex) -> Iterator[Mention]:
    # A word that is compared with something is a card's rank as often as a rule.
    compared = {
        id(side)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
    }
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            in_string = id(node) not in docstrings
            if node.value in index and (not node.value.isdigit() or id(node) not in compared):
                yield Mention(node.lineno, node.value, in_string)
            else:
                yield from _in_prose(node.value, node.lineno, index, in_string=in_string)


def _in_comments(source: str, index: RuleIndex) -> Iterator[Mention]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            said = token.string.lstrip("#-! ")
            yield from _in_prose(said, token.start[0], index, in_string=False)


def _in_prose(text: str, line: int, index: RuleIndex, *, in_string: bool) -> Iterator[Mention]:
    for at, number in cited(text, index.terms):
        yield Mention(line + text.count("\n", 0, at), number, in_string)


class Scope(NamedTuple):
    """The lines of one function or class, decorators and all."""

    first: int
    last: int
    name: str


def _scopes(tree: ast.AST, above: str = "") -> Iterator[Scope]:
    for node in ast.iter_child_nodes(tree):
        name = above
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{above}.{node.name}" if above else node.name
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            yield Scope(first, node.end_lineno or node.lineno, name)
        yield from _scopes(node, name)


def scope_at(scopes: list[Scope], line: int) -> str:
    """Return the innermost function or class at a line."""
    around = [scope for scope in scopes if scope.first <= line <= scope.last]
    return max(around, key=lambda scope: scope.first).name if around else ""
