"""``tablekeeper play``: scripts on the real controller, one after the other."""

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal, NamedTuple, TextIO

import msgspec

from controller.errors import TableGone, UsageError
from controller.scripts.direct import DirectTable
from controller.scripts.perform import Rehearsal, Traced, perform
from controller.scripts.read import BadScript, read_script
from controller.scripts.report import report, trace_lines
from controller.scripts.result import Result
from controller.scripts.script import Fault, Script
from controller.scripts.steps import WIRE_ONLY
from controller.scripts.wire import WireTable

HELD: Final = 0
FAILED: Final = 1
BAD: Final = 2

Over = Literal["wire", "direct"]


class Options(NamedTuple):
    """How scripts are played and told."""

    over: Over = "wire"
    as_json: bool = False
    state: Path | None = None
    trace: bool = False


def play(paths: Sequence[Path], options: Options) -> int:
    """Play every script, print what came of it, and return the exit status.

    Raises:
        UsageError: a path or option cannot be used.
    """
    files = _scripts_in(paths)
    _check_state(options.state)
    return asyncio.run(_play_all(files, options))


def _scripts_in(paths: Sequence[Path]) -> list[Path]:
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(one for one in path.rglob("*") if one.suffix in {".yaml", ".yml"})
            if not found:
                raise UsageError(f"{path}: there is no script (*.yaml) in this folder")
            files.extend(found)
        elif path.exists():
            files.append(path)
        else:
            raise UsageError(f"{path}: there is no such file or folder")
    return files


def _check_state(state: Path | None) -> None:
    if state is None:
        return
    if state.exists() and (not state.is_dir() or any(state.iterdir())):
        raise UsageError(f"--state {state}: a script starts a fresh table, so give an empty folder")
    try:
        state.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise UsageError(f"--state {state}: {fault.strerror}") from None


async def _play_all(files: Sequence[Path], options: Options) -> int:
    worst = HELD
    for number, path in enumerate(files, start=1):
        try:
            script = read_script(path)
            _check_way(script, options.over)
        except BadScript as bad:
            for fault in bad.faults:
                _say(sys.stderr, f"{path}:{fault.line}: {fault.what}")
            worst = BAD
            continue
        state = _folder(options.state, number, path, files)
        try:
            result, trace = await _play_one(script, state, options)
        except TableGone as gone:
            _say(sys.stderr, f"{path}:0: could not be played to its end: {gone}")
            worst = BAD
            continue
        _print(path, result, trace, options)
        if not result.ok:
            worst = max(worst, FAILED)
    return worst


def _check_way(script: Script, over: Over) -> None:
    if over == "wire":
        return
    what = "needs a table of its own process: only --over wire"
    faults = [
        Fault(step.line, f"{step.word} {what}") for step in script.steps if step.word in WIRE_ONLY
    ]
    if faults:
        raise BadScript(faults)


def _folder(state: Path | None, number: int, path: Path, files: Sequence[Path]) -> Path | None:
    """Return where the script's table keeps its state: a folder each if there are several."""
    if state is None or len(files) == 1:
        return state
    folder = state / f"{number:04d}-{path.stem}"
    folder.mkdir()
    return folder


async def _play_one(
    script: Script, state: Path | None, options: Options
) -> tuple[Result, list[Traced]]:
    trace: list[Traced] = []
    async with _table(script, state, options.over) as table:
        return await perform(script, table, trace if options.trace else None), trace


@contextlib.asynccontextmanager
async def _table(script: Script, state: Path | None, over: Over) -> AsyncIterator[Rehearsal]:
    if over == "direct":
        direct = DirectTable(script, state, version("tablekeeper"))
        with contextlib.closing(direct):
            yield direct
        return
    with tempfile.TemporaryDirectory(prefix="tablekeeper-") as scratch:
        async with WireTable.set_up(script, state or Path(scratch), Path(scratch)) as wire:
            yield wire


def _print(path: Path, result: Result, trace: Sequence[Traced], options: Options) -> None:
    if options.trace:
        for line in trace_lines(trace):
            _say(sys.stderr if options.as_json else sys.stdout, line)
    if options.as_json:
        _say(sys.stdout, msgspec.json.encode(result).decode())
        return
    for line in report(path, result):
        _say(sys.stdout, line)


def _say(out: TextIO, line: str) -> None:
    out.write(line + "\n")
    out.flush()
