"""Nothing in ``game`` and ``table`` is kept between calls: any number may decide at a time.

Said of the modules as they are imported, and of their source: what a module holds cannot be written
to, and nothing that was made is assigned to afterwards.
"""

import ast
import enum
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, Final

import msgspec
import pytest

import controller.game
import controller.table
from controller.game.house import Attendance
from controller.game.machine import RuleMachine
from controller.table.state import House, Ledger

BESIDE: Final = ("cards", "money", "errors", "events", "outcomes")
"""What both stand on."""

WRITABLE: Final = (list, dict, set, bytearray)
MADE_FOR_ONE_CALL: Final = {
    ("controller.game.machine", "_compiled"): "attempt",
}
"""The model of one trigger, by the function that fills it: made for that call and no other."""

OWNER: Final = ("controller.table.owner", "Table")
"""Who owns a table has its state, and takes one event at a time."""


def _modules() -> list[ModuleType]:
    names = [f"controller.{name}" for name in BESIDE]
    for package in (controller.game, controller.table):
        prefix = f"{package.__name__}."
        names += [one.name for one in pkgutil.walk_packages(package.__path__, prefix)]
    return [importlib.import_module(name) for name in names]


MODULES: Final = _modules()
NAMES: Final = [module.__name__ for module in MODULES]


def _source(module: ModuleType) -> ast.Module:
    assert module.__file__ is not None
    return ast.parse(Path(module.__file__).read_text(encoding="utf-8"))


# --- what a module holds --------------------------------------------------------------------------


def writable(value: Any, name: str) -> Iterator[str]:
    """Yield the names of everything in a value that can be written to."""
    if isinstance(value, WRITABLE):
        yield name
    elif isinstance(value, tuple | frozenset):
        for at, one in enumerate(value):
            yield from writable(one, f"{name}[{at}]")
    elif isinstance(value, MappingProxyType):
        for key, one in value.items():
            yield from writable(one, f"{name}[{key!r}]")
    elif isinstance(value, msgspec.Struct):
        if not value.__struct_config__.frozen:
            yield name
        for field in value.__struct_fields__:
            yield from writable(getattr(value, field), f"{name}.{field}")


def _held(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield what a module has made itself, and what its classes hold."""
    for name, value in vars(module).items():
        if name.startswith("__") or isinstance(value, ModuleType):
            continue
        yield name, value
        if isinstance(value, type) and value.__module__ == module.__name__:
            for inner, held in vars(value).items():
                # What Python itself keeps of an enumeration or a named tuple.
                own = inner.startswith("__") or (inner.startswith("_") and inner.endswith("_"))
                if not own and inner != "_field_defaults":
                    yield f"{name}.{inner}", held


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_what_a_module_holds_cannot_be_written_to(module: ModuleType) -> None:
    assert [where for name, value in _held(module) for where in writable(value, name)] == []


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_no_function_keeps_anything_in_its_defaults(module: ModuleType) -> None:
    found = []
    for name, value in _held(module):
        if isinstance(value, FunctionType) and value.__code__.co_filename == module.__file__:
            defaults = (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
            found += [where for one in defaults for where in writable(one, name)]
            assert not vars(value), f"{name} carries something"
    assert found == []


def test_the_only_objects_that_a_module_makes_are_compiled_rows() -> None:
    """Beside values that never change, which the test above looks into."""
    made = {
        type(value)
        for module in MODULES
        for name, value in _held(module)
        if "." not in name and type(value).__module__.startswith("controller")
    }
    of_values = {one for one in made if issubclass(one, msgspec.Struct | enum.Enum)}
    assert made - of_values == {RuleMachine}


def _structs() -> Iterator[type[msgspec.Struct]]:
    for module in MODULES:
        for value in vars(module).values():
            own = isinstance(value, type) and value.__module__ == module.__name__
            if own and issubclass(value, msgspec.Struct):
                yield value


def test_every_struct_is_frozen_and_shares_nothing_that_is_written_to_by_default() -> None:
    """An empty dict that is a default is made anew for each struct.

    A struct that is one is shared: it is frozen, and nobody writes to what it holds (see below).
    """
    shared = set()
    for struct in _structs():
        assert struct.__struct_config__.frozen, struct
        for default in struct.__struct_defaults__:
            if isinstance(default, msgspec.Struct):
                shared.add(type(default))
            elif default is not msgspec.NODEFAULT:
                assert not list(writable(default, struct.__name__))
    assert shared <= {Ledger, House, Attendance}
    assert Ledger().out is not Ledger().out
    assert House().restricted is not House().restricted


# --- what is written in its source ----------------------------------------------------------------


def _functions(tree: ast.AST, above: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield every function with its name; one inside another is part of that."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield f"{above}{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{above}{node.name}.")


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        return [node.target]
    return node.targets if isinstance(node, ast.Delete) else []


def attributes_assigned(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each assignment to an attribute outside ``__init__``: the function, and to what."""
    for name, function in _functions(tree):
        if name.endswith(".__init__"):
            continue
        for node in ast.walk(function):
            for target in _targets(node):
                for one in ast.walk(target):
                    if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load):
                        yield name, ast.unparse(one)


