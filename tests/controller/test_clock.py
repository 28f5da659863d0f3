"""The two clocks, times as the log writes them, and that nothing else reads the wall clock."""

import ast
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from controller.clock import mono_ms, read_clocks, utc_now, utc_of, wall_of
from controller.eventlog.row import is_moment

CENTURIES = st.integers(0, 10_000_000_000_000)


@given(CENTURIES)
def test_a_time_of_the_log_is_read_as_it_was_written(wall: int) -> None:
    assert wall_of(utc_of(wall)) == wall
    assert is_moment(utc_of(wall))


@given(CENTURIES, CENTURIES)
def test_times_of_the_log_stand_in_their_order(one: int, other: int) -> None:
    assert (utc_of(one) < utc_of(other)) == (one < other)


def test_both_clocks_are_read_at_one_time() -> None:
    before = (wall_of(utc_now()), mono_ms())
    reading = read_clocks()
    after = (wall_of(utc_now()), mono_ms())

    assert before[0] <= reading.wall <= after[0]
    assert before[1] <= reading.mono <= after[1]


# --- who reads it ---------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]

OF_PYTHON = {"time", "time_ns", "now", "utcnow", "today", "localtime", "gmtime", "CLOCK_REALTIME"}
"""By what names Python gives the wall clock, as in ``time.time`` or ``datetime.now``."""

OURS = {"utc_now", "read_clocks", "wall_now"}

AT_A_TABLE = ("controller/service", "controller/table", "controller/game", "controller/eventlog")
"""What runs while a table is open, beside the drivers."""

READ_IT = {
    "controller/service/run.py",  # for the times of rows
    "controller/service/days.py",  # for the gaming day, which begins between rounds
    "controller/eventlog/store.py",  # for the name of a day's file; its number gives the order
    "controller/service/upkeep.py",  # to tell of its steps
    "controller/service/clockwatch.py",  # the same
}
"""Where the wall clock is read, and what for; nothing is decided by it."""


def reads_wall_clock(source: str) -> bool:
    """Tell whether a module uses the wall clock by any of its names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            of = node.value.id
            if of in {"time", "datetime", "date"} and node.attr in OF_PYTHON:
                return True
        if isinstance(node, ast.ImportFrom):
            names = {name.name for name in node.names}
            if node.module == "time" and names & OF_PYTHON:
                return True
            if node.module == "controller.clock" and names & OURS:
                return True
    return False


def test_6_3_an_open_table_reads_the_wall_clock_only_for_the_log_and_to_watch_it() -> None:
    """Whoever counts minutes counts them by the clock that never jumps (`mono_ms`)."""
    modules = [one for folder in (*AT_A_TABLE, "drivers") for one in (ROOT / folder).rglob("*.py")]
    found = {
        str(module.relative_to(ROOT))
        for module in modules
        if reads_wall_clock(module.read_text(encoding="utf-8"))
    }

    assert found == READ_IT
