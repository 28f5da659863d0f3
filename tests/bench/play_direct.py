"""How long 2,000 scripts take in one process, and where the time goes.

Run as ``python tests/bench/play_direct.py [SCRIPTS]``; the figures are of the machine it runs on.
The shares are what is left when the later parts are taken away: reading alone, reading and
deciding, and all of it with the log.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

from controller.clock import utc_now
from controller.eventlog.memory import MemoryLog
from controller.scripts.direct import DirectTable
from controller.scripts.perform import perform
from controller.scripts.read import parse_script
from controller.scripts.script import Script
from controller.table.decide import decide
from controller.table.owner import Table
from controller.table.record import EVENT_KINDS, event_of

ROUNDS = Path(__file__).parents[1] / "rounds"


def timed(work: Callable[[], object]) -> float:
    """Return the processor seconds that the work takes."""
    before = time.process_time()
    work()
    return time.process_time() - before


def usable(data: bytes) -> bool:
    return b"power-cut" not in data


def play_all(scripts: list[Script]) -> list[MemoryLog]:
    logs = []

    async def all_of_them() -> None:
        for script in scripts:
            table = DirectTable(script, None, "bench")
            await perform(script, table)
            logs.append(table._log)

    asyncio.run(all_of_them())
    return logs  # type: ignore[return-value]


def decide_again(logs: list[MemoryLog]) -> None:
    for log in logs:
        state = None
        for row in log.rows():
            if row.kind in EVENT_KINDS:
                state = decide(state, event_of(row.kind, bytes(row.body))).state


def log_again(logs: list[MemoryLog]) -> None:
    for log in logs:
        table = Table(MemoryLog(), utc_now)
        for row in log.rows():
            if row.kind in EVENT_KINDS:
                table.take(event_of(row.kind, bytes(row.body)))


def main(wanted: int) -> None:
    texts = [data for path in sorted(ROUNDS.rglob("*.yaml")) if usable(data := path.read_bytes())]
    chosen = list(islice(cycle(texts), wanted))
    scripts: list[Script] = []
    parsing = timed(lambda: scripts.extend(map(parse_script, chosen)))
    logs: list[MemoryLog] = []
    playing = timed(lambda: logs.extend(play_all(scripts)))
    deciding = timed(lambda: decide_again(logs))
    logging = timed(lambda: log_again(logs)) - deciding
    events = sum(sum(1 for _ in log.rows()) for log in logs)
    whole = parsing + playing
    print(f"{wanted} scripts, {events} rows: {whole:.2f} s of one core")
    for name, part in (
        ("parsing", parsing),
        ("deciding", deciding),
        ("logging", logging),
        ("the rest (views, results)", playing - deciding - logging),
    ):
        print(f"  {name:<26} {part:6.2f} s  {part / whole:4.0%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
