"""A log whose files end early or have a flipped bit: intact, or found, and never a traceback.

The controller was killed, so the latest rows lie in SQLite's write-ahead log.  SQLite drops
everything behind a frame whose checksum is wrong without a word: the witness has to tell.
"""

import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.system.processes import tablekeeper
from tests.system.table import config
from tests.torture.extent import SEED, extent
from tests.torture.forging import (
    Record,
    at_rest,
    databases,
    forging,
    killed_log,
    looked_at,
    may_be_named,
    rows_in,
)
from tests.torture.report import Figure, Stopwatch

ROUND: Final = "pontoon-nsw/18.14-pandemonium/one-draw-for-the-box"
LONG: Final = 40
"""Rounds after which SQLite has begun its write-ahead log anew, and old frames lie behind it."""

FLIPS: Final = extent(60, 3000)
CUTS: Final = extent(30, 1500)
BY_COMMAND: Final = extent(2, 60)
"""Of the flipped ones, how many are also looked at by the commands that people have."""

ALTERED: Final = 1
DO_NOT_START: Final = 78
INTACT: Final = {0, 3}

pytestmark = pytest.mark.timeout(3600)


class Killed:
    """The state folder of a controller that was killed, and the rows that it had acknowledged."""

    def __init__(self, state: Path, rows: Sequence[Record]) -> None:
        self.state = state
        self.rows = rows


@pytest.fixture(scope="module", params=[1, LONG], ids=["one round", "many rounds"])
def killed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Killed:
    folder = tmp_path_factory.mktemp("killed")
    state = killed_log(folder, [ROUND] * request.param)
    return Killed(state, rows_in(shutil.copytree(state, folder / "read")))


def the_wal(state: Path) -> Path:
    """Return the write-ahead log of a killed controller: the one with rows in it."""
    return max((state / "log").glob("*-wal"), key=lambda file: file.stat().st_size)


def places(file: Path, count: int, luck: random.Random) -> list[int]:
    """Return bytes of a write-ahead log: half of them in the frames that count."""
    size, counting = file.stat().st_size, bytes_that_count(file.read_bytes())
    return [luck.randrange(counting if number % 2 else size) for number in range(count)]


def bytes_that_count(wal: bytes) -> int:
    """Return where the frames end that were written since SQLite last began the file anew.

    Each frame repeats the salt of the header: https://sqlite.org/fileformat2.html#walformat
    """
    page = int.from_bytes(wal[8:12], "big")
    end = 32
    while wal[end + 8 : end + 16] == wal[16:24]:
        end += 24 + page
    return end


def spoil_and_look(
    killed: Killed,
    spoil: Callable[[Path], str],
    counted: Figure,
    again: str,
    *,
    by_command: bool = False,
) -> None:
    """Spoil a copy and see what is said of it; count the ones that were found."""
    with tempfile.TemporaryDirectory(prefix="tk-") as folder:
        state = shutil.copytree(killed.state, Path(folder) / "state")
        what = spoil(state)
        found = looked_at(shutil.copytree(state, Path(folder) / "look" / "state"), killed.rows)
        wrong = found.wrong
        if by_command and not wrong:
            wrong = commands_say(state, altered=found.bad is not None)
    counted.done += 1
    if wrong:
        counted.fail(f"{what}: {wrong}", again)
    counted.count("found" if found.bad is not None else "intact")


def turn(file: Path, at: int, bit: int) -> None:
    """Turn one bit of a file round."""
    data = bytearray(file.read_bytes())
    data[at] ^= 1 << bit
    file.write_bytes(data)


def commands_say(state: Path, *, altered: bool) -> str:
    """Ask `log verify`, and start a controller; return what one of them does wrong."""
    verified = tablekeeper("log", "verify", state)
    if verified.returncode not in ({ALTERED} if altered else INTACT):
        return f"log verify ended with {verified.returncode}: {verified.stdout}{verified.stderr}"
    if not altered:
        return ""
    (state.parent / "table.toml").write_text(config(state.parent, {"shoe": "/dev/null"}))
    started = tablekeeper("run", "--rehearsal", "--config", state.parent / "table.toml")
    if started.returncode != DO_NOT_START or "altered" not in started.stderr:
        return f"run ended with {started.returncode}: {started.stderr}"
    said = verified.stdout + verified.stderr + started.stderr
    return said if "Traceback" in said else ""


