"""A mutant: one line of the controller changed so that a clause is broken, and where that line is.

A place is named by what it stands in, a function, class, constant or module, wherever that is now,
and by a piece of source that stands there just once.  Spaces and line breaks do not count, so a
formatter moves nothing.  A place that is not there any more, or there twice, is a fault of the
table, told loudly: a mutant that changes nothing would pass for one that no test kills, or worse.
"""

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "controller"
_INDEX: Final = PACKAGE / "rulebook"

_NAMED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Mutant(NamedTuple):
    """Read as: the clause is broken when, inside this, that becomes something else."""

    clause: str
    inside: str
    """Function, class, constant or module; ``module.name`` where several have the name."""
    was: str
    becomes: str
    same: str = ""
    """Why no test can tell the difference, for one that changes nothing that can be seen."""

    def __str__(self) -> str:
        return f"{self.clause}: in {self.inside}, {self.was!r} becomes {self.becomes!r}"


class Stale(Exception):
    """A mutant that does not fit the code; the message says what is wrong with it."""


class Mutated(NamedTuple):
    """A module with a mutant in it."""

    name: str
    path: Path
    source: str


class _Scope(NamedTuple):
    path: Path
    first: int
    """Where it begins in the source, and where it ends: as places in the text."""
    last: int


class Code:
    """The source code of the controller, with everything in it that has a name."""

    def __init__(self, sources: Mapping[Path, str]) -> None:
        self._sources = sources
        self._known: dict[Path, set[str]] = {}
        self._attributes: set[str] = set()
        self._scopes: dict[str, list[_Scope]] = {}
        for path, source in sources.items():
            tree = ast.parse(source)
            self._known[path] = _known(tree)
            self._attributes |= _attributes(tree)
            starts = _line_starts(source)
            self._keep(dotted(path), _Scope(path, 0, starts[-1]))
            for name, node in _named(tree, dotted(path)):
                first = min([node.lineno, *(one.lineno for one in _decorators(node))])
                assert node.end_lineno is not None
                self._keep(name, _Scope(path, starts[first - 1], starts[node.end_lineno]))

    def _keep(self, name: str, scope: _Scope) -> None:
        """Let a scope be found by its name and by every longer one."""
        parts = name.split(".")
        for at in range(len(parts)):
            self._scopes.setdefault(".".join(parts[at:]), []).append(scope)

    @classmethod
    def of_package(cls, package: Path = PACKAGE) -> "Code":
        """Read the controller, but for the rule index, which carries no clause out."""
        files = (file for file in sorted(package.rglob("*.py")) if _INDEX not in file.parents)
        return cls({file: file.read_text(encoding="utf-8") for file in files})

    @property
    def sources(self) -> tuple[str, ...]:
        """All of it, by the names of its files."""
        return tuple(source for _, source in sorted(self._sources.items()))

    def mutated(self, mutant: Mutant) -> Mutated:
        """Return the one module that the mutant changes.

        Raises:
            Stale: it fits nowhere or in several places, changes nothing, or is no Python.
        """
        scope, first, last = self._place(mutant)
        source = self._sources[scope.path]
        try:
            was = _parsed(source[scope.first : scope.last])
            now = _parsed(source[scope.first : first] + mutant.becomes + source[last : scope.last])
        except SyntaxError as fault:
            raise Stale(f"{mutant}: is no Python: {fault}") from None
        if ast.dump(was) == ast.dump(now):
            raise Stale(f"{mutant}: changes nothing")
        if unknown := _names(now) - self._known[scope.path]:
            raise Stale(f"{mutant}: {', '.join(sorted(unknown))} is not known there")
        if unknown := _attributes(now) - self._attributes:
            raise Stale(f"{mutant}: nothing has a {', '.join(sorted(unknown))}")
        changed = source[:first] + mutant.becomes + source[last:]
        return Mutated(dotted(scope.path), scope.path, changed)

    def _place(self, mutant: Mutant) -> tuple[_Scope, int, int]:
        scopes = self._scopes.get(mutant.inside, [])
        if not scopes:
            raise Stale(f"{mutant}: nothing is called {mutant.inside}")
        pattern = re.compile(r"\s+".join(map(re.escape, mutant.was.split())))
        found = {
            (scope.path, match.start()): (scope, *match.span())
            for scope in scopes
            for match in pattern.finditer(self._sources[scope.path], scope.first, scope.last)
        }
        if len(found) != 1:
            raise Stale(f"{mutant}: it is there {len(found)} times, not once")
        return found.popitem()[1]


def dotted(path: Path) -> str:
    """Return the name by which a file of the checkout is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _parsed(source: str) -> ast.Module:
    """Return the tree of a whole statement, however far it is indented."""
    return ast.parse(f"if True:\n{source}" if source.startswith(" ") else source)


def _line_starts(source: str) -> list[int]:
    """Return where each line begins, and at last where the text ends."""
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _named(node: ast.AST, above: str) -> Iterator[tuple[str, ast.stmt]]:
    """Yield every function, class and constant with its dotted name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _NAMED):
            name = f"{above}.{child.name}"
            yield name, child
            yield from _named(child, name)
        elif isinstance(child, ast.Assign | ast.AnnAssign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield f"{above}.{target.id}", child


def _decorators(node: ast.stmt) -> list[ast.expr]:
    return node.decorator_list if isinstance(node, _NAMED) else []


def _names(tree: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}


def _attributes(tree: ast.AST) -> set[str]:
    return {one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute)}


def _known(tree: ast.AST) -> set[str]:
    """Return every name that is known in a module: a mutant may use no other."""
    imported = {
        (one.asname or one.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for one in node.names
    }
    arguments = {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
    defined = {one.name for one in ast.walk(tree) if isinstance(one, _NAMED)}
    return imported | arguments | defined | _names(tree) | set(dir(builtins))
