"""What the event log costs, each figure as a ratio against a floor measured in the same run.

Run as ``python tests/bench/log_figures.py [--events N] [--folder DIR]``; DIR should be on the disk
that the figures are to be about.
"""

import argparse
import hashlib
import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from controller.clock import utc_now
from controller.eventlog import Entry, EventLog, Row, canonical, schema, verify
from controller.eventlog.day import _connect, _prepare
from controller.eventlog.files import days_in
from controller.events import AnyEvent, Ask, Asked, CardOut, DeviceOnline, NewShoe, Started
from controller.game.moves import Cleared, NoMoreBets, Stand, Wager
from controller.game.options import build
from controller.service.translate import translate
from controller.table.decide import DECIDER
from controller.table.owner import Table
from controller.table.resume import resume
from drivers.angel_eye import DRIVER
from drivers.simulated.shoe import SimulatedShoe

GAME = build("pontoon-nsw", {})
TURNS = 100


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument(
        "--lasting", type=int, default=100_000, help="rows to record in one run; 0: none"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        print(f"{'figure':<58} {'ours':>11} {'floor':>11} {'ratio':>7}")
        tell("last byte of a card to commit returned, against the bare", *committing(folder))
        short, long = folder / "short" / "log", folder / "long" / "log"
        fill(short, 1_000)
        fill(long, options.events)
        what = f"start over {options.events:,} events, against 1,000"
        tell(what, seconds(lambda: start(long)), seconds(lambda: start(short)))
        what = f"verify {options.events:,} events, against a scan with SHA-256"
        ours = seconds(lambda: verified(long), times=3)
        tell(what, ours, seconds(lambda: scanned(long), times=3))
        if options.lasting:
            warm, end = lasting(folder / "lasting" / "log", options.lasting)
            what = f"memory after {options.lasting:,} rows of rounds, against a tenth"
            print(f"{what:<58} {end:7.1f} MiB {warm:7.1f} MiB {end / warm:7.2f}")


def tell(what: str, ours: float, floor: float) -> None:
    """Print a figure: milliseconds and the ratio."""
    print(f"{what:<58} {ours * 1000:8.2f} ms {floor * 1000:8.2f} ms {ours / floor:7.2f}")


def seconds(work: Callable[[], object], times: int = 7) -> float:
    """Return the median time that the work takes."""
    taken = []
    for _ in range(times):
        before = time.perf_counter()
        work()
        taken.append(time.perf_counter() - before)
    return statistics.median(taken)


# --- a card ---------------------------------------------------------------------------------------


def committing(folder: Path) -> tuple[float, float]:
    """Return the medians of a card's way to the disk, and of a bare transaction of its rows.

    Both files have the same table, index and triggers and the same durability; the turns alternate,
    so that what else the disk does meets both.
    """
    ours, floor = [], []
    with closing(EventLog.open(folder / "card" / "log")) as log, closing(bare(folder)) as db:
        table = Table(log, utc_now)
        for event in beginning():
            copy(db, table.take(event).rows)
        codec, shoe = DRIVER.codec({}), SimulatedShoe()
        codec.greet(time.monotonic())
        for asked in rounds(TURNS):
            if not isinstance(asked, str):
                copy(db, table.take(Asked(ask=asked)).rows)
                continue
            (frame,) = shoe.card_out(asked)
            before = time.perf_counter()
            (told,) = codec.feed(frame, time.monotonic())
            event = translate("shoe", told)
            assert event is not None
            rows = table.take(event).rows
            ours.append(time.perf_counter() - before)
            records = [schema.to_record(row) for row in rows]
            before = time.perf_counter()
            db.execute("BEGIN IMMEDIATE")
            db.executemany(schema.INSERT, records)
            db.execute("COMMIT")
            floor.append(time.perf_counter() - before)
    return statistics.median(ours), statistics.median(floor)


def beginning() -> Iterator[AnyEvent]:
    yield Started(
        version="bench",
        decider=DECIDER,
        config="",
        boot="",
        cards_ready=True,
        game=GAME,
        controls={},
        devices={"shoe": "shoe"},
        source="shoe",
    )
    yield DeviceOnline(device="shoe", port="bench")


def rounds(number: int) -> Iterator[Ask | str]:
    """Yield what is asked and the cards that come: ann stands on 15, the dealer has 17."""
    for played in range(number):
        if played % GAME.decks == 0:  # before a card comes more often than the pack has it
            yield NewShoe()
            yield "2H"  # the burn card
        yield Wager(box=1, player="ann", main=2500)
        yield NoMoreBets()
        yield from ("KS", "9H", "5D")
        yield Stand()
        yield "8C"
        yield Cleared()


def bare(folder: Path) -> sqlite3.Connection:
    file = folder / "bare.db"
    file.touch()
    db = _connect(file)
    _prepare(db, file)
    return db


def copy(db: sqlite3.Connection, rows: tuple[Row, ...]) -> None:
    db.execute("BEGIN IMMEDIATE")
    db.executemany(schema.INSERT, map(schema.to_record, rows))
    db.execute("COMMIT")


# --- a long log -----------------------------------------------------------------------------------


def fill(folder: Path, events: int) -> None:
    """Make a day of so many rows that ends in a round: a payment, signed, every 20 rows."""
    with closing(EventLog.open(folder)) as log:
        table = Table(log, utc_now)
        table.begin_day({"date": "2026-05-09"})
        body = canonical({"box": 3, "card": "KS", "hand": 1, "rule": "7", "to": "box"})
        dealt, settled = Entry(1, "dealt", body), Entry(1, "settled", body)
        event = Entry(1, "card-out", canonical({"card": "KS", "device": "shoe", "mono": 12345}))
        while log.head.seq < events - 10:
            log.append(utc_now(), event, [dealt] * 18 + [settled])
        for each in beginning():
            table.take(each)


def lasting(folder: Path, rows: int) -> tuple[float, float]:
    """Record rounds in one run; return the MiB in use after a tenth of the rows and at the end."""
    warm = 0.0
    with closing(EventLog.open(folder)) as log:
        table = Table(log, utc_now)
        table.begin_day({"date": "2026-05-09"})
        for event in beginning():
            table.take(event)
        for asked in rounds(rows):
            card = isinstance(asked, str)
            table.take(CardOut(device="shoe", card=asked) if card else Asked(ask=asked))
            if log.head.seq >= rows:
                break
            if not warm and log.head.seq >= rows // 10:
                warm = resident()
    return warm, resident()


def resident() -> float:
    """Return the MiB of memory that this process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def start(folder: Path) -> None:
    with closing(EventLog.open(folder)) as log:
        assert resume(log) is not None


def verified(folder: Path) -> None:
    assert verify(folder).ok


def scanned(folder: Path) -> None:
    """Read every row and hash its text: less can't be done to check a chain."""
    (day,) = days_in(folder)
    with closing(sqlite3.connect(day.path)) as db:
        previous = ""
        for record in db.execute(f"{schema.SELECT} ORDER BY seq"):
            text = f"{previous}\n{record[0]}{record[1]}{record[2]}{record[3]}{record[4]}{record[5]}"
            previous = hashlib.sha256(text.encode()).hexdigest()


if __name__ == "__main__":
    main()
