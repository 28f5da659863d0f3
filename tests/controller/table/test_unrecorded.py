"""Refusals that have no row: the table is as the log has it all the same."""

from random import Random

import pytest

from controller.eventlog.memory import MemoryLog
from controller.events import Asked, Pressed
from controller.outcomes import Refused
from controller.table.decide import decide
from controller.table.owner import Table, Unrecorded
from controller.table.resume import resume
from tests.controller.table.tale import dealt, opening
from tests.controller.table.test_any_events import SEEDS, STEPS, game_of
from tests.controller.table.test_resume import AT
from tests.controller.table.wandering import next_event


@pytest.mark.parametrize("seed", SEEDS)
def test_a_table_whose_refusals_have_no_rows_is_as_the_log_has_it(seed: int) -> None:
    log = MemoryLog()
    table = Table(log, lambda: AT)
    for event in opening(game_of(seed)):
        table.take(event)
    luck, unrecorded = Random(seed), 0
    for _ in range(STEPS):
        before, seq = table.state, log.head.seq
        assert before is not None
        event = next_event(before, luck)
        if not isinstance(event, Asked | Pressed):
            table.take(event)
            continue
        decided = decide(before, event)
        taken = table.take_if_it_counts(event)
        if isinstance(taken, Unrecorded):
            unrecorded += 1
            assert table.state is before
            assert taken.seq == log.head.seq == seq
            assert decided.outcomes in {(), (taken.refused,)}
        else:
            assert taken.rows[0].seq == seq + 1
            assert decided.state != before or set(map(type, taken.outcomes)) - {Refused}

    assert unrecorded
    assert resume(log) == table.state


def test_a_refused_press_that_forgets_the_keyed_box_counts() -> None:
    log = MemoryLog()
    table = Table(log, lambda: AT)
    for event in (*dealt("KS 9H 5D").events, Pressed(device="keys", control="3")):
        table.take(event)
    assert table.state is not None
    keyed = table.state.keyed
    assert keyed

    taken = table.take_if_it_counts(Pressed(device="keys", control="E"))
    assert not isinstance(taken, Unrecorded)
    assert taken.refused
    assert table.state.keyed == ()
    assert isinstance(table.take_if_it_counts(Pressed(device="keys", control="E")), Unrecorded)
