"""Presses out of what is down: examples for people, and a property against a slow reckoning."""

from hypothesis import given
from hypothesis import strategies as st

from drivers.controls import STUCK_AFTER, Controls
from drivers.events import DeviceEvent, FaultCleared, Press, Stuck

# Fractions that floats hold exactly, so that "just in time" can be tested.
TICK = 1 / 1024
HOLD, BOUNCE = 640, 32


def controls() -> Controls:
    made = Controls(hold_s=HOLD * TICK, debounce_s=BOUNCE * TICK)
    made.report(frozenset(), 0.0)
    return made


def play(made: Controls, *steps: tuple[float, str | None]) -> list[DeviceEvent]:
    """Report the controls (a string of letters; None: unknown) at each time, ticking as asked."""
    events: list[DeviceEvent] = []
    for now, down in steps:
        events += catch_up(made, now)
        events += made.unknown(now) if down is None else made.report(frozenset(down), now)
    return events


def catch_up(made: Controls, now: float) -> list[DeviceEvent]:
    events: list[DeviceEvent] = []
    while (due := made.wake_at()) is not None and due <= now:
        events += made.tick(due)
        assert made.wake_at() is None or made.wake_at() > due, "asked to be woken for nothing"
    return events


def test_a_short_press_is_told_when_it_is_over() -> None:
    made = controls()

    assert play(made, (1.0, "a"), (1.2, "")) == []
    assert catch_up(made, 2.0) == [Press("a", held=False)]


def test_a_held_press_is_told_once_while_it_is_down() -> None:
    made = controls()

    assert play(made, (1.0, "a")) == []
    assert made.tick(1.6) == []
    assert made.tick(1.625) == [Press("a", held=True)]
    assert play(made, (3.0, ""), (4.0, "")) == []


def test_a_long_press_is_held_also_when_nobody_looked_in_between() -> None:
    made = controls()
    made.report(frozenset("a"), 1.0)

    assert made.report(frozenset(), 2.0) == [Press("a", held=True)]
    assert made.tick(3.0) == []


def test_a_train_of_bounces_is_one_press() -> None:
    made = controls()
    train = [(1.0 + n * 0.004, "a" if n % 2 == 0 else "") for n in range(12)]

    assert play(made, *train) == []
    assert catch_up(made, 2.0) == [Press("a", held=False)]


def test_bounces_do_not_put_off_a_held_press() -> None:
    made = controls()

    play(made, (1.0, "a"), (1.01, ""), (1.02, "a"))

    assert catch_up(made, 1.625) == [Press("a", held=True)]


def test_what_is_down_in_the_first_report_never_counts() -> None:
    made = Controls(hold_s=0.5, debounce_s=0.025)

    assert play(made, (0.0, "a"), (1.0, "ab"), (1.1, "a"), (2.0, ""), (3.0, "")) == [
        Press("b", held=False)
    ]
    assert play(made, (4.0, "a"), (4.1, ""), (5.0, "")) == [Press("a", held=False)]


def test_a_press_in_progress_is_forgotten() -> None:
    made = controls()
    made.report(frozenset("a"), 1.0)
    made.forget()

    assert made.wake_at() is None
    assert play(made, (1.1, ""), (2.0, "")) == []


def test_an_unknown_state_is_no_release_and_no_hold() -> None:
    made = controls()

    assert play(made, (1.0, "a"), (1.1, None), (5.0, None)) == []
    assert play(made, (5.1, "a")) == [Press("a", held=True)]


def test_an_unknown_state_at_the_start_is_no_first_report() -> None:
    made = Controls()

    assert play(made, (0.0, None), (1.0, "a"), (2.0, ""), (3.0, "")) == []


def test_a_stuck_control_is_told_once() -> None:
    made = controls()

    assert play(made, (1.0, "a")) == []
    assert catch_up(made, 1.0 + 3 * STUCK_AFTER) == [Press("a", held=True), Stuck("a")]


def test_a_control_down_from_the_start_can_be_stuck() -> None:
    made = Controls()
    made.report(frozenset("a"), 0.0)

    assert catch_up(made, 60.0) == [Stuck("a")]


def test_without_debounce_a_release_counts_at_once() -> None:
    made = Controls(debounce_s=0.0)
    made.report(frozenset(), 0.0)

    assert play(made, (1.0, "a"), (1.1, "")) == [Press("a", held=False)]


Moves = list[tuple[int, frozenset[str]]]


def reckon(control: str, moves: Moves) -> list[Press]:
    """Work out the presses of one control the slow way, from its times down and up."""
    spans: list[list[int | None]] = []
    was_down = False
    for now, down in moves:
        if (control in down) == was_down:
            continue
        was_down = not was_down
        if not was_down:
            spans[-1][1] = now
        elif spans and now - spans[-1][1] < BOUNCE:
            spans[-1][1] = None
        else:
            spans.append([now, None])
    return [
        Press(control, held=end is None or end - begin >= HOLD)
        for begin, end in spans
        if begin != moves[0][0]  # down in the first report
    ]


@given(
    moves=st.lists(
        st.tuples(
            st.one_of(
                st.integers(1, 3 * BOUNCE), st.sampled_from([BOUNCE, HOLD, HOLD - 1, HOLD + 1])
            ),
            st.frozensets(st.sampled_from("ab")),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_any_movement_of_feet_gives_the_presses_one_would_reckon(moves) -> None:
    at, timed = 0, []
    for step, down in moves:
        at += step
        timed.append((at, down))
    made = Controls(hold_s=HOLD * TICK, debounce_s=BOUNCE * TICK)

    events = play(made, *[(now * TICK, "".join(down)) for now, down in timed])
    events += catch_up(made, (at + 2 * HOLD) * TICK)

    for control in "ab":
        told = [event for event in events if isinstance(event, Press) and event.control == control]
        assert told == reckon(control, timed)


def by_hand(**options: float) -> Controls:
    made = Controls(hold_s=HOLD * TICK, debounce_s=BOUNCE * TICK, by_hand=True, **options)
    made.report(frozenset(), 0.0)
    return made


@given(
    presses=st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(26, 900), st.integers(BOUNCE, 300)),
        min_size=1,
        max_size=12,
    )
)
def test_presses_of_hands_and_feet_count_by_hand_as_they_do_without(presses) -> None:
    moves: list[tuple[float, str]] = []
    at = 1024
    for control, contact, pause in presses:
        moves += [(at * TICK, control), ((at + contact) * TICK, "")]
        at += contact + pause

    told = [play(made, *moves) + catch_up(made, at + HOLD) for made in (controls(), by_hand())]

    pressed = [[each for each in events if isinstance(each, Press)] for events in told]
    assert pressed[0] == pressed[1]
    assert len(pressed[0]) == len(presses)


def test_a_bouncing_press_by_hand_is_one_press_and_not_put_off() -> None:
    made = by_hand()
    bounces = [(1.0 + n * 0.004, "a" if n % 2 == 0 else "") for n in range(6)]

    assert play(made, *bounces, (1.03, "a"), (1.06, "")) == []
    assert made.wake_at() == 1.06 + BOUNCE * TICK
    assert catch_up(made, 2.0) == [Press("a", held=False)]


def test_a_stuck_control_that_is_let_go_is_told_when_none_is_left() -> None:
    made = controls()
    events = play(made, (1.0, "a"), (2.0, "ab"), (20.0, "b"), (30.0, ""), (31.0, ""))

    assert events == [
        Press("a", held=True),
        Press("b", held=True),
        Stuck("a"),
        Stuck("b"),
        FaultCleared("stuck", ""),
    ]
