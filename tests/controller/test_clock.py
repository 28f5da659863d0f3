"""The two clocks, and times as the log writes them."""

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