FRESH: Final = (
    *(ast.Dict, ast.List, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp),
    *(ast.Call, ast.BinOp),
)
"""Expressions that make something new."""

CHANGES: Final = frozenset(
    {
        *("append", "extend", "insert", "remove", "sort", "reverse"),
        *("add", "discard", "update", "setdefault", "pop", "popitem", "clear"),
    }
)


def _is_new(value: ast.expr | None) -> bool:
    if isinstance(value, ast.IfExp):
        return _is_new(value.body) and _is_new(value.orelse)
    return isinstance(value, FRESH)


def others_changed(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each change of a list, dict or set that its function has not made itself."""
    for name, function in _functions(tree):
        made = {
            target.id
            for node in ast.walk(function)
            if isinstance(node, ast.Assign | ast.AnnAssign) and _is_new(node.value)
            for target in _targets(node)
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(function):
            changed = [one.value for one in _targets(node) if isinstance(one, ast.Subscript)]
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr in CHANGES:
                changed.append(called.value)
            for one in changed:
                if not (isinstance(one, ast.Name) and one.id in made):
                    yield name, ast.unparse(one)


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_no_attribute_is_assigned_after_construction(module: ModuleType) -> None:
    allowed = dict(MADE_FOR_ONE_CALL)
    found = [
        f"{function}: {target}"
        for function, target in attributes_assigned(_source(module))
        if allowed.get((module.__name__, function)) != target.partition(".")[0]
        and (module.__name__, function.partition(".")[0]) != OWNER
    ]
    assert found == []


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_only_what_a_function_made_itself_is_changed(module: ModuleType) -> None:
    found = list(others_changed(_source(module)))
    assert found == ([("Table._record", "self._log")] if module.__name__ == OWNER[0] else [])


@pytest.mark.parametrize("module", MODULES, ids=NAMES)
def test_nothing_is_cached_and_no_function_reaches_out_of_itself(module: ModuleType) -> None:
    words = {"cache", "lru_cache", "cached_property", "setattr", "__setattr__", "globals"}
    found = []
    for node in ast.walk(_source(module)):
        if isinstance(node, ast.Global | ast.Nonlocal):
            found.append(ast.unparse(node))
        names = {getattr(node, "id", ""), getattr(node, "attr", ""), getattr(node, "name", "")}
        found += sorted(names & words)
    assert found == []


# --- these tests would see it ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("class A:\n    def f(self):\n        self.x = 1", ("A.f", "self.x")),
        ("def f(play):\n    play.box.x += 1", ("f", "play.box.x")),
        ("def f(a):\n    a.x, b = 1, 2", ("f", "a.x")),
        ("def f(a):\n    del a.x", ("f", "a.x")),
    ],
)
def test_an_assignment_is_seen(source: str, where: tuple[str, str]) -> None:
    assert list(attributes_assigned(ast.parse(source))) == [where]


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("def f(kept):\n    kept[1] = 2", ("f", "kept")),
        ("def f(a):\n    a.kept.append(1)", ("f", "a.kept")),
        ("def f(a):\n    kept = a.kept\n    kept.pop(1)", ("f", "kept")),
        ("KEPT = {}\ndef f(a):\n    KEPT.setdefault(a, 1)", ("f", "KEPT")),
        ("def f(kept):\n    del kept[1]", ("f", "kept")),
    ],
)
def test_a_change_of_what_others_have_is_seen(source: str, where: tuple[str, str]) -> None:
    assert list(others_changed(ast.parse(source))) == [where]


def test_what_a_function_makes_for_itself_is_its_own() -> None:
    source = "def f(a):\n    x: list[int] = []\n    x.append(1)\n    y = dict(a)\n    y[1] = 2"
    assert list(others_changed(ast.parse(source))) == []


@pytest.mark.parametrize(
    "value", [[], {}, ((), [1]), MappingProxyType({"a": {1}}), Ledger(), (frozenset({Ledger}), [])]
)
def test_what_can_be_written_to_is_seen_however_deep(value: Any) -> None:
    assert list(writable(value, "X"))
