"""Tests run against a mutant, each in a process of its own, which nothing outlives.

The working tree is never touched.  A fork of this process imports the controller anew, and gets one
module of it from an import hook as the mutant has it.  A program that a test would start knows
nothing of that hook, so such a test is skipped: over the wire everything goes on as it was.
"""

import contextlib
import importlib
import importlib.machinery
import importlib.util
import io
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import CodeType
from typing import Final, NamedTuple

import hypothesis
import pytest

import controller.scripts.play
import controller.service.run
from tests.mutation.mutant import PACKAGE, ROOT, Mutated, dotted

IMPORTED_ONCE: Final = (hypothesis, controller.service.run, controller.scripts.play)
"""So that each fork finds everything that these stand on; but the controller itself not."""

STARTED: Final = ("controller.service.run", "controller.scripts.play")
"""What each fork imports before its tests: a mutant that nobody could start proves nothing."""

ANEW: Final = frozenset({"controller", "drivers", "tests"})
"""The packages that each fork imports for itself."""

SECONDS: Final = 240
"""How long the tests of one mutant may take."""

_ROUND: Final = "tests/controller/scripts/test_rounds.py"
_PLAYED: Final = f"{_ROUND}::test_a_script_expects_every_settlement_and_each_is_as_expected"
_OPTIONS: Final = (
    "--no-header",
    "--hypothesis-seed=0",
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *("-p", "no:randomly"),
    *("-p", "no:cacheprovider"),
    *("-p", "no:xdist"),
)


class Ran(NamedTuple):
    """What the tests said."""

    failed: tuple[str, ...] = ()
    """The tests that failed."""
    passed: int = 0
    trouble: str = ""
    """Why they could not be run."""


def in_pytests_words(tests: Iterable[str]) -> list[str]:
    """Return how pytest names the tests of a clause, round scripts first: they are quick.

    What the rule index names is a test function or a round script.
    """
    named = list(dict.fromkeys(tests))
    rounds = [test for test in named if test.endswith(".yaml")]
    scripts = [test.removeprefix("tests/rounds/").removesuffix(".yaml") for test in rounds]
    played = [f"{_PLAYED}[{name}]" for name in scripts if not name.startswith("wire/")]
    return [*played, *(test for test in named if test not in rounds)]


def run_all(
    jobs: Sequence[tuple[Mutated | None, Sequence[str]]], at_a_time: int
) -> Iterator[tuple[int, Ran]]:
    """Run tests against one mutant after the other; yield what came of each, by its place.

    The first that fails is enough.  None in place of a mutant runs all of them against the code as
    it is.
    """
    _as_it_is()
    context = multiprocessing.get_context("fork")
    waiting = list(enumerate(jobs))[::-1]
    running: dict[Connection, tuple[int, BaseProcess, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < at_a_time:
                at, (mutated, tests) = waiting.pop()
                here, there = context.Pipe(duplex=False)
                process = context.Process(target=_child, args=(there, mutated, list(tests)))
                process.start()
                there.close()
                running[here] = (at, process, time.monotonic() + SECONDS)
            ready = wait(running, timeout=1)
            over = [one for one, (_, _, until) in running.items() if time.monotonic() > until]
            for pipe in {*ready, *over}:
                assert isinstance(pipe, Connection)
                at, process, _ = running.pop(pipe)
                yield at, _said(pipe, process)
    finally:
        for _, process, _ in running.values():
            process.kill()


def _said(pipe: Connection, process: BaseProcess) -> Ran:
    with pipe:
        try:
            ran = (
                Ran(*pipe.recv())
                if pipe.poll()
                else Ran(trouble=f"not over after {SECONDS} seconds")
            )
        except EOFError:
            ran = Ran(trouble="the process ended without a word")
    process.kill()
    process.join()
    return ran


# --- in the fork ----------------------------------------------------------------------------------


class _Module(NamedTuple):
    path: Path
    code: CodeType


def _compiled(name: str, path: Path, source: str) -> tuple[str, _Module]:
    return name, _Module(path, compile(source, str(path), "exec", dont_inherit=True))


@cache
def _as_it_is() -> Mapping[str, _Module]:
    """Return the modules of the controller, compiled once for all forks."""
    files = sorted(PACKAGE.rglob("*.py"))
    return dict(_compiled(dotted(file), file, file.read_text(encoding="utf-8")) for file in files)


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module that is compiled already."""

    def __init__(self, name: str, module: _Module) -> None:
        super().__init__(name, str(module.path))
        self._code = module.code

    def get_code(self, fullname: str) -> CodeType:
        return self._code


class _Hook:
    """Finds the controller's modules before anybody else does, the mutated one among them."""

    def __init__(self, mutated: Mutated | None) -> None:
        self._modules = dict(_as_it_is())
        if mutated is not None:
            self._modules |= [_compiled(*mutated)]
        self.found: set[str] = set()

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if (module := self._modules.get(name)) is None:
            return None
        self.found.add(name)
        loader = _Loader(name, module)
        return importlib.util.spec_from_file_location(name, module.path, loader=loader)


class _Watch:
    """Notes how the tests go."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self.passed = 0

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module of tests that lays its tables when it is read may fail there already."""
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
        self.passed += report.when == "call" and report.passed


def _child(pipe: Connection, mutated: Mutated | None, tests: list[str]) -> None:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            ran = _run(mutated, tests)
    except BaseException as fault:  # noqa: BLE001
        ran = Ran(trouble=f"{type(fault).__name__}: {fault}")
    if ran.trouble:
        ran = ran._replace(trouble=f"{ran.trouble}\n{said.getvalue()[-2000:]}")
    pipe.send(tuple(ran))  # the class is imported anew here: it is another
    pipe.close()
    os._exit(0)


def _run(mutated: Mutated | None, tests: list[str]) -> Ran:
    for name in [name for name in sys.modules if name.partition(".")[0] in ANEW]:
        del sys.modules[name]
    hook = _Hook(mutated)
    sys.meta_path.insert(0, hook)
    subprocess.Popen.__init__ = _starts_a_program  # type: ignore[method-assign]
    for name in STARTED:
        importlib.import_module(name)
    os.chdir(ROOT)
    watch = _Watch()
    first = ["--exitfirst"] if mutated is not None else []
    status = pytest.main([*_OPTIONS, *first, *tests], plugins=[watch])
    if watch.failed:
        return Ran(failed=tuple(watch.failed), passed=watch.passed)
    if status is not pytest.ExitCode.OK:
        return Ran(trouble=f"pytest says {status!r}")
    if mutated is not None and mutated.name not in hook.found:
        return Ran(trouble="its tests do not even import what it changes")
    return Ran(passed=watch.passed)


def _starts_a_program(*_: object, **__: object) -> None:
    pytest.skip("a program that is started here is not the mutant")
