"""Pauses between attempts: short, never in step, and long only for a loose plug."""

import random

from drivers.backoff import FLAP_WINDOW, FLAPS, LONGEST_FLAP_PAUSE, LONGEST_POLL, Backoff


def test_a_pause_is_short_and_not_always_the_same() -> None:
    backoff = Backoff(random.Random(1))
    pauses = [backoff.pause(0.0) for _ in range(100)]

    assert 0.2 < min(pauses) < max(pauses) <= LONGEST_POLL
    assert len(set(pauses)) > 50


def test_a_few_losses_are_no_flapping() -> None:
    backoff = Backoff()
    for loss in range(FLAPS):
        backoff.lost(float(loss))

    assert backoff.flapping(10.0) == 0
    assert backoff.pause(10.0) <= LONGEST_POLL


def test_many_losses_in_a_short_time_lengthen_the_pause_up_to_a_limit() -> None:
    backoff = Backoff()
    pauses = []
    for loss in range(FLAPS + 6):
        backoff.lost(loss / 10)
        pauses.append(backoff.pause(loss / 10))

    assert pauses[FLAPS : FLAPS + 3] == [1.0, 2.0, 4.0]
    assert pauses[-1] == LONGEST_FLAP_PAUSE


def test_after_a_calm_time_all_is_as_before() -> None:
    backoff = Backoff()
    for _ in range(2 * FLAPS):
        backoff.lost(100.0)

    assert backoff.flapping(100.0 + FLAP_WINDOW) == 2 * FLAPS
    assert backoff.flapping(100.1 + FLAP_WINDOW) == 0
