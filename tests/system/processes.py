"""Processes as a person or systemd starts them: run to their end, or looked at while they run."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

PATIENCE = 30.0
"""Seconds after which what did not happen is not going to happen, even on a busy machine."""

PROC = Path("/proc")

PROGRAM = (sys.executable, "-m", "controller")


def tablekeeper(
    *arguments: object, environment: dict[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the program to its end."""
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, **(environment or {})},
        cwd=cwd,
        check=False,
    )


def eventually(true: Callable[[], bool], what: str) -> None:
    """Wait for something that nobody tells of, as a process that ends or a file that goes."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        if time.monotonic() > deadline:
            raise AssertionError(f"did not happen within {PATIENCE:.0f} s: {what}")
        select.select([], [], [], 0.01)


def command_lines() -> dict[int, str]:
    """Return the command lines of all processes of this machine."""
    found = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                found[int(folder.name)] = b" ".join(words).decode(errors="replace")
    return found


def naming(path: Path) -> dict[int, str]:
    """Return the processes in whose command line the path stands."""
    return {pid: line for pid, line in command_lines().items() if str(path) in line}


def children_of(pid: int) -> dict[int, str]:
    """Return the processes that ``pid`` has started, with their command lines."""
    pids: set[int] = set()
    with contextlib.suppress(FileNotFoundError):
        for task in (PROC / str(pid) / "task").iterdir():
            with contextlib.suppress(FileNotFoundError):
                pids |= {int(word) for word in (task / "children").read_text().split()}
    return {child: line for child, line in command_lines().items() if child in pids}


@contextlib.contextmanager
def started(
    arguments: Sequence[object], *, environment: dict[str, str] | None = None, errors: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program with pipes at its input and output; afterwards it is gone."""
    with errors.open("ab") as err:
        process = subprocess.Popen(
            [str(argument) for argument in arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=err,
            env={**os.environ, **(environment or {})},
        )
    try:
        yield process
    finally:
        end(process)


def end(process: "subprocess.Popen[bytes]") -> None:
    """Make sure that a process is gone and nothing of it is left open."""
    if process.poll() is None:
        process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def stop(pid: int) -> None:
    """Let a process stand still."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)


def kill(pid: int) -> None:
    """End a process as a power cut does."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
