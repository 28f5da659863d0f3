"""``python -m drivers.simulated DIR``: simulated devices until told to stop.

Prints one JSON line on standard output when all is ready.  Ends on SIGTERM, SIGINT or, with
``--until-stdin-closes``, when standard input does; the nodes are gone then.

``python -m drivers.simulated --one NAME``: one device, and a prompt to play with it.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from drivers.simulated.bench import KINDS, USUAL, Bench
from drivers.simulated.control import Control
from drivers.simulated.prompt import HELP, in_words, request_of
from drivers.simulated.refused import Refused
from drivers.worker import on_loop

UNHEARD = 74
"""Exit status when nobody can be told anything."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until told to stop; return 0, or 2 if it cannot start."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.one is None and (options.folder is None or options.port is not None):
        parser.error("--port is for --one NAME" if options.folder else "a folder, or --one NAME")
    try:
        if options.one is not None:
            _one(options)
        else:
            playback = dict(options.playback)
            names = options.devices.split(",") if options.devices else [] if playback else USUAL
            bench = Bench(options.folder, names, options.state, playback=playback)
            asyncio.run(_serve(bench, until_stdin_closes=options.until_stdin_closes))
    except _Unheard as error:
        print(f"drivers.simulated: {error}", file=sys.stderr)  # noqa: T201 - this is a program
        return UNHEARD
    except (Refused, OSError) as error:
        print(f"drivers.simulated: {error}", file=sys.stderr)  # noqa: T201 - this is a program
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m drivers.simulated", description="Simulated devices of one table."
    )
    parser.add_argument(
        "folder", type=Path, nargs="?", help="folder for the nodes; made if need be"
    )
    parser.add_argument(
        "--devices",
        help=f"which, with commas (default: {','.join(USUAL)}); there are {', '.join(KINDS)}, "
        "each also with a number, as shuffler-2",
    )
    parser.add_argument("--state", type=Path, help="file that keeps the pack over a restart")
    parser.add_argument(
        "--playback",
        type=_named_file,
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="a device that plays a capture back, on USB if it is called pedal or keys; "
        "may be given several times",
    )
    parser.add_argument(
        "--until-stdin-closes", action="store_true", help="end with whoever started this"
    )
    parser.add_argument("--one", metavar="NAME", help="one device, with a prompt")
    parser.add_argument("--port", type=Path, help="with --one: a serial port that is there already")
    parser.add_argument("--baud", type=int, default=9600, help="its speed (default: %(default)s)")
    return parser


def _named_file(text: str) -> tuple[str, Path]:
    name, equals, file = text.partition("=")
    if not (name and equals and file):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=FILE")
    return name, Path(file)


def _one(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="tablekeeper-") as scratch:
        folder = options.folder or Path(scratch)
        bench = Bench(folder, [options.one], options.state, port=options.port, baud=options.baud)
        asyncio.run(_prompt(bench, options.one))


def _until_signal() -> asyncio.Event:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


async def _serve(bench: Bench, *, until_stdin_closes: bool) -> None:
    stop = _until_signal()
    control = Control(bench)
    try:
        await bench.open()
        await control.open()
        ports = _ports(bench)
        ready = {"ready": True, "ports": ports, "control": str(bench.control_path)}
        _say(json.dumps(ready))
        if until_stdin_closes:
            _read_in_thread(lambda _data: None, stop.set)
        await stop.wait()
    finally:
        control.close()
        bench.close()


async def _prompt(bench: Bench, name: str) -> None:
    stop = _until_signal()
    lines: asyncio.Queue[str] = asyncio.Queue()
    parts = [""]

    def typed(data: bytes) -> None:
        *whole, parts[0] = (parts[0] + data.decode(errors="replace")).split("\n")
        for line in whole:
            lines.put_nowait(line)

    def ended() -> None:
        typed(b"\n")  # the last line may have no end
        stop.set()

    try:
        await bench.open()
        _say(f"{name} is at {_ports(bench)[name]}; help shows what can be done")
        _read_in_thread(typed, ended)
        stopping = asyncio.create_task(stop.wait())
        while not stopping.done() or not lines.empty():
            line = asyncio.create_task(lines.get())
            await asyncio.wait({line, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not line.done():
                line.cancel()
            elif not await _typed(bench, name, line.result()):
                break
        stopping.cancel()
    finally:
        bench.close()


async def _typed(bench: Bench, name: str, line: str) -> bool:
    """Do what was typed; return False if that is to end."""
    match line.split():
        case []:
            pass
        case ["quit" | "exit"]:
            return False
        case ["help"]:
            _say(HELP)
        case _:
            try:
                _say(in_words(await bench.answer(request_of(line, name))))
            except Refused as refused:
                _say(f"no: {refused}")
    return True


def _ports(bench: Bench) -> Mapping[str, str]:
    return {name: device.port for name, device in bench.devices.items()}


class _Unheard(Exception):
    """Standard output cannot be written."""


def _say(text: str) -> None:
    try:
        # Nothing is left in a buffer, for the interpreter to fail with at its end.
        os.write(1, f"{text}\n".encode())
    except OSError as fault:
        raise _Unheard(f"standard output cannot be written: {fault.strerror}") from None


def _read_in_thread(take: Callable[[bytes], None], at_end: Callable[[], None]) -> None:
    # A file or /dev/null cannot be waited for by the event loop, so this is a thread; os.read,
    # since a buffered reader would hold a lock that the interpreter wants at its end.
    loop = asyncio.get_running_loop()

    def read() -> None:
        while data := os.read(0, 4096):
            on_loop(loop, take, data)
        on_loop(loop, at_end)

    threading.Thread(target=read, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
