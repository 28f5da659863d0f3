"""Every stored value, every row and any order is changed: `log verify` names the first event.

Whoever does it owns the files, takes the guards away and puts them back word for word.  The logs
are those of whole rounds.
"""

import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.eventlog import verify
from tests.torture.extent import SEED, extent
from tests.torture.forging import (
    COLUMNS,
    Record,
    at_rest,
    databases,
    forging,
    killed_log,
    may_be_named,
    replace_all,
    rows_in,
)
from tests.torture.report import Figure, Stopwatch

SCRIPTS: Final = (
    "pontoon-nsw/18.14-pandemonium/one-draw-for-the-box",
    "pontoon-nsw/18.9.5-forfeit/on-a-split-hand",
    "pontoon-nsw/18.14-pandemonium/won-with-pontoon",
)

ORDERS: Final = extent(150, 10_000)
ROUNDS_OF_VALUES: Final = extent(1, 6)
"""How often every value of the log is changed, each time to another one."""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state folder of a finished log that nobody may change: copy it."""
    return at_rest(killed_log(tmp_path_factory.mktemp("tampering"), SCRIPTS))


@pytest.mark.timeout(3600)
def test_every_changed_value_is_found_at_its_event(log: Path, figure) -> None:
    luck = random.Random(f"{SEED} values")
    rows = rows_in(log)
    with Stopwatch(figure("one stored value changed behind the guards")) as counted:
        for _ in range(ROUNDS_OF_VALUES):
            for record in rows:
                for at, column in enumerate(COLUMNS):
                    new = another(record[at], column, luck)
                    change(log, record[0], column, new, counted)
        counted.beside.append(f"{len(rows)} rows, {len(COLUMNS)} columns")
    counted.must_be_right()


def change(log: Path, seq: int, column: str, new: object, counted: Figure) -> None:
    """Change one value of a copy; `log verify` must name its row, or the gap it leaves."""
    with tempfile.TemporaryDirectory() as folder:
        state = shutil.copytree(log, Path(folder) / "state")
        for file in databases(state):
            with forging(file) as db:
                db.execute(f"UPDATE event SET {column} = ? WHERE seq = ?", (new, seq))  # noqa: S608
        verdict = verify(state)
    counted.done += 1
    # A number moved to the front stands where the first one should.
    expected = 1 if column == "seq" and isinstance(new, int) and new < 1 else seq
    found = verdict.first_bad.seq if verdict.first_bad else None
    if found != expected:
        counted.fail(f"event {seq}: {column} made {new!r}, first bad: {found}", f"seed {SEED}")


def another(old: Any, column: str, luck: random.Random) -> object:
    """Return a value that differs from the old one as little, or as much, as luck has it."""
    if column == "seq":
        return luck.choice([-1, 0, 10**6 + old])
    if column in {"round", "cause"}:
        near = [value for value in (0, 1, 2, None, 2**62) if value != old]
        return luck.choice([value for value in near if value is not None or column == "cause"])
    text = old.decode() if isinstance(old, bytes) else old
    at = luck.randrange(len(text))
    other = chr((ord(text[at]) ^ (1 << luck.randrange(7))) or 1)
    return luck.choice(["", text[:at], text[:at] + other + text[at + 1 :], text + " "])


# --- rows -----------------------------------------------------------------------------------------


def without(rows: list[Record], places: list[int]) -> list[Record]:
    return [row for at, row in enumerate(rows) if at != places[0]]


def swapped(rows: list[Record], places: list[int]) -> list[Record]:
    one, other = places[:2]
    rows = list(rows)
    rows[one], rows[other] = rows[other], rows[one]
    return rows


def doubled(rows: list[Record], places: list[int]) -> list[Record]:
    return [*rows[: places[0]], rows[places[1]], *rows[places[0] :]]


def moved(rows: list[Record], places: list[int]) -> list[Record]:
    rest = without(rows, places)
    return [*rest[: places[1]], rows[places[0]], *rest[places[1] :]]


def invented(rows: list[Record], places: list[int]) -> list[Record]:
    known = rows[places[0]]
    new = (*known[:4], None, b'{"do":"stand"}', "ab" * 32)
    return [*rows[: places[0]], new, *rows[places[0] :]]


def cut_off(rows: list[Record], places: list[int]) -> list[Record]:
    return rows[: places[0]]


def beheaded(rows: list[Record], places: list[int]) -> list[Record]:
    return rows[places[0] + 1 :]


def turned_round(rows: list[Record], places: list[int]) -> list[Record]:
    one, other = sorted(places[:2])
    return [*rows[:one], *reversed(rows[one : other + 1]), *rows[other + 1 :]]


DEEDS: Final[dict[str, Callable[[list[Record], list[int]], list[Record]]]] = {
    "removed": without,
    "swapped": swapped,
    "doubled": doubled,
    "moved": moved,
    "invented": invented,
    "cut off": cut_off,
    "beheaded": beheaded,
    "turned round": turned_round,
}


def first_wrong(before: list[Record], after: list[Record]) -> int | None:
    """Return the first event that is not what was recorded, None if all are."""
    for seq, row in enumerate(before, start=1):
        if seq > len(after) or after[seq - 1][1:] != row[1:]:
            return seq
    return len(before) + 1 if len(after) > len(before) else None


@pytest.mark.timeout(3600)
def test_rows_removed_added_or_in_another_order_are_found_at_the_first(log: Path, figure) -> None:
    with Stopwatch(figure("rows removed, added, moved, numbered anew")) as counted:
        before = rows_in(log)
        place = st.integers(0, len(before) - 1)

        @settings(max_examples=ORDERS, deadline=None, derandomize=True, database=None)
        @given(
            deed=st.sampled_from(sorted(DEEDS)),
            places=st.lists(place, min_size=3, max_size=3, unique=True),
        )
        def do_it(deed: str, places: list[int]) -> None:
            after = DEEDS[deed](before, places)
            renumbered = [(seq, *row[1:]) for seq, row in enumerate(after, start=1)]
            with tempfile.TemporaryDirectory() as folder:
                state = shutil.copytree(log, Path(folder) / "state")
                replace_all(state, [(*row[:5], row[5].decode(), row[6]) for row in renumbered])
                verdict = verify(state)
            counted.done += 1
            found = verdict.first_bad.seq if verdict.first_bad else None
            first = first_wrong(before, renumbered)
            # Where rows are only cut off, the event that is cut through may be named.
            ends_early = after == before[: len(after)] and len(after) < len(before)
            may = may_be_named(before, first) if first and ends_early else [first]
            assert found in may, (deed, places)

        try:
            do_it()
        except AssertionError as wrong:
            counted.fail(str(wrong), "the example is printed by hypothesis")
    counted.must_be_right()
