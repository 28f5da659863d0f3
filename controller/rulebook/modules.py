"""The tests of one Python module, and what each of them cites."""

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from controller.rulebook.citations import mentions
from controller.rulebook.index import RuleIndex
from controller.rulebook.numbers import NZ


class CitedBy(msgspec.Struct, frozen=True, order=True):
    """One test that cites a clause."""

    number: str
    test: str
    """As pytest names it without parameters, or a round script's path."""


def in_test_module(source: str, path: str, index: RuleIndex) -> Iterator[CitedBy]:
    """Yield what each test of a Python module cites.

    What stands in a table at the top of the module is cited by the tests that are parametrized
    with it, or else by those that use it by name, however roundabout.  What belongs to no test is
    cited by none: a headline tests nothing.
    """
    tree = ast.parse(source)
    module = [_Statement(node) for node in tree.body]
    for mention in mentions(tree, source, index):
        # A value that is no clause may be an amount, and 2, 7 and 8 a card or a box: were it a
        # clause and wrong, the test itself would fail.
        is_value = mention.number.isdigit() or mention.number not in index
        if not (mention.in_string and is_value):
            for name in _tests_of(module, mention.line):
                yield CitedBy(mention.number, f"{path}::{name}")
    for test in (test for statement in module for test in statement.tests):
        for number in in_name(test.name.rpartition("::")[2], index):
            yield CitedBy(number, f"{path}::{test.name}")


def in_name(test: str, index: RuleIndex) -> Iterator[str]:
    """Yield the clauses that begin a test's name.

    ``test_3_1_18_4_1_nz_3_3_a_decks`` cites 3.1, 18.4.1 and nz:3.3(a); a clause without a dot is
    written ``test_rule_8_insurance``, since ``test_8_boxes`` is a number of boxes.
    """
    words = [word for word in test.split("_")[1:] if word]
    alone = words[:1] == ["rule"]
    words = words[1:] if alone else words
    while words:
        prefix = NZ if words[0] == "nz" else ""
        words = words[1:] if prefix else words
        count = next((n for n, word in enumerate(words) if not word.isdigit()), len(words))
        if not count:
            return
        numbers, words = words[:count], words[count:]
        *clauses, last = _split(prefix, numbers, index) or [""]
        if prefix and words and f"{last}({words[0]})" in index:
            last, words = f"{last}({words[0]})", words[1:]
        yield from (one for one in (*clauses, last) if "." in one or (alone and one in index))


def _split(prefix: str, numbers: list[str], index: RuleIndex) -> list[str]:
    """Return the clauses that a row of numbers spells, the longest first; the rest as it is."""
    if not numbers:
        return []
    for count in range(len(numbers), 0, -1):
        clause = prefix + ".".join(numbers[:count])
        if clause in index:
            return [clause, *_split(prefix, numbers[count:], index)]
    return [prefix + ".".join(numbers)]


# --- the module's statements ----------------------------------------------------------------------


class _Test(NamedTuple):
    name: str
    first: int
    last: int


class _Statement:
    """One statement at the top of a module: the names it binds and uses, the tests in it."""

    def __init__(self, node: ast.stmt) -> None:
        self.first, self.last = _lines(node)
        self.tests = list(_tests_in(node))
        self.binds = set(_names(node, ast.Store))
        if isinstance(node, _DEFINITION):
            self.binds = {node.name}
        # A fixture is used by the name of an argument.
        arguments = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
        self.uses = set(_names(node, ast.Load)) | arguments
        self.takes = {
            name
            for decorator in (node.decorator_list if isinstance(node, _DEFINITION) else ())
            for name in _names(decorator, ast.Load)
        }


_FUNCTION: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITION: Final = (*_FUNCTION, ast.ClassDef)


def _lines(node: ast.stmt) -> tuple[int, int]:
    decorators = node.decorator_list if isinstance(node, _DEFINITION) else []
    return min([node.lineno, *(one.lineno for one in decorators)]), node.end_lineno or node.lineno


def _names(node: ast.AST, how: type[ast.expr_context]) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, how):
            yield one.id


def _tests_in(node: ast.stmt) -> Iterator[_Test]:
    """Yield a test function, or the tests of a test class."""
    if isinstance(node, ast.ClassDef):
        for inner in node.body:
            for test in _tests_in(inner):
                yield test._replace(name=f"{node.name}::{test.name}")
    elif isinstance(node, _FUNCTION) and node.name.startswith("test_"):
        yield _Test(node.name, *_lines(node))


def _tests_of(module: list[_Statement], line: int) -> list[str]:
    """Return the tests that a line of the module belongs to."""
    here = next((one for one in module if one.first <= line <= one.last), None)
    if here is None:
        return []
    if inside := [test.name for test in here.tests if test.first <= line <= test.last]:
        return inside
    reached, names = [here], set(here.binds)
    while more := [one for one in module if one not in reached and one.uses & names]:
        reached += more
        names |= {name for one in more for name in one.binds}
    with_tests = [one for one in reached if one.tests]
    parametrized = [one for one in with_tests if one.takes & names]
    return [test.name for one in parametrized or with_tests for test in one.tests]