def test_a_flipped_bit_of_the_write_ahead_log_is_found_or_of_no_account(
    killed: Killed, figure
) -> None:
    luck = random.Random(f"{SEED} flips")
    wal = the_wal(killed.state)
    size = wal.stat().st_size
    with Stopwatch(figure("one bit flipped in the WAL of a killed controller")) as counted:
        for number, at in enumerate(places(wal, FLIPS, luck)):
            bit = luck.randrange(8)

            def flip(state: Path, at: int = at, bit: int = bit) -> str:
                turn(the_wal(state), at, bit)
                return f"bit {bit} of byte {at} of {size}"

            by_command = number < BY_COMMAND
            spoil_and_look(killed, flip, counted, f"seed {SEED}", by_command=by_command)
    counted.must_be_right()


def test_a_write_ahead_log_that_ends_early_is_found_or_of_no_account(
    killed: Killed, figure
) -> None:
    luck = random.Random(f"{SEED} cuts")
    wal = the_wal(killed.state)
    size = wal.stat().st_size
    with Stopwatch(figure("the WAL of a killed controller cut off at a byte")) as counted:
        for length in [0, 1, 31, 32, size - 1, *places(wal, CUTS, luck)]:

            def cut(state: Path, length: int = length) -> str:
                with the_wal(state).open("r+b") as file:
                    file.truncate(length)
                return f"cut from {size} to {length} bytes"

            spoil_and_look(killed, cut, counted, f"seed {SEED}")
    counted.must_be_right()


def test_a_write_ahead_log_that_is_gone_is_found(killed: Killed, figure) -> None:
    def remove(state: Path) -> str:
        the_wal(state).unlink()
        return "the WAL was removed"

    with Stopwatch(figure("the WAL of a killed controller removed")) as counted:
        spoil_and_look(killed, remove, counted, "no luck in it", by_command=True)
    assert counted.counts == {"found": 1}
    counted.must_be_right()


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    state = at_rest(killed_log(tmp_path_factory.mktemp("closed"), [ROUND]))
    return Killed(state, rows_in(state))


def test_rows_cut_off_behind_the_witness_are_found_at_every_length(closed: Killed, figure) -> None:
    with Stopwatch(figure("the last rows removed, the witness left alone")) as counted:
        for left in range(len(closed.rows)):
            with tempfile.TemporaryDirectory() as folder:
                state = shutil.copytree(closed.state, Path(folder) / "state")
                for file in databases(state):
                    with forging(file) as db:
                        db.execute("DELETE FROM event WHERE seq > ?", (left,))
                found = looked_at(state, closed.rows)
            counted.done += 1
            if found.wrong or found.bad not in may_be_named(closed.rows, left + 1):
                counted.fail(f"{left} rows left: first bad {found.bad} {found.wrong}", "as it says")
    counted.must_be_right()


def test_a_database_that_ends_early_is_found_at_every_length(closed: Killed, figure) -> None:
    luck = random.Random(f"{SEED} lengths")
    file = max(databases(closed.state), key=lambda one: one.stat().st_size)
    size = file.stat().st_size
    lengths = {*range(0, size, 4096), *(luck.randrange(size) for _ in range(CUTS))}
    with Stopwatch(figure("the database cut off at a byte, the witness left alone")) as counted:
        for length in sorted(lengths):

            def cut(state: Path, length: int = length) -> str:
                with (state / "log" / file.name).open("r+b") as spoilt:
                    spoilt.truncate(length)
                return f"cut from {size} to {length} bytes"

            spoil_and_look(closed, cut, counted, f"seed {SEED}")
    assert counted.counts == {"found": counted.done}
    counted.must_be_right()


def test_a_flipped_bit_of_the_database_is_found_or_of_no_account(closed: Killed, figure) -> None:
    luck = random.Random(f"{SEED} database")
    file = max(databases(closed.state), key=lambda one: one.stat().st_size)
    size = file.stat().st_size
    with Stopwatch(figure("one bit flipped in the database at rest")) as counted:
        for _ in range(FLIPS):
            at, bit = luck.randrange(size), luck.randrange(8)

            def flip(state: Path, at: int = at, bit: int = bit) -> str:
                turn(state / "log" / file.name, at, bit)
                return f"bit {bit} of byte {at} of {size}"

            spoil_and_look(closed, flip, counted, f"seed {SEED}")
    counted.must_be_right()
