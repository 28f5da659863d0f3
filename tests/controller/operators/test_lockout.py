"""What wrong PINs cost, whatever the clock does."""

from hypothesis import given
from hypothesis import strategies as st

from controller.operators.lockout import (
    FIRST_MS,
    FREE,
    LONGEST_MS,
    Lock,
    Moment,
    counted,
    failed,
    locks_for,
    remaining,
)

LOCKS = st.builds(
    Lock,
    failures=st.integers(0, 10_000),
    remaining=st.integers(0, LONGEST_MS),
    mono=st.integers(0, 10**12),
    boot=st.sampled_from(["", "one", "two"]),
)
MOMENTS = st.builds(Moment, st.integers(0, 10**12), st.sampled_from(["", "one", "two"]))
STEPS = st.lists(
    st.tuples(st.sampled_from(["wait", "restart", "look", "guess"]), st.integers(0, LONGEST_MS)),
    max_size=40,
)


def test_the_first_wrong_pins_cost_nothing_then_each_locks_for_twice_as_long() -> None:
    assert [locks_for(failures) for failures in range(FREE + 1)] == [0] * (FREE + 1)
    assert locks_for(FREE + 1) == FIRST_MS
    assert locks_for(FREE + 2) == 2 * FIRST_MS
    assert locks_for(FREE + 3) == 4 * FIRST_MS
    assert locks_for(FREE + 20) == LONGEST_MS


@given(st.integers(0, 10**9))
def test_no_lock_is_shorter_than_the_one_before_or_longer_than_the_longest(failures: int) -> None:
    assert locks_for(failures) <= locks_for(failures + 1) <= LONGEST_MS


@given(LOCKS, MOMENTS)
def test_counting_on_changes_nothing_of_what_remains(lock: Lock, now: Moment) -> None:
    again = counted(lock, now)
    assert remaining(again, now) == remaining(lock, now) == again.remaining
    assert again.failures == lock.failures


@given(LOCKS, MOMENTS)
def test_a_wrong_pin_never_makes_a_lock_shorter(lock: Lock, now: Moment) -> None:
    after = failed(lock, now)
    assert remaining(after, now) >= remaining(lock, now)
    assert after.failures == lock.failures + 1


@given(LOCKS, st.integers(0, LONGEST_MS))
def test_a_restart_leaves_the_whole_of_what_was_counted_last(lock: Lock, mono: int) -> None:
    assert remaining(lock, Moment(mono, "another start")) == lock.remaining


@given(STEPS)
def test_a_lock_ends_only_by_so_much_time_of_a_running_machine(
    steps: list[tuple[str, int]],
) -> None:
    """A model beside it: how long the machine ran in all since the latest wrong PIN."""
    lock, mono, boot, ran = Lock(), 0, 0, 0
    for what, length in steps:
        now = Moment(mono, str(boot))
        match what:
            case "wait":
                mono, ran = mono + length, ran + length
            case "restart":
                mono, boot = 0, boot + 1
            case "look":
                lock = counted(lock, now)
            case "guess" if not remaining(lock, now):
                lock, ran = failed(lock, now), 0
        left = remaining(lock, Moment(mono, str(boot)))
        assert locks_for(lock.failures) - ran <= left <= locks_for(lock.failures)


@given(st.integers(FREE + 1, 50), st.integers(0, 10**9), st.integers(1, LONGEST_MS))
def test_within_one_run_of_the_machine_a_lock_ends_when_it_says(
    failures: int, mono: int, early: int
) -> None:
    lock = failed(Lock(failures=failures - 1), Moment(mono, "one"))
    length = locks_for(failures)
    assert remaining(lock, Moment(mono + length, "one")) == 0
    assert remaining(lock, Moment(mono + length - min(early, length), "one")) > 0
